import PTP
import PinholeTesting
import Synchronization
import Testing

@Suite("the events of a USB host") struct FunctionFSLinkEventTests {
    let pipes = FakeUSBPipes()
    let link: FunctionFSLink

    init() {
        link = FunctionFSLink(pipes: pipes)
    }

    @Test("events are sent one after another, in order")
    func events() {
        for handle in 1...3 as ClosedRange<UInt32> { link.send(ResponderEvent(.objectAdded, [handle])) }
        #expect(pipes.state.withLock { $0.events.count } == 1)
        link.eventEnded()
        link.eventEnded()
        link.eventEnded()
        let expected = [1, 2, 3].map { USBContainer.bytes(ResponderEvent(.objectAdded, [$0])) }
        #expect(pipes.state.withLock { $0.events } == expected)
        #expect(link.lastEvent == ResponderEvent(.objectAdded, [3]))
    }

    @Test("events that no host reads are bounded, and the host learns that some are missing")
    func boundedEvents() {
        for handle in 0..<5000 as Range<UInt32> { link.send(ResponderEvent(.objectAdded, [handle])) }
        for _ in 0..<6000 { link.eventEnded() }
        let events = pipes.state.withLock { $0.events }
        #expect(events.count < 1100)
        #expect(events.contains(USBContainer.bytes(ResponderEvent(.unreportedStatus))))
        #expect(events.last == USBContainer.bytes(ResponderEvent(.objectAdded, [4999])))
    }

    @Test("after the end no event is sent")
    func noEventsAfterEnd() {
        link.close()
        link.send(ResponderEvent(.storeFull))
        link.eventEnded()
        #expect(pipes.state.withLock { $0.events.isEmpty })
    }
}
