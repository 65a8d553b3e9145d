import Console
import Testing

@Suite("The commands about clients and picks", .timeLimit(.minutes(10)))
struct ClientCommandTests {
    @Test("clients, allow, select, deny and revoke on the console; a client nobody configured is refused")
    func console() async throws {
        let camera = try CameraProcess(
            configuration: """
                simulator : { width = 640; height = 480; frames_per_second = 30.0; };
                clients = ( { name = "share:anna"; purpose = "Anna looks at photos."; } );
                """)
        try camera.start()
        func record(_ words: String...) throws -> ClientRecord? {
            let outcome = try CameraProcess.run(words + ["--state", camera.state, "--json"])
            let clients = outcome.records.compactMap { if case .client(let client) = $0 { client } else { nil } }
            return clients.first { $0.name == "share:anna" }
        }
        #expect(try record("clients")?.status == "not_determined")
        #expect(try record("allow", "share:anna")?.level == "add-only")
        #expect(try record("allow", "share:anna", "limited")?.selected == 0)
        #expect(try camera.command("shoot").status == 0)
        #expect(try record("select", "share:anna", "add", "100-0001")?.selected == 1)
        #expect(try record("deny", "share:anna")?.status == "denied")
        #expect(try record("revoke", "share:anna")?.status == "not_determined")
        #expect(try camera.command("allow", "nobody").status == 77)
        let status = try #require(try camera.status())
        #expect(status.clients.map(\.name) == ["shutter", "console", "ptpip", "share:anna", "usb", "usb-console"])
        #expect(camera.stop() == 0)
    }

    @Test("photos are picked from a shell, in the order typed; an empty choice is a refusal")
    func pick() async throws {
        let camera = try CameraProcess()
        try camera.start()
        #expect(try camera.command("shoot", "--count", "3").status == 0)
        let words = ["pick", "--limit", "0", "--ordered", "--json", "--state", camera.state]
        let picked = try CameraProcess.run(words, input: "3 1\n\n")
        #expect(picked.status == 0)
        #expect(picked.photos.map(\.number) == ["100-0001", "100-0003"])
        #expect(try CameraProcess.run(words, input: "q\n").status == 77)
        #expect(try CameraProcess.run(words, input: "").status == 77)
        #expect(camera.stop() == 0)
    }
}
