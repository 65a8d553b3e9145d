import Platform
import Testing

@testable import Photos

@Suite("Queue of prompts")
struct PromptQueueTests {
    typealias Queue = PromptQueue

    static func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1_000_000_000)) }

    static func prompt(_ number: Int, _ client: String = "usb", _ subject: AccessQuestion.Subject = .access(.readWrite))
        -> AccessQuestion
    {
        AccessQuestion(number: number, client: client, subject: subject, purpose: "copies photos")
    }

    /// A queue that shows the first of these questions, asked at 0 s.
    static func asked(_ prompts: AccessQuestion...) -> Queue {
        var queue = Queue()
        for prompt in prompts { _ = queue.handle(.asked(prompt, at: at(0))) }
        return queue
    }

    @Test("a question is shown at once, and a hold of the button allows it")
    func held() {
        var queue = Queue()
        let prompt = Self.prompt(1)
        #expect(queue.handle(.asked(prompt, at: Self.at(0))) == [.show(prompt)])
        #expect(queue.shown == prompt && queue.nextDeadline == Self.at(30))
        #expect(
            queue.handle(.answered(1, .allowed, at: Self.at(5))) == [
                .hide(prompt, .answered(.allowed)), .end(1, .answered(.allowed)),
            ])
        #expect(queue.shown == nil && queue.nextDeadline == nil)
    }

    @Test("one prompt is shown at a time, in the order they were asked")
    func order() {
        let deletion = Self.prompt(2, "share:anna", .deletion(count: 3))
        let access = Self.prompt(3, "web:1", .access(.addOnly))
        var queue = Self.asked(Self.prompt(1), deletion, access)
        #expect(
            queue.handle(.answered(1, .allowed, at: Self.at(5))) == [
                .hide(Self.prompt(1), .answered(.allowed)), .end(1, .answered(.allowed)), .show(deletion),
            ])
        #expect(
            queue.handle(.withdrawn([2], at: Self.at(6))) == [
                .hide(deletion, .withdrawn), .end(2, .withdrawn), .show(access),
            ])
    }

    @Test(
        "without an answer access ends after 30 s and a deletion after 20 s, counted from being shown",
        arguments: [
            (AccessQuestion.Subject.access(.addOnly), 30.0), (.access(.readWrite), 30), (.deletion(count: 2), 20),
        ])
    func timeOut(subject: AccessQuestion.Subject, seconds: Double) {
        let late = Self.prompt(2, "web:1", subject)
        var queue = Self.asked(Self.prompt(1), late)
        _ = queue.handle(.answered(1, .allowed, at: Self.at(10)))
        #expect(queue.nextDeadline == Self.at(10 + seconds))
        #expect(queue.handle(.time(Self.at(9.999 + seconds))) == [])
        #expect(
            queue.handle(.time(Self.at(10 + seconds))) == [
                .hide(late, .answered(.unanswered)), .end(2, .answered(.unanswered)),
            ])
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
            #expect(refused == [.end(100 + id, .answered(.unanswered))])
            now += pause
        }
    }

    @Test("another client is not quiet, and one that was answered begins with a minute again")
    func quietEnds() {
        var queue = Self.asked(Self.prompt(1))
        _ = queue.handle(.time(Self.at(30)))
        let other = Self.prompt(2, "web:1")
        #expect(queue.handle(.asked(other, at: Self.at(31))) == [.show(other)])
        _ = queue.handle(.answered(2, .allowed, at: Self.at(32)))
        _ = queue.handle(.asked(Self.prompt(3), at: Self.at(100)))
        _ = queue.handle(.answered(3, .allowed, at: Self.at(101)))
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
                .hide(Self.prompt(1), .answered(.unanswered)), .end(1, .answered(.unanswered)),
                .end(2, .answered(.unanswered)),
                .show(other),
            ])
    }

    @Test("two deletions of a client are two questions, even of as many photos")
    func deletions() {
        let (first, second) = (Self.prompt(1, "usb", .deletion(count: 1)), Self.prompt(2, "usb", .deletion(count: 1)))
        var queue = Self.asked(first, second)
        #expect(
            queue.handle(.answered(1, .allowed, at: Self.at(5))) == [
                .hide(first, .answered(.allowed)), .end(1, .answered(.allowed)), .show(second),
            ])
    }

    @Test("an answer to a question that waits, or has ended, changes nothing", arguments: [2, 3])
    func otherNumber(number: Int) {
        var queue = Self.asked(Self.prompt(1), Self.prompt(2, "web:1"))
        #expect(queue.handle(.answered(number, .allowed, at: Self.at(5))) == [])
        #expect(queue.shown == Self.prompt(1))
    }

    @Test(
        "a level or a refusal ends the shown question alone, with that outcome",
        arguments: [AccessAnswer.granted(.full), .refused])
    func answers(answer: AccessAnswer) {
        let deletion = Self.prompt(2, "usb", .deletion(count: 1))
        var queue = Self.asked(Self.prompt(1), deletion)
        #expect(
            queue.handle(.answered(1, answer, at: Self.at(5))) == [
                .hide(Self.prompt(1), .answered(answer)), .end(1, .answered(answer)), .show(deletion),
            ])
    }

    @Test("an early end without an answer has the same consequences as the end of the time")
    func unansweredEarly() {
        var queue = Self.asked(Self.prompt(1), Self.prompt(2, "usb", .deletion(count: 1)))
        #expect(
            queue.handle(.answered(1, .unanswered, at: Self.at(5))) == [
                .hide(Self.prompt(1), .answered(.unanswered)), .end(1, .answered(.unanswered)),
                .end(2, .answered(.unanswered)),
            ])
        #expect(queue.handle(.asked(Self.prompt(3), at: Self.at(64))) == [.end(3, .answered(.unanswered))])
        #expect(queue.handle(.asked(Self.prompt(4), at: Self.at(65))) == [.show(Self.prompt(4))])
    }

    @Test("an answer that comes when the time of its question is over does not answer the next one")
    func lateHold() {
        let next = Self.prompt(2, "web:1")
        var queue = Self.asked(Self.prompt(1), next)
        #expect(
            queue.handle(.answered(1, .allowed, at: Self.at(30))) == [
                .hide(Self.prompt(1), .answered(.unanswered)), .end(1, .answered(.unanswered)), .show(next),
            ])
        #expect(queue.shown == next)
    }

    @Test("permission to see photos also answers whether the client may add some")
    func impliedAccess() {
        let adding = Self.prompt(2, "usb", .access(.addOnly))
        var queue = Self.asked(Self.prompt(1), adding)
        #expect(
            queue.handle(.answered(1, .allowed, at: Self.at(1))) == [
                .hide(Self.prompt(1), .answered(.allowed)), .end(1, .answered(.allowed)), .end(2, .answered(.allowed)),
            ])
        queue = Self.asked(adding, Self.prompt(3))
        #expect(queue.handle(.answered(2, .allowed, at: Self.at(1))).last == .show(Self.prompt(3)))
    }

    @Test("a console allows what is shown, or grants a level to all that it covers")
    func consoleAllows() {
        let shown = Self.prompt(1)
        var queue = Self.asked(shown)
        let plain = queue.handle(.allowed(client: "usb", nil, at: Self.at(1)))
        #expect(plain == [.hide(shown, .answered(.allowed)), .end(1, .answered(.allowed))])

        queue = Self.asked(shown, Self.prompt(2, "usb", .access(.addOnly)))
        #expect(
            queue.handle(.allowed(client: "usb", .addOnly, at: Self.at(1))) == [.end(2, .answered(.granted(.addOnly)))])
        #expect(
            queue.handle(.allowed(client: "usb", .full, at: Self.at(2))) == [
                .hide(shown, .answered(.granted(.full))), .end(1, .answered(.granted(.full))),
            ])
    }

    @Test("a level granted while a deletion is shown does not allow the deletion")
    func levelIsNoDeletion() {
        let deletion = Self.prompt(1, "usb", .deletion(count: 9))
        var queue = Self.asked(deletion)
        #expect(
            queue.handle(.allowed(client: "usb", .full, at: Self.at(1))) == [.grant(client: "usb", .full)])
        #expect(queue.shown == deletion)
        #expect(queue.handle(.allowed(client: "usb", nil, at: Self.at(2))).last == .end(1, .answered(.allowed)))
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
                .hide(Self.prompt(1), .answered(.refused)), .end(1, .answered(.refused)), .end(2, .answered(.refused)),
            ])
        #expect(queue.handle(.denied(client: "usb", at: Self.at(1))) == [.grant(client: "usb", .nothing)])
    }

    @Test("at most 64 questions wait; a further one ends unanswered at once")
    func crowded() {
        var queue = Queue()
        for id in 0..<Queue.waitingLimit { _ = queue.handle(.asked(Self.prompt(id), at: Self.at(0))) }
        let more = queue.handle(.asked(Self.prompt(1000, "web:1"), at: Self.at(0)))
        #expect(more == [.end(1000, .answered(.unanswered))])
    }
}
