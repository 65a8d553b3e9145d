import Foundation
import Glibc
import Panel
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import GPIOPanel

/// A line whose edges a test writes; its descriptor is readable while some wait, as the kernel's is.
private final class ScriptedLine: InputLine {
    private struct State {
        var waiting: [InputEdges] = []
        var level = false
        var isGone = false
        var whenGone: (@Sendable () -> Void)?
    }

    private let ends: (reading: Int32, writing: Int32)
    private let state = Mutex(State())

    init() {
        var pair: [Int32] = [0, 0]
        #expect(pipe(&pair) == 0 && fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0)
        ends = (pair[0], pair[1])
    }

    /// Called once the descriptors are closed; set before the line is used.
    var whenGone: (@Sendable () -> Void)? {
        get { state.withLock { $0.whenGone } }
        set { state.withLock { $0.whenGone = newValue } }
    }

    deinit {
        close(ends.reading)
        close(ends.writing)
        whenGone?()
    }

    var descriptor: Int32 { ends.reading }

    func send(_ edges: [InputEdges.Edge], didLose: Bool = false, level: Bool) {
        state.withLock {
            $0.waiting.append(InputEdges(edges: edges, didLose: didLose))
            $0.level = level
        }
        signal()
    }

    func vanish() {
        state.withLock { $0.isGone = true }
        signal()
    }

    private func signal() {
        var byte: UInt8 = 1
        #expect(write(ends.writing, &byte, 1) == 1)
    }

    func read() throws(SystemError) -> InputEdges {
        var byte: UInt8 = 0
        _ = Glibc.read(ends.reading, &byte, 1)
        let found: InputEdges? = state.withLock { state in
            if state.isGone { return nil }
            return state.waiting.isEmpty ? InputEdges(edges: [], didLose: false) : state.waiting.removeFirst()
        }
        guard let found else { throw SystemError(code: ENODEV, operation: "read the GPIO line") }
        return found
    }

    func level() throws(SystemError) -> Bool {
        let level: Bool? = state.withLock { $0.isGone ? nil : $0.level }
        guard let level else { throw SystemError(code: ENODEV, operation: "read the GPIO line") }
        return level
    }
}

/// The events that buttons report; a test can wait for them.
private final class ReportedEvents: Sendable {
    private let stream: AsyncStream<GPIOButtons.Event>
    private let continuation: AsyncStream<GPIOButtons.Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: GPIOButtons.Event.self) }

    func add(_ event: GPIOButtons.Event) { continuation.yield(event) }

    /// The next events that nobody has waited for yet.
    func next(_ count: Int) async -> [GPIOButtons.Event] {
        var found: [GPIOButtons.Event] = []
        var iterator = stream.makeAsyncIterator()
        while found.count < count, let event = await iterator.next() { found.append(event) }
        return found
    }
}

@Suite("The buttons of a board", .timeLimit(.minutes(10)))
struct GPIOButtonsTests {
    private let loop: EventLoop
    private let time = ScriptedTime()
    private let reported = ReportedEvents()

    init() throws {
        loop = try EventLoop()
        try loop.start()
    }

    private func edge(_ isActive: Bool, _ milliseconds: Int64) -> InputEdges.Edge {
        InputEdges.Edge(time: MonotonicTime(nanoseconds: milliseconds * 1_000_000), isActive: isActive)
    }

    @Test("edges come in order with the kernel's times")
    func edges() async throws {
        defer { loop.stop() }
        let line = ScriptedLine()
        let buttons = GPIOButtons(loop: loop, time: time, open: { _ in line }, report: { reported.add($0) })
        buttons.start([.shutter])
        line.send([edge(true, 10), edge(false, 12)], level: false)
        line.send([edge(true, 13)], level: true)
        let events = await reported.next(4)
        #expect(Set(events.map(kind)) == ["level", "edge"])
        let edges = events.compactMap { if case .edge(let edge) = $0 { edge } else { nil } }
        #expect(edges.map(\.isActive) == [true, false, true])
        #expect(edges.map { $0.time.nanoseconds / 1_000_000 } == [10, 12, 13])
        await buttons.stop()
    }

    @Test("after lost edges the level is read")
    func overflow() async throws {
        defer { loop.stop() }
        let line = ScriptedLine()
        let buttons = GPIOButtons(loop: loop, time: time, open: { _ in line }, report: { reported.add($0) })
        buttons.start([.shutter])
        _ = await reported.next(1)
        line.send([edge(false, 20)], didLose: true, level: true)
        let events = await reported.next(2)
        guard case .levelRead(let level) = events[1] else {
            Issue.record("no level was read: \(events)")
            return
        }
        #expect(level.isActive && level.line == .shutter)
        await buttons.stop()
    }

    @Test("a chip that vanishes is reported with the button released, and is opened again when it is back")
    func vanished() async throws {
        defer { loop.stop() }
        let lines = Mutex<[ScriptedLine]>([ScriptedLine(), ScriptedLine()])
        let first = lines.withLock { $0[0] }
        let tries = Mutex(0)
        let open: @Sendable (ButtonLine) throws(SystemError) -> any InputLine = { _ throws(SystemError) in
            let attempt = tries.withLock { tries in
                tries += 1
                return tries
            }
            if attempt == 2 { throw SystemError(code: ENOENT, operation: "open", path: "/dev/gpiochip9") }
            return lines.withLock { $0[attempt == 1 ? 0 : 1] }
        }
        // Real time is far ahead of this clock, so that a retry is due at once.
        let buttons = GPIOButtons(loop: loop, time: time, open: open, report: { reported.add($0) })
        buttons.start([.focus])
        _ = await reported.next(1)
        first.vanish()
        #expect(await reported.next(4).map(kind) == ["level", "lost", "returned", "level"])
        #expect(tries.withLock { $0 } == 3)
        await buttons.stop()
    }

