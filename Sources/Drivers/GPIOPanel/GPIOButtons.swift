import Panel
import Platform

/// The buttons of a board: follows their lines and reports every edge with the kernel's time.
///
/// A line that cannot be had, or whose chip vanishes, is asked for again until it is there. After edges were lost the level is read.
///
/// - Isolation: its state belongs to the event loop, where it reports events. Methods without a note may be called from any
///   thread.
package final class GPIOButtons: Sendable {
    /// What happens on the lines.
    package enum Event: Hashable, Sendable {
        /// A button was pressed or released.
        case edge(ButtonEdge)
        /// The level found after edges were lost, or when a line has come back.
        case levelRead(ButtonEdge)
        /// A line cannot be read, and why; it is asked for again until it is there.
        case lost(ButtonLine, SystemError)
        /// It is there again, or for the first time after it was lost.
        case returned(ButtonLine)
    }

    private struct State {
        var lines: [ButtonLine: (line: any InputLine, registration: EventLoop.Registration)] = [:]
        var isStopped = false
    }

    private static let retryInterval = Duration.seconds(2)
    /// Reads in a row; more than the kernel's queue holds.
    private static let readLimit = 64

    private let loop: EventLoop
    private let time: any TimeSource
    private let open: @Sendable (ButtonLine) throws(SystemError) -> any InputLine
    private let report: @Sendable (Event) -> Void
    private let state: LoopConfined<State>

    /// Buttons that are not watched yet.
    ///
    /// - Parameters:
    ///   - open: asks for a line; called again when it was lost.
    ///   - report: receives events on the event loop.
    package init(
        loop: EventLoop, time: any TimeSource,
        open: @escaping @Sendable (ButtonLine) throws(SystemError) -> any InputLine,
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.loop = loop
        self.time = time
        self.open = open
        self.report = report
        state = LoopConfined(State(), to: loop)
    }

    /// Begins to watch lines and reports the level of each.
    package func start(_ lines: [ButtonLine]) {
        loop.post { [self] in
            for line in lines where !state.value.isStopped {
                do throws(SystemError) {
                    try watch(line)
                } catch {
                    report(.lost(line, error))
                    retry(line)
                }
            }
        }
    }

    /// Reports the edges of a line that wait, then returns its level; nil when it cannot be read.
    ///
    /// - Isolation: the event loop.
    package func level(_ line: ButtonLine) -> Bool? {
        read(line)
        guard let input = input(line) else { return nil }
        do throws(SystemError) {
            return try input.level()
        } catch {
            lose(line, error)
            return nil
        }
    }

    /// Releases all lines. No event is reported on the loop afterwards.
    package func stop() async {
        await loop.run { [self] in
            state.value.isStopped = true
            for entry in state.value.lines.values { loop.unregister(entry.registration) }
            // The lines go only now: the number of a closed descriptor may be in use again already.
            state.value.lines = [:]
        }
    }

    // MARK: The loop's thread

    private func watch(_ line: ButtonLine) throws(SystemError) {
        let input = try open(line)
        let registration = try loop.register(input.descriptor, .read) { [weak self] _ in self?.read(line) }
        state.value.lines[line] = (input, registration)
        loop.post { [weak self] in self?.readLevel(line) }
    }

    private func input(_ line: ButtonLine) -> (any InputLine)? { state.value.lines[line]?.line }

    private func read(_ line: ButtonLine) {
        guard let input = input(line) else { return }
        do throws(SystemError) {
            var didLose = false
            // Until none waits, as a level that is read afterwards makes older edges void. A storm may not hold the loop.
            for round in 0..<Self.readLimit {
                let found = try input.read()
                // The descriptor says that something waits, and nothing does: the chip has hung up.
                if found.edges.isEmpty, round == 0 { return _ = try input.level() }
                if found.edges.isEmpty { break }
                for edge in found.edges {
                    report(.edge(ButtonEdge(line: line, isActive: edge.isActive, time: edge.time)))
                }
                didLose = didLose || found.didLose
            }
            if didLose { readLevel(line) }
        } catch {
            lose(line, error)
        }
    }

    private func readLevel(_ line: ButtonLine) {
        guard let input = input(line) else { return }
        do throws(SystemError) {
            let isActive = try input.level()
            report(.levelRead(ButtonEdge(line: line, isActive: isActive, time: time.now)))
        } catch {
            lose(line, error)
        }
    }

    private func lose(_ line: ButtonLine, _ error: SystemError) {
        guard let entry = state.value.lines.removeValue(forKey: line) else { return }
        loop.unregister(entry.registration)
        // The state of the buttons is unknown from now on: they count as released.
        report(.levelRead(ButtonEdge(line: line, isActive: false, time: time.now)))
        report(.lost(line, error))
        retry(line)
    }

    private func retry(_ line: ButtonLine) {
        loop.schedule(at: time.now + Self.retryInterval) { [weak self] in
            guard let self, !state.value.isStopped else { return }
            do throws(SystemError) {
                try watch(line)
                report(.returned(line))
            } catch {
                retry(line)
            }
        }
    }
}
