import Panel
import Platform
import Testing

@Suite("Queue of prompts")
struct PromptQueueTests {
    typealias Queue = PromptQueue

    static func at(_ seconds: Double) -> MonotonicTime { ButtonScript.at(seconds * 1000) }

    static func prompt(_ id: Int, _ client: String = "usb", _ subject: Queue.Subject = .access(.readWrite))
        -> Queue.Prompt
    {
        Queue.Prompt(id: id, client: client, subject: subject, purpose: "copies photos")
    }

    /// A queue that shows the first of these questions, asked at 0 s.
    static func asked(_ prompts: Queue.Prompt...) -> Queue {
        var queue = Queue()
        for prompt in prompts { _ = queue.handle(.asked(prompt, at: at(0))) }
        return queue
    }

    @Test("what is asked is shown at once, and a hold allows it")
    func held() {
        var queue = Queue()
        let prompt = Self.prompt(1)
        #expect(queue.handle(.asked(prompt, at: Self.at(0))) == [.show(prompt)])
        #expect(queue.shown == prompt && queue.nextDeadline == Self.at(30))
        #expect(queue.handle(.held(at: Self.at(5))) == [.hide(prompt, .allowed), .answer(id: 1, .allowed)])
        #expect(queue.shown == nil && queue.nextDeadline == nil)
    }

