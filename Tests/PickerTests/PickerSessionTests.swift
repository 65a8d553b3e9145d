import Testing

@testable import Picker

@Suite struct PickerSessionTests {
    private func ids(_ session: PickerSession) -> [String] { session.choices.map(\.identifier) }

    @Test("photos keep the order in which they were chosen")
    func order() {
        var session = PickerSession(limit: 5)
        #expect(session.handle(.toggle("c")) == [.selected(position: 1)])
        #expect(session.handle(.toggle("a")) == [.selected(position: 2)])
        #expect(session.handle(.toggle("b")) == [.selected(position: 3)])
        #expect(ids(session) == ["c", "a", "b"])
    }

    @Test("a photo let go and chosen again comes last")
    func again() {
        var session = PickerSession(limit: 5)
        for photo in ["a", "b"] { _ = session.handle(.toggle(photo)) }
        #expect(session.handle(.toggle("a")) == [.deselected])
        #expect(session.handle(.toggle("a")) == [.selected(position: 2)])
        #expect(ids(session) == ["b", "a"])
    }

    @Test("what goes beyond the limit is refused and changes nothing")
    func limit() {
        var session = PickerSession(limit: 2)
        for photo in ["a", "b"] { _ = session.handle(.toggle(photo)) }
        #expect(session.handle(.toggle("c")) == [.refused(limit: 2)])
        #expect(ids(session) == ["a", "b"])
        #expect(session.handle(.toggle("a")) == [.deselected])
        #expect(session.handle(.toggle("c")) == [.selected(position: 2)])
    }

    @Test("where one may be chosen, another one takes its place")
    func single() {
        var session = PickerSession(limit: 1)
        _ = session.handle(.toggle("a"))
        #expect(session.handle(.toggle("b")) == [.selected(position: 1)])
        #expect(ids(session) == ["b"])
    }

    @Test("canceling without preselection gives nothing")
    func cancel() {
        var session = PickerSession(limit: 5)
        _ = session.handle(.toggle("a"))
        #expect(session.handle(.cancel) == [.end([])])
    }

    @Test("canceling with preselection gives all the preselected, whatever was toggled")
    func cancelPreselected() {
        var session = PickerSession(limit: 5, preselection: ["a", "gone"], present: ["a"])
        for photo in ["a", "b"] { _ = session.handle(.toggle(photo)) }
        let end = [
            PickerSession.Choice(identifier: "a", isPreselected: true),
            PickerSession.Choice(identifier: "gone", isPreselected: true),
        ]
        #expect(session.handle(.cancel) == [.end(end)])
    }

    @Test("preselected photos count against the limit and stay in front")
    func preselected() {
        var session = PickerSession(limit: 2, preselection: ["a"])
        _ = session.handle(.toggle("b"))
        #expect(session.handle(.toggle("c")) == [.refused(limit: 2)])
        let end = [
            PickerSession.Choice(identifier: "a", isPreselected: true),
            PickerSession.Choice(identifier: "b", isPreselected: false),
        ]
        #expect(session.handle(.finish) == [.end(end)])
    }

    @Test("a continuous picker reports each change, and no refusal")
    func continuous() {
        var session = PickerSession(limit: 2, isContinuous: true)
        let a = PickerSession.Choice(identifier: "a", isPreselected: false)
        let b = PickerSession.Choice(identifier: "b", isPreselected: false)
        #expect(session.handle(.toggle("a")) == [.selected(position: 1), .report([a])])
        #expect(session.handle(.toggle("b")) == [.selected(position: 2), .report([a, b])])
        #expect(session.handle(.toggle("c")) == [.refused(limit: 2)])
        #expect(session.handle(.toggle("a")) == [.deselected, .report([b])])
        #expect(session.handle(.finish) == [.end([b])])
    }

    @Test("after the end nothing follows from anything", arguments: [PickerSession.Event.finish, .cancel])
    func over(_ end: PickerSession.Event) {
        var session = PickerSession(limit: 2)
        #expect(session.handle(end).count == 1)
        for event in [PickerSession.Event.toggle("a"), .finish, .cancel] { #expect(session.handle(event) == []) }
    }
}
