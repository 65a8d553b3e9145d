import Console

extension CommandGrammar {
    /// The core commands with those of a door.
    static let withDoor = CommandGrammar(adding: additions)

    private static var additions: Additions {
        var additions = Additions()
        additions.entries = [
            Entry(
                door: "door", usage: ["door [open] [--slow] [--for S].."], summary: "Open the door.",
                options: [
                    Option(name: "--slow", value: nil, summary: "Take time."),
                    Option(name: "--for", value: "S", summary: "Seconds.", isRepeatable: true),
                ], words: 0...1
            ) { (command) throws(CommandFailure) in
                guard command.words.allSatisfy({ $0 == "open" }) else { throw .usage("door: give open or nothing.") }
            }
        ]
        additions.runOptions = [
            SettingOption(
                Option(name: "--knock", value: "ADDRESS", summary: "Where to knock."), key: "door.address")
        ]
        additions.statusRows = [
            StatusRow("door", keys: ["door", "door_width"]) { fields in
                fields["door"].map { "is \($0), \(fields["door_width"]?.description ?? "?") wide" }
            }
        ]
        additions.sensors = [
            SensorForm("fake", "a test picture"), SensorForm("fake", argument: "DIR", "the photographs in a directory"),
        ]
        return additions
    }
}