    @Test("one prompt is shown at a time, in the order they were asked")
    func order() {
        let deletion = Self.prompt(2, "share:anna", .deletion(count: 3))
        let access = Self.prompt(3, "web:1", .access(.addOnly))
        var queue = Self.asked(Self.prompt(1), deletion, access)
        #expect(
            queue.handle(.held(at: Self.at(5))) == [
                .hide(Self.prompt(1), .allowed), .answer(id: 1, .allowed), .show(deletion),
            ])
        #expect(
            queue.handle(.withdrawn(client: "share:anna", at: Self.at(6))) == [
                .hide(deletion, .withdrawn), .answer(id: 2, .withdrawn), .show(access),
            ])
    }

    @Test(
        "without an answer access ends after 30 s and a deletion after 20 s, counted from being shown",
        arguments: [(Queue.Subject.access(.addOnly), 30.0), (.access(.readWrite), 30), (.deletion(count: 2), 20)])
    func timeOut(subject: Queue.Subject, seconds: Double) {
        let late = Self.prompt(2, "web:1", subject)
        var queue = Self.asked(Self.prompt(1), late)
        _ = queue.handle(.held(at: Self.at(10)))
        #expect(queue.nextDeadline == Self.at(10 + seconds))
        #expect(queue.handle(.time(Self.at(9.999 + seconds))) == [])
        #expect(
            queue.handle(.time(Self.at(10 + seconds))) == [.hide(late, .unanswered), .answer(id: 2, .unanswered)])
        #expect(queue.handle(.time(Self.at(99))) == [])
    }

    @Test("an unanswered client is quiet for 1, 5, 30 and again 30 minutes")
    func quiet() {
        var queue = Queue()
        var now = 0.0
        for (id, pause) in [60.0, 300, 1800, 1800].enumerated() {
            #expect(queue.handle(.asked(Self.prompt(id), at: Self.at(now))) == [.show(Self.prompt(id))])
            now += 30
            _ = queue.handle(.time(Self.at(now)))
            let refused = queue.handle(.asked(Self.prompt(100 + id), at: Self.at(now + pause - 0.001)))
            #expect(refused == [.answer(id: 100 + id, .unanswered)])
            now += pause
        }
    }

    @Test("another client is not quiet, and one that was answered begins with a minute again")
    func quietEnds() {
        var queue = Self.asked(Self.prompt(1))
        _ = queue.handle(.time(Self.at(30)))
        let other = Self.prompt(2, "web:1")
        #expect(queue.handle(.asked(other, at: Self.at(31))) == [.show(other)])
        _ = queue.handle(.held(at: Self.at(32)))
        _ = queue.handle(.asked(Self.prompt(3), at: Self.at(100)))
        _ = queue.handle(.held(at: Self.at(101)))
        _ = queue.handle(.asked(Self.prompt(4), at: Self.at(102)))
        _ = queue.handle(.time(Self.at(132)))
        #expect(queue.handle(.asked(Self.prompt(5), at: Self.at(192))) == [.show(Self.prompt(5))])
    }

    @Test("when a client becomes quiet, what it still waits for ends with it")
    func quietWithOthersWaiting() {
        let other = Self.prompt(3, "web:1")
        var queue = Self.asked(Self.prompt(1), Self.prompt(2, "usb", .deletion(count: 1)), other)
        #expect(
            queue.handle(.time(Self.at(30))) == [
                .hide(Self.prompt(1), .unanswered), .answer(id: 1, .unanswered), .answer(id: 2, .unanswered),
                .show(other),
            ])
    }

    @Test("the same access asked twice is one prompt with two answers; two deletions are two prompts")
    func coalescing() {
        var queue = Self.asked(Self.prompt(1), Self.prompt(2), Self.prompt(3, "usb", .deletion(count: 1)))
        _ = queue.handle(.asked(Self.prompt(4, "usb", .deletion(count: 1)), at: Self.at(1)))
        #expect(
            queue.handle(.held(at: Self.at(5))) == [
                .hide(Self.prompt(1), .allowed), .answer(id: 1, .allowed), .answer(id: 2, .allowed),
                .show(Self.prompt(3, "usb", .deletion(count: 1))),
            ])
        #expect(
            queue.handle(.held(at: Self.at(10))).suffix(2) == [
                .answer(id: 3, .allowed), .show(Self.prompt(4, "usb", .deletion(count: 1))),
            ])
    }

    @Test("a hold that comes when the prompt has ended does not answer the next one")
    func lateHold() {
        let next = Self.prompt(2, "web:1")
        var queue = Self.asked(Self.prompt(1), next)
        #expect(
            queue.handle(.held(at: Self.at(30))) == [
                .hide(Self.prompt(1), .unanswered), .answer(id: 1, .unanswered), .show(next),
            ])
        #expect(queue.shown == next)
    }

    @Test("whoever is let see photos is not asked any more whether it may add some")
    func impliedAccess() {
        let adding = Self.prompt(2, "usb", .access(.addOnly))
        var queue = Self.asked(Self.prompt(1), adding)
        #expect(
            queue.handle(.held(at: Self.at(1))) == [
                .hide(Self.prompt(1), .allowed), .answer(id: 1, .allowed), .answer(id: 2, .allowed),
            ])
        queue = Self.asked(adding, Self.prompt(3))
        #expect(queue.handle(.held(at: Self.at(1))).last == .show(Self.prompt(3)))
    }

    @Test("a console allows what is shown, or grants a level to all that it covers")
    func consoleAllows() {
        let shown = Self.prompt(1)
        var queue = Self.asked(shown)
        let plain = queue.handle(.allowed(client: "usb", nil, at: Self.at(1)))
        #expect(plain == [.hide(shown, .allowed), .answer(id: 1, .allowed)])

        queue = Self.asked(shown, Self.prompt(2, "usb", .access(.addOnly)))
        #expect(queue.handle(.allowed(client: "usb", .addOnly, at: Self.at(1))) == [.answer(id: 2, .granted(.addOnly))])
        #expect(
            queue.handle(.allowed(client: "usb", .full, at: Self.at(2))) == [
                .hide(shown, .granted(.full)), .answer(id: 1, .granted(.full)),
            ])
    }

    @Test("a level granted while a deletion is shown does not allow the deletion")
    func levelIsNoDeletion() {
        let deletion = Self.prompt(1, "usb", .deletion(count: 9))
        var queue = Self.asked(deletion)
        #expect(
            queue.handle(.allowed(client: "usb", .full, at: Self.at(1))) == [.grant(client: "usb", .full)])
        #expect(queue.shown == deletion)
        #expect(queue.handle(.allowed(client: "usb", nil, at: Self.at(2))).last == .answer(id: 1, .allowed))
    }

    @Test("a client that asks nothing, or waits behind another, is granted the level, add-only when none is given")
    func consoleGrants() {
        var queue = Self.asked(Self.prompt(1, "web:1"))
        #expect(queue.handle(.allowed(client: "usb", nil, at: Self.at(1))) == [.grant(client: "usb", .addOnly)])
        #expect(queue.handle(.allowed(client: "usb", .limited, at: Self.at(1))) == [.grant(client: "usb", .limited)])
        _ = queue.handle(.asked(Self.prompt(2), at: Self.at(2)))
        #expect(queue.handle(.allowed(client: "usb", nil, at: Self.at(3))) == [.grant(client: "usb", .addOnly)])
        #expect(queue.shown?.client == "web:1")
    }

    @Test("a console that refuses ends all that the client asks, and refuses one that asks nothing as well")
    func consoleDenies() {
        var queue = Self.asked(Self.prompt(1), Self.prompt(2, "usb", .deletion(count: 1)))
        #expect(
            queue.handle(.denied(client: "usb", at: Self.at(1))) == [
                .hide(Self.prompt(1), .denied), .answer(id: 1, .denied), .answer(id: 2, .denied),
            ])
        #expect(queue.handle(.denied(client: "usb", at: Self.at(1))) == [.refuse(client: "usb")])
    }

    @Test("no client can make the queue grow without end")
    func crowded() {
        var queue = Queue()
        for id in 0..<Queue.waitingLimit { _ = queue.handle(.asked(Self.prompt(id), at: Self.at(0))) }
        let more = queue.handle(.asked(Self.prompt(1000, "web:1"), at: Self.at(0)))
        #expect(more == [.answer(id: 1000, .unanswered)])
    }
}
