import Console
import Testing

@Suite("Records")
struct RecordTests {
    @Test("each kind of record comes back from its JSON, which is one line", arguments: Examples.all)
    func roundTrip(record: Record) {
        let json = record.json
        #expect(!json.contains("\n"))
        #expect(Record(json: json) == record)
    }

    @Test("a photo has the keys of the contract, null where there is no value, and slashes as they are")
    func photo() {
        var photo = Examples.photo
        photo.lagUs = nil
        photo.durableMs = nil
        #expect(
            Record.photo(photo).json
                == #"{"burst":null,"bytes":4200000,"captured":"2026-11-30T09:15:00.123+01:00","clock_trusted":true,"durable_ms":null,"favorite":false,"height":3040,"id":"0123456789abcdef0123456789abcdef","lag_us":null,"name":"100PINHL/PINH0001.JPG","number":"100-0001","path":"/state/library/DCIM/100PINHL/PINH0001.JPG","resources":[{"bytes":4200000,"name":"100PINHL/PINH0001.JPG","type":"photo"}],"width":4056}"#
        )
    }

    @Test("a status has the keys of the contract")
    func status() {
        #expect(
            Record.status(Examples.status).json
                == #"{"board":"simulated","clients":[{"level":"add-only","name":"shutter","status":"authorized"}],"clock":{"now":"2026-11-30T09:15:00.000+01:00","trusted":false},"door":"open","door_width":2,"led":"ready","library":{"assets":3,"bytes":12600000,"free_bytes":30000000000,"shots_left":7142,"trash":1},"presses_refused":2,"sensor":"simulated","state":"ready","version":"0.1.0","window":null}"#
        )
    }

    @Test("a door's fields keep their names and cannot replace those of the record")
    func doorFields() {
        let record = DoorRecord(["some_name": .integer(1), "camelCase": .null, "message": .null], message: "x")
        #expect(Record.door(record).json == #"{"camelCase":null,"message":"x","some_name":1}"#)
        var status = Examples.status
        status.doors["state"] = .null
        #expect(Record.status(status).json == Record.status(Examples.status).json)
    }

    @Test("an error has Apple's number only where Apple has one")
    func error() {
        #expect(
            Record.error(ErrorRecord(Examples.failure)).json
                == #"{"error":{"apple":3201,"code":"no-such-photo","message":"there is no photo 100-0009: `list` shows all.","retry":false}}"#
        )
        #expect(!Record.error(ErrorRecord(.usage("x"))).json.contains("apple"))
    }

    @Test("an event's fields keep their names and cannot replace its name or time")
    func event() {
        let event = EventRecord(
            .setting, time: "t", fields: ["lag_us": .integer(1), "event": .string("x"), "camelCase": .bool(true)])
        #expect(Record.event(event).json == #"{"camelCase":true,"event":"setting","lag_us":1,"time":"t"}"#)
    }

    @Test("a record with more keys than this version knows is read")
    func newerKeys() {
        #expect(Record(json: #"{"version":"9","zeal":[1]}"#) == .version(VersionRecord(version: "9")))
        let event = Record(json: #"{"event":"eclipse","time":"t","deep":{"a":[1,2.5,null]}}"#)
        guard case .event(let record) = event else {
            Issue.record("not read as an event")
            return
        }
        #expect(record.name == nil)
        #expect(record.fields["deep"] == .fields(["a": .list([.integer(1), .number(2.5), .null])]))
    }

    @Test(
        "what is no record is nothing",
        arguments: [
            "", "{", "null", "[]", "1", #"{"a":1}"#, #"{"resources":1}"#, #"{"event":1,"time":"t"}"#, #"{"exit":0}"#,
        ])
    func noRecord(json: String) {
        #expect(Record(json: json) == nil)
    }

    @Test("a number that is not finite can be written")
    func notFinite() {
        let record = Record.setting(SettingRecord(key: "x", value: .number(.nan), source: "set"))
        #expect(record.json == #"{"key":"x","source":"set","value":"nan"}"#)
    }

    @Test("every error code has an exit status other than done, and an unknown one is internal")
    func exits() {
        for code in FailureCode.allCases {
            #expect(code.exit != .done)
            #expect(CommandFailure(slug: code.rawValue, "x", retry: false).exit == code.exit)
        }
        let unknown = CommandFailure(slug: "brand-new", "x", retry: true)
        #expect(unknown.exit == .internal && unknown.code == "brand-new" && unknown.retry)
    }
}
