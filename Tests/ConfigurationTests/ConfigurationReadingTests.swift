import Glibc
import Testing

@testable import Configuration

@Suite("Reading a configuration")
struct ConfigurationReadingTests {
    static func parse(_ text: String) throws(ConfigurationError) -> CameraConfiguration {
        try CameraConfiguration.parse(
            Array(text.utf8), over: CameraConfiguration(schema: .withDoor), file: "pinhole.conf")
    }

    static func refusal(_ text: String) -> String? {
        do {
            _ = try parse(text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("an empty file gives the defaults")
    func emptyFile() throws {
        #expect(try Self.parse("") == CameraConfiguration(schema: .withDoor))
        #expect(CameraConfiguration().photo.quality == 93)
    }

    @Test("what a file names is taken, and the rest keeps its default")
    func settings() throws {
        let configuration = try Self.parse(
            """
            // several ways to write the same
            photo: { quality = 80; thumbnail = FALSE; };
            camera = {
                model : "Box \\"No. 1\\""   # with quotation marks
                exposure_time_us = 0x10
                exposure_bias = -1
            }
            button: { burst_hold_ms = 1000L; };
            position: { latitude = 47; longitude = 8.5; }
            clock: { zone = "America/Argentina/Buenos_Aires"; }
            door: { mode = "mass-storage"; address = "127.0.0.1:15740"; share = true; limit = 2; rate = 0; }
            """)
        var expected = CameraConfiguration(schema: .withDoor)
        expected.photo.quality = 80
        expected.photo.hasThumbnail = false
        expected.camera.model = "Box \"No. 1\""
        expected.camera.exposureTime = .microseconds(16)
        expected.camera.exposureBias = -1
        expected.button.burstHold = .seconds(1)
        expected.position.latitude = 47
        expected.position.longitude = 8.5
        expected.clock.zone = "America/Argentina/Buenos_Aires"
        expected = expected.setting([
            "door.mode": .text("mass-storage"), "door.address": .text("127.0.0.1:15740"), "door.share": .flag(true),
            "door.limit": .integer(2), "door.rate": .number(0),
        ])
        #expect(configuration == expected)
        #expect(configuration.text(.doorMode) == "mass-storage" && configuration.flag(.doorShare))
        #expect(configuration.integer(.doorLimit) == 2 && configuration.number(.doorRate) == 0)
    }

    @Test(
        "a refusal names file, line, key and what was expected",
        arguments: [
            (
                "\n\nphoto: {\n  quality = 193;\n}",
                "pinhole.conf:4: photo.quality is 193, expected a whole number from 1 to 100"
            ),
            (
                "door: { mode = \"disk\"; }",
                "pinhole.conf:1: door.mode is \"disk\", expected on, mass-storage or off"
            ),
            (
                "photo: { quality = 93.0; }",
                "pinhole.conf:1: photo.quality is 93.0, expected a whole number from 1 to 100"
            ),
            (
                "photo: { quality = \"93\"; }",
                "pinhole.conf:1: photo.quality is \"93\", expected a whole number from 1 to 100"
            ),
            (
                "photo: { quality = [93]; }",
                "pinhole.conf:1: photo.quality is a list, expected a whole number from 1 to 100"
            ),
            (
                "photo: { quality = ( ); }",
                "pinhole.conf:1: photo.quality is a list, expected a whole number from 1 to 100"
            ),
            ("photo: { thumbnail = 1; }", "pinhole.conf:1: photo.thumbnail is 1, expected true or false"),
            ("photo: { thumbnail: { a = 1; } }", "pinhole.conf:1: photo.thumbnail is a group, expected true or false"),
            ("photo = 3;", "pinhole.conf:1: photo is 3, expected a group { … }"),
            (
                "log: { level = \"loud\"; }",
                "pinhole.conf:1: log.level is \"loud\", expected debug, info, warning or error"
            ),
            (
                "capture: { buffers = 2; }",
                "pinhole.conf:1: capture.buffers is 2, expected a whole number from 3 to 32, or 0 for 4 on boards with up to 512 MiB of memory and 6 above"
            ),
            (
                "camera: { exposure_bias = 1e999; }",
                "pinhole.conf:1: camera.exposure_bias is inf, expected a number from -8 to 8"
            ),
            (
                "camera: { make = \"a\\nb\"; }",
                "pinhole.conf:1: camera.make is \"a\\nb\", expected text of at most 200 bytes without control characters"
            ),
            (
                "camera: { make = \"\\xff\"; }",
                "pinhole.conf:1: camera.make is text that is not UTF-8, expected text of at most 200 bytes without control characters"
            ),
            (
                "clock: { zone = \"../../etc/passwd\"; }",
                "pinhole.conf:1: clock.zone is \"../../etc/passwd\", expected a time zone such as Europe/Zurich, or empty for the system's time zone"
            ),
            (
                "photo: {\n qualty = 93; }",
                "pinhole.conf:2: there is no setting photo.qualty; did you mean photo.quality?"
            ),
            (
                "foto: { quality = 93; }",
                "pinhole.conf:1: there is no setting foto.quality; did you mean photo.quality?"
            ),
            ("quality = 93;", "pinhole.conf:1: there is no setting quality"),
            (
                "door: { adress = \"\"; }",
                "pinhole.conf:1: there is no setting door.adress; did you mean door.address?"
            ),
            ("photo: { xyzzy = 93; }", "pinhole.conf:1: there is no setting photo.xyzzy"),
            ("photo: { quality = 93; quality = 94; }", "pinhole.conf:1: this setting is given twice"),
            ("photo: { quality = 93; }\nphoto: { orientation = 1; }", "pinhole.conf:2: this setting is given twice"),
            ("photo: {\n quality = ; }", "pinhole.conf:2: not understood; a setting is written name = value;"),
            ("photo: { thumbnail = yes; }", "pinhole.conf:1: not understood; a setting is written name = value;"),
            (
                "\n  @include \"/etc/passwd\"\n",
                "pinhole.conf:2: @include is not supported; put all settings in one file"
            ),
            ("\n/* open", "pinhole.conf:2: this comment is not closed"),
            ("camera: {\n make = \"open;\n}\n", "pinhole.conf:2: this text has no closing quotation mark"),
            ("capture: { backlog_mb = 4294967360; }", "pinhole.conf:1: 4294967360 is too large a number"),
            ("capture: { backlog_mb = -4294967232; }", "pinhole.conf:1: -4294967232 is too large a number"),
            ("capture: { backlog_mb = 0x100000040; }", "pinhole.conf:1: 0x100000040 is too large a number"),
            (
                "capture: { backlog_mb = 18446744073709551680L; }",
                "pinhole.conf:1: 18446744073709551680L is too large a number"
            ),
            (
                "capture: { backlog_mb = 4294967360L; }",
                "pinhole.conf:1: capture.backlog_mb is 4294967360, expected a whole number from 8 to 4096"
            ),
            ("a = (((((((((((((((((", "pinhole.conf:1: brackets are nested too deeply"),
            ("\n\u{0}", "pinhole.conf:2: the file contains a zero byte"),
        ])
    func refusals(text: String, sentence: String) {
        #expect(Self.refusal(text) == sentence)
    }

    @Test("comments and texts may hold what is refused elsewhere")
    func commentsAndTexts() throws {
        let configuration = try Self.parse(
            """
            # 99999999999999 @include "x" /* "
            // "
            /* 99999999999999 "
            camera: { make = "unread"; } */
            camera: { make = "# 99999999999999 /* \\" @include"; model = "x" " y"; }
            """)
        #expect(configuration.camera.make == "# 99999999999999 /* \" @include")
        #expect(configuration.camera.model == "x y")
    }

    @Test("a refusal lists every problem of a file, in file order")
    func allProblems() {
        #expect(
            Self.refusal("photo: { quality = 0; }\nlens: { fnumber = 2.8; }\nlog: { level = \"info\"; }") == """
                pinhole.conf:1: photo.quality is 0, expected a whole number from 1 to 100
                pinhole.conf:2: there is no setting lens.fnumber; did you mean lens.f_number?
                """)
    }

    @Test("bytes that are not UTF-8 are refused")
    func notText() {
        #expect(throws: ConfigurationError.self) {
            try CameraConfiguration.parse([0x61, 0xFF, 0xFE], file: "x")
        }
    }

    @Test("a file over the limit is refused with a sentence")
    func tooLong() {
        let files = MemoryFiles()
        files.put("/etc/pinhole.conf", String(repeating: "#", count: 65_537))
        do {
            _ = try CameraConfiguration.load(path: "/etc/pinhole.conf", files: files)
            Issue.record("a file of 65,537 bytes was taken")
        } catch {
            #expect(error.description == "/etc/pinhole.conf: the file is longer than 65536 bytes")
        }
    }

    @Test("a file that is not there is refused with the path")
    func missing() {
        do {
            _ = try CameraConfiguration.load(path: "/etc/pinhole.conf", files: MemoryFiles())
            Issue.record("a missing file was read")
        } catch {
            #expect(error.description == "/etc/pinhole.conf: it cannot be read: No such file or directory")
        }
    }

    @Test(
        "each key takes the ends of its range and refuses what is just outside",
        arguments: ConfigurationSchema.withDoor.keys.map(\.path))
    func ranges(path: String) throws {
        let key = try #require(ConfigurationSchema.withDoor.key(path))
        func isTaken(_ value: ConfigurationValue) -> Bool {
            guard let configuration = try? Self.parse("\(key.group): { \(key.name) = \(value.fileText); }") else {
                return false
            }
            return key.value(in: configuration) == value
        }
        switch key.kind {
        case .integer(let range, let zero):
            #expect(isTaken(.integer(range.lowerBound)) && isTaken(.integer(range.upperBound)))
            #expect(!isTaken(.integer(range.upperBound + 1)) && !isTaken(.integer(-1)))
            #expect(isTaken(.integer(0)) == (zero != nil))
        case .number(let range):
            #expect(isTaken(.number(range.lowerBound)) && isTaken(.number(range.upperBound)))
            #expect(!isTaken(.number(range.lowerBound.nextDown)) && !isTaken(.number(range.upperBound + 0.1)))
        case .flag:
            #expect(isTaken(.flag(true)) && isTaken(.flag(false)) && !isTaken(.text("true")))
        case .text(let limit):
            #expect(isTaken(.text(String(repeating: "x", count: limit))) && isTaken(.text("Zoë \\ \"")))
            #expect(!isTaken(.text(String(repeating: "x", count: limit + 1))))
        case .choice(let words):
            for word in words { #expect(isTaken(.text(word))) }
            #expect(!isTaken(.text(words[0] + "x")) && !isTaken(.text("")))
        case .zone:
            for zone in ["", "UTC", "Etc/GMT+5", "Europe/Zurich"] { #expect(isTaken(.text(zone))) }
            for zone in ["/etc", "a//b", "a/../b", ".", "a b", "a/"] { #expect(!isTaken(.text(zone))) }
        case .listenAddress:
            for address in ["", "127.0.0.1:15740", "[::1]:0"] { #expect(isTaken(.text(address))) }
            for address in ["15740", "localhost:15740", "127.0.0.1", "::1:1"] { #expect(!isTaken(.text(address))) }
        case .clientName, .purpose:
            Issue.record("only clients have these")
        }
    }

    @Test("each path is there once, in its group, and the groups stand together")
    func table() {
        let keys = ConfigurationSchema.withDoor.keys
        let paths = keys.map(\.path)
        #expect(Set(paths).count == paths.count)
        #expect(paths.allSatisfy { $0.split(separator: ".").count == 2 })
        var groups: [String] = []
        for key in keys where key.group != groups.last { groups.append(key.group) }
        #expect(Set(groups).count == groups.count)
        for key in keys {
            #expect((key.defaultValue == nil) == (key.example != nil), "\(key.path)")
            if let value = key.defaultValue ?? key.example { #expect(key.accepted(value) == value, "\(key.path)") }
        }
    }

    @Test("a door's key has its default while nothing is given, and is unknown without its door")
    func doorKeys() {
        let configuration = CameraConfiguration(schema: .withDoor)
        #expect(configuration.text(.doorMode) == "on" && configuration.text(.doorAddress) == "")
        #expect(!configuration.flag(.doorShare) && configuration.integer(.doorLimit) == nil)
        #expect(configuration.number(.doorRate) == 0.5)
        #expect(throws: ConfigurationError.self) {
            try CameraConfiguration.parse(Array("door: { mode = \"on\"; }".utf8), file: "pinhole.conf")
        }
    }

    @Test(
        "buffers are counted by memory unless they are set",
        arguments: [(0, 512, 4), (0, 513, 6), (0, 8192, 6), (3, 8192, 3)])
    func buffers(configured: Int, mebibytes: Int64, expected: Int) {
        var capture = CameraConfiguration.Capture()
        capture.buffers = configured
        #expect(capture.bufferCount(installedMemory: mebibytes * 1024 * 1024) == expected)
    }
}
