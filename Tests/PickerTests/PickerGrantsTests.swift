import PinholeTesting
import Platform
import Testing

@testable import Picker

@Suite struct PickerGrantsTests {
    private let time = ScriptedTime()
    private let grant = PickerGrants.Grant(assetIdentifier: "a", typeIdentifiers: ["public.jpeg"])

    private func grants(capacity: Int = 100) -> PickerGrants {
        PickerGrants(time: time, lifetime: .seconds(60), capacity: capacity)
    }

    @Test("a token is good once")
    func once() {
        let grants = grants()
        let token = grants.issue(grant)
        #expect(grants.redeem(token) == grant)
        #expect(grants.redeem(token) == nil)
    }

    @Test("a token is good until its time is over, and not at that moment")
    func expiry() {
        let grants = grants()
        let (early, late) = (grants.issue(grant), grants.issue(grant))
        time.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(grants.redeem(early) == grant)
        time.advance(by: .nanoseconds(1))
        #expect(grants.redeem(late) == nil)
    }

    @Test("a token that was refused for being late stays refused when the clock is read again")
    func lateOnce() {
        let grants = grants()
        let token = grants.issue(grant)
        time.advance(by: .seconds(61))
        #expect(grants.redeem(token) == nil)
        #expect(grants.count == 0)
    }

    @Test("a token that was never issued is good for nothing")
    func unknown() {
        let grants = grants()
        let token = grants.issue(grant)
        for text in ["", "0", String(repeating: "0", count: 32), token.text.uppercased() + "0"] {
            #expect(grants.redeem(PickerGrants.Token(text)) == nil)
        }
        #expect(grants.redeem(PickerGrants.Token(token.text)) == grant)
    }

    @Test("tokens are 128 bits, each another one")
    func distinct() {
        let grants = grants(capacity: 1000)
        let tokens = (0..<1000).map { _ in grants.issue(grant).text }
        #expect(Set(tokens).count == 1000)
        #expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
        // Every place takes every digit: nothing of a token is fixed.
        for place in 0..<32 {
            #expect(Set(tokens.map { $0.utf8[$0.utf8.index($0.startIndex, offsetBy: place)] }).count == 16)
        }
    }

    @Test("there are never more tokens than the capacity; the oldest make room")
    func bounded() {
        let grants = grants(capacity: 3)
        let tokens = (0..<5).map { _ in grants.issue(grant) }
        #expect(grants.count == 3)
        #expect(tokens.map { grants.redeem($0) != nil } == [false, false, true, true, true])
    }

    @Test("tokens that ran out are forgotten with the next issue")
    func forgotten() {
        let grants = grants()
        for _ in 0..<10 { _ = grants.issue(grant) }
        time.advance(by: .seconds(60))
        _ = grants.issue(grant)
        #expect(grants.count == 1)
    }
}