    @Test("a line that cannot be opened is reported and tried again; the others work meanwhile")
    func missing() async throws {
        defer { loop.stop() }
        let tries = Mutex(0)
        let open: @Sendable (ButtonLine) throws(SystemError) -> any InputLine = { line throws(SystemError) in
            guard line == .focus else { return ScriptedLine() }
            let attempt = tries.withLock { tries in
                tries += 1
                return tries
            }
            if attempt == 1 { throw SystemError(code: EBUSY, operation: "watch the GPIO line", path: "gpiochip0:3") }
            return ScriptedLine()
        }
        let buttons = GPIOButtons(loop: loop, time: time, open: open, report: { reported.add($0) })
        buttons.start([.shutter, .focus])
        let events = await reported.next(4)
        #expect(events.map(kind).sorted() == ["level", "level", "lost", "returned"])
        let lost = SystemError(code: EBUSY, operation: "watch the GPIO line", path: "gpiochip0:3")
        #expect(events.contains(.lost(.focus, lost)))
        await buttons.stop()
    }

    @Test("before it gives its level, a line reports the edges that wait")
    func level() async throws {
        defer { loop.stop() }
        let line = ScriptedLine()
        let buttons = GPIOButtons(loop: loop, time: time, open: { _ in line }, report: { reported.add($0) })
        buttons.start([.shutter])
        _ = await reported.next(1)
        let level = await withCheckedContinuation { continuation in
            loop.post {
                // On the loop's thread, so that the loop itself has not read them.
                line.send([edge(true, 10)], level: true)
                // More than one read brings.
                line.send([edge(false, 12)], level: true)
                continuation.resume(returning: buttons.level(.shutter))
            }
        }
        #expect(level == true)
        #expect(await reported.next(2).map(kind) == ["edge", "edge"])
        await buttons.stop()
    }

    @Test("lines are no longer watched before their descriptors go")
    func stopping() async throws {
        defer { loop.stop() }
        // Whoever opens something just then gets the same number.
        var pair: [Int32] = [0, 0]
        try #require(pipe(&pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        let (reached, continuation) = AsyncStream.makeStream(of: Void.self)
        let (loop, reported, reading) = (loop, reported, pair[0])
        let line = Mutex<ScriptedLine?>(ScriptedLine())
        let number = line.withLock { $0?.descriptor ?? -1 }
        line.withLock { line in
            line?.whenGone = {
                #expect(dup2(reading, number) == number)
                let isWatched = (try? loop.register(number, .read) { _ in continuation.finish() }) != nil
                #expect(isWatched)
            }
        }
        let buttons = GPIOButtons(
            loop: loop, time: time,
            open: { _ throws(SystemError) in
                guard let line = line.withLock({ $0.take() }) else {
                    throw SystemError(code: EBUSY, operation: "watch the GPIO line")
                }
                return line
            }, report: { reported.add($0) })
        buttons.start([.shutter])
        _ = await reported.next(1)
        await buttons.stop()
        #expect(write(pair[1], [1], 1) == 1)
        for await _ in reached {}
        close(number)
    }

    private func kind(_ event: GPIOButtons.Event) -> String {
        switch event {
        case .edge: "edge"
        case .levelRead: "level"
        case .lost: "lost"
        case .returned: "returned"
        }
    }
}

@Suite("GPIO addresses and LEDs")
struct GPIOAddressTests {
    @Test("a line is named, or placed by chip and offset")
    func addresses() {
        #expect(GPIOLineAddress("GPIO17") == .name("GPIO17"))
        #expect(GPIOLineAddress("gpiochip0:17") == .place(chip: "/dev/gpiochip0", offset: 17))
        #expect(GPIOLineAddress("/dev/gpiochip4:2") == .place(chip: "/dev/gpiochip4", offset: 2))
    }

    @Test(
        "what is no address is refused",
        arguments: ["", "a b", "gpiochip0:", "gpiochip0:x", "../etc:3", "gpiochip0/../mem:1", "a:b:c", "mem:3"])
    func noAddresses(_ text: String) {
        #expect(GPIOLineAddress(text) == nil)
    }

    @Test("a line that no chip has is an error that names it")
    func missing() {
        #expect(throws: SystemError(code: ENOENT, operation: "find the GPIO line", path: "NO-SUCH-LINE")) {
            try GPIOLineAddress.name("NO-SUCH-LINE").located()
        }
    }

    @Test("an LED of the kernel's class loses its trigger, follows the brightness and ends dark")
    func ledClass() throws {
        let folder = NSTemporaryDirectory() + "pinhole-led-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/ACT", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, content) in [("max_brightness", "255\n"), ("brightness", "0\n"), ("trigger", "[mmc0]\n")] {
            try content.write(toFile: folder + "/ACT/" + name, atomically: false, encoding: .utf8)
        }
        func brightness() throws -> Int? {
            let text = try String(contentsOfFile: folder + "/ACT/brightness", encoding: .utf8)
            return text.split(separator: "\n").first.flatMap { Int($0) }
        }
        var light: LEDClassLight? = try LEDClassLight(name: "ACT", folder: folder)
        #expect(try String(contentsOfFile: folder + "/ACT/trigger", encoding: .utf8).hasPrefix("none\n"))
        light?.set(1)
        #expect(try brightness() == 255)
        light?.set(0.001)
        #expect(try brightness() == 1)
        light = nil
        #expect(try brightness() == 0)
        #expect(throws: SystemError.self) { try LEDClassLight(name: "none", folder: folder) }
    }
}
