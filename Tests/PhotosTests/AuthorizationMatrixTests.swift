import Platform
import Testing

@testable import Photos

@Suite("What an answer means for both levels")
struct AuthorizationMatrixTests {
    static let selection = AssetIdentifier()
    static let readings: [Grant.Reading?] = [nil, .refused, .selected(selection), .all]
    static let addings: [Bool?] = [nil, false, true]

    private static func statuses(_ grant: Grant) -> [AuthorizationStatus] {
        [grant.status(for: .addOnly), grant.status(for: .readWrite)]
    }

    @Test("before any decision both levels are undecided, and nothing is allowed")
    func undecided() {
        let grant = Grant()
        #expect(Self.statuses(grant) == [.notDetermined, .notDetermined])
        #expect(grant.rights == .none)
        #expect(grant.isUndecided)
    }

    @Test(
        "add-only allowed or refused: authorized or denied, unless reading carries it; reading is unchanged",
        arguments: readings, [true, false])
    func addOnly(reading: Grant.Reading?, isAllowed: Bool) {
        var grant = Grant()
        grant.reading = reading
        let before = grant.status(for: .readWrite)
        if isAllowed { grant.adding = true } else { grant.refuse(.addOnly) }
        #expect(grant.status(for: .readWrite) == before)
        let expected: AuthorizationStatus =
            switch reading {
            case .selected: .limited
            case .all: .authorized
            case .refused, nil: isAllowed ? .authorized : .denied
            }
        #expect(grant.status(for: .addOnly) == expected)
    }

    @Test("selected photos: limited for both, whatever was answered to adding", arguments: addings)
    func selected(adding: Bool?) {
        var grant = Grant()
        grant.adding = adding
        grant.set(.limited, selection: Self.selection)
        #expect(Self.statuses(grant) == [.limited, .limited])
        #expect(grant.rights == Rights(mayAdd: true, visibility: .selection(Self.selection)))
    }

    @Test("all photos: authorized for both, whatever was answered to adding", arguments: addings)
    func all(adding: Bool?) {
        var grant = Grant()
        grant.adding = adding
        grant.set(.full, selection: nil)
        #expect(Self.statuses(grant) == [.authorized, .authorized])
        #expect(grant.rights == .full)
    }

    @Test("reading refused: adding is unchanged, reading is denied", arguments: addings)
    func readingRefused(adding: Bool?) {
        var grant = Grant()
        grant.adding = adding
        let before = grant.status(for: .addOnly)
        grant.refuse(.readWrite)
        #expect(Self.statuses(grant) == [before, .denied])
        #expect(grant.rights == (adding == true ? .addOnly : .none))
    }

    @Test(
        "a level that the configuration fixes is restricted where it gives nothing",
        arguments: [
            (ClientLevel.nothing, AuthorizationStatus.restricted, AuthorizationStatus.restricted),
            (.addOnly, .authorized, .restricted), (.limited, .limited, .limited), (.full, .authorized, .authorized),
        ])
    func fixed(level: ClientLevel, addOnly: AuthorizationStatus, readWrite: AuthorizationStatus) {
        let grant = Grant.fixed(level, selection: Self.selection)
        #expect(Self.statuses(grant) == [addOnly, readWrite])
        #expect(grant.level == level)
        #expect(grant.isFixed)
    }

    @Test("a limited client without a selection sees nothing and may add")
    func noSelectionYet() {
        let rights = Grant.fixed(.limited).rights
        #expect(rights.isLimited)
        #expect(rights.mayAdd)
        #expect(!rights.seesEverything)
    }

    @Test("the owner's add-only takes back higher access, and leaves undecided what was undecided")
    func ownersAddOnly() {
        for reading in Self.readings {
            var grant = Grant()
            grant.reading = reading
            grant.set(.addOnly, selection: nil)
            #expect(Self.statuses(grant) == [.authorized, reading == nil ? .notDetermined : .denied])
            #expect(grant.rights == .addOnly)
        }
    }

    @Test("the owner's refusal denies both")
    func ownersRefusal() {
        for reading in Self.readings {
            var grant = Grant()
            grant.reading = reading
            grant.set(.nothing, selection: nil)
            #expect(Self.statuses(grant) == [.denied, .denied])
        }
    }

    @Test("the numbers are Apple's")
    func numbers() {
        #expect(AccessLevel.allCases.map(\.rawValue) == [1, 2])
        #expect(
            [AuthorizationStatus.notDetermined, .restricted, .denied, .authorized, .limited].map(\.rawValue)
                == [0, 1, 2, 3, 4])
        #expect(PhotosError.cancelled.appleNumber == 3072)
        #expect(PhotosError(.accessRestricted, "").appleNumber == 3310)
        #expect(PhotosError.denied("a", "b").appleNumber == 3311)
    }

    @Test("grants are read back as they were written; a file with any other content is not read")
    func file() throws {
        var grants = RememberedGrants()
        for (index, reading) in Self.readings.enumerated() {
            for adding in Self.addings where adding != nil || reading != nil {
                var grant = Grant()
                (grant.adding, grant.reading) = (adding, reading)
                grants.answers["share:\(index)-\(String(describing: adding))"] = grant
            }
        }
        grants.selections["usb"] = AssetIdentifier()
        let bytes = grants.bytes
        #expect(RememberedGrants(bytes) == grants)
        for length in 0..<bytes.count - 2 { #expect(RememberedGrants(Array(bytes[..<length])) == nil) }
        for text in [
            "[]", "{}", #"{"version":2,"answers":{},"selections":{}}"#,
            #"{"version":1,"answers":{"a":{"reading":"everything"}},"selections":{}}"#,
            #"{"version":1,"answers":{"a":{"reading":"selected"}},"selections":{}}"#,
            #"{"version":1,"answers":{"a":{"reading":"selected","selection":"12"}},"selections":{}}"#,
            #"{"version":1,"answers":{"":{"adding":true}},"selections":{}}"#,
            #"{"version":1,"answers":{},"selections":{"usb":"none"}}"#,
        ] {
            #expect(RememberedGrants(Array(text.utf8)) == nil, "\(text)")
        }
        #expect(RememberedGrants(Array(#"{"version":1,"answers":{},"selections":{}}"#.utf8)) == RememberedGrants())
    }

    @Test("a client needs a purpose, and a name of its own", arguments: ["", "  ", "\n\t"])
    func purpose(text: String) {
        #expect(throws: PhotosError.self) { try ClientPolicy(client: "share", purpose: text) }
        for name in ["", "shutter", "console", "two words", "a\u{7}", String(repeating: "a", count: 101)] {
            #expect(throws: PhotosError.self) { try ClientPolicy(client: name, purpose: "To look.") }
        }
        #expect(throws: Never.self) { try ClientPolicy(client: "share", purpose: "To look.") }
    }
}
