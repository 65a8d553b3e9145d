import Platform
import Testing

@testable import Configuration

@Suite("Clients in a configuration")
struct ClientConfigurationTests {
    private static func clients(_ text: String) throws -> [ConfiguredClient] {
        try ConfigurationReadingTests.parse(text).clients
    }

    @Test("clients are taken in their order, and what they do not name keeps its default")
    func clients() throws {
        let clients = try Self.clients(
            """
            clients = (
                { name = "usb"; purpose = "copies photos"; },
                { name = "share:anna"; purpose = "Zoë's “wall” of photos"; access = "limited"; },
                { name = "a.b_c-1"; purpose = "x"; access = "ask"; on_hold = "full"; }
            );
            """)
        #expect(clients.map(\.name) == ["usb", "share:anna", "a.b_c-1"])
        #expect(clients.map(\.purpose) == ["copies photos", "Zoë's “wall” of photos", "x"])
        #expect(clients.map(\.access) == [nil, .limited, nil])
        #expect(clients.map(\.onHold) == [.full, .limited, .full])
    }

    @Test("a host on the cable gets only selected photos by a hold when that is configured")
    func limitedUSB() throws {
        let clients = try Self.clients(#"clients = ( { on_hold = "limited"; name = "usb"; purpose = "x"; } );"#)
        #expect(clients.map(\.onHold) == [.limited])
    }

    @Test("no client is asked for when the list is empty or not there", arguments: ["", "clients = ( );"])
    func none(text: String) throws {
        #expect(try Self.clients(text).isEmpty)
    }

    @Test("each word of access is taken", arguments: [nil] + ClientLevel.allCases)
    func access(access: ClientLevel?) throws {
        let clients = try Self.clients(
            "clients = ( { name = \"a\"; purpose = \"x\"; access = \"\(access?.rawValue ?? "ask")\"; } );")
        #expect(clients.map(\.access) == [access])
    }

    @Test(
        "a refusal names file, line, key and what was expected",
        arguments: [
            (
                "clients = (\n  { name = \"usb\"; }\n);",
                "pinhole.conf:2: clients.purpose is missing, expected 1 to 200 printable characters that say why it needs access"
            ),
            (
                "clients = ( { name = \"usb\";\n purpose = \"\"; } );",
                "pinhole.conf:2: clients.purpose is \"\", expected 1 to 200 printable characters that say why it needs access"
            ),
            (
                "clients = ( { name = \"usb\"; purpose = \"  \"; } );",
                "pinhole.conf:1: clients.purpose is \"  \", expected 1 to 200 printable characters that say why it needs access"
            ),
            (
                "clients = ( { purpose = \"x\"; } );",
                "pinhole.conf:1: clients.name is missing, expected 1 to 64 of the characters a-z 0-9 . _ : -"
            ),
            (
                "clients = ( { name = \"USB 1\"; purpose = \"x\"; } );",
                "pinhole.conf:1: clients.name is \"USB 1\", expected 1 to 64 of the characters a-z 0-9 . _ : -"
            ),
            (
                "clients = ( { name = \"console\"; purpose = \"x\"; } );",
                "pinhole.conf:1: client console is built in; choose another name"
            ),
            (
                "clients = ( { name = \"a\"; purpose = \"x\"; },\n { name = \"a\"; purpose = \"y\"; } );",
                "pinhole.conf:2: client a is given twice"
            ),
            (
                "clients = ( { name = \"a\"; purpose = \"x\"; access = \"all\"; } );",
                "pinhole.conf:1: clients.access is \"all\", expected ask, none, add-only, limited or full"
            ),
            (
                "clients = ( { name = \"a\"; purpose = \"x\"; on_hold = true; } );",
                "pinhole.conf:1: clients.on_hold is true, expected limited or full"
            ),
            (
                "clients = ( { name = \"a\"; purpose = \"x\"; onhold = \"full\"; } );",
                "pinhole.conf:1: there is no setting clients.onhold; did you mean clients.on_hold?"
            ),
            (
                "clients = ( { name = \"a\"; purpose = { b = 1; }; } );",
                "pinhole.conf:1: clients.purpose is a group, expected 1 to 200 printable characters that say why it needs access"
            ),
            (
                "clients: { name = \"a\"; };",
                "pinhole.conf:1: clients is a group, expected a list of groups ( { name = …; purpose = …; }, … )"
            ),
            (
                "clients = \"usb\";",
                "pinhole.conf:1: clients is \"usb\", expected a list of groups ( { name = …; purpose = …; }, … )"
            ),
            (
                "clients = ( \"usb\" );",
                "pinhole.conf:1: clients has \"usb\", expected a list of groups ( { name = …; purpose = …; }, … )"
            ),
            (
                "client = ( );", "pinhole.conf:1: there is no setting client"
            ),
        ])
    func refusals(text: String, sentence: String) {
        #expect(ConfigurationReadingTests.refusal(text) == sentence)
    }

    @Test("a purpose may be 200 characters long, whatever their size, and no longer")
    func length() throws {
        func text(_ count: Int) -> String {
            "clients = ( { name = \"a\"; purpose = \"\(String(repeating: "é", count: count))\"; } );"
        }
        #expect(try Self.clients(text(200)).count == 1)
        #expect(throws: ConfigurationError.self) { try Self.clients(text(201)) }
    }

    @Test("clients and their keys cannot be set while the camera runs")
    func notSettable() {
        #expect(
            SettingsTests.refusal("clients.access", "full")?.hasPrefix("there is no setting clients.access") == true)
    }
}
