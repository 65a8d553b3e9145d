import Configuration
import Console
import Offload
import Photos
import Picker
import Platform
import Synchronization

/// Commands that work with and without a running camera. The program brings them, as it knows all drivers and doors.
package struct StandAloneCommands: Sendable {
    /// Checks the machine for a camera with this configuration.
    ///
    /// - Blocking: reads files and looks for cameras.
    package var doctor: @Sendable (CameraConfiguration) -> [DoctorRecord]
    /// Checks a configuration file.
    ///
    /// - Blocking: reads the file.
    package var check: @Sendable (_ file: String) throws(CommandFailure) -> ConfigurationRecord

    /// The commands of this camera and of these doors.
    package init(
        doctor: @escaping @Sendable (CameraConfiguration) -> [DoctorRecord],
        check: @escaping @Sendable (_ file: String) throws(CommandFailure) -> ConfigurationRecord
    ) {
        self.doctor = doctor
        self.check = check
    }
}

/// Carries out the commands that sockets and consoles bring.
package final class CommandService: CommandHandler {
    /// Bytes of a list that may wait for their reader.
    private static let pageBytes = 1 << 20

    let appliance: Appliance
    private let standAlone: StandAloneCommands
    private let doors: [any Door]
    private let onConsoleEnd: @Sendable () -> Void

    /// The commands that it knows, those of its doors too.
    package let grammar: CommandGrammar

    /// A service for a camera.
    ///
    /// - Parameters:
    ///   - doors: the doors whose commands it carries out and whose fields `status` shows.
    ///   - standAlone: the commands that work without a running camera as well.
    ///   - onConsoleEnd: called when the console on standard input has ended.
    package init(
        appliance: Appliance, doors: [any Door], grammar: CommandGrammar, standAlone: StandAloneCommands,
        onConsoleEnd: @escaping @Sendable () -> Void
    ) {
        self.appliance = appliance
        self.doors = doors
        self.grammar = grammar
        self.standAlone = standAlone
        self.onConsoleEnd = onConsoleEnd
    }

    package func consoleEnded() {
        onConsoleEnd()
    }

    package func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink) {
        switch command {
        case .shoot(let count, let timer):
            shoot(count: count, timer: .seconds(timer), reply)
        case .press(let button, let hold, let bounce):
            press(button, hold: .milliseconds(hold), bounce: .milliseconds(bounce), reply)
        case .log(let follow):
            stream(appliance.parts.log.lines, follow: follow, reply) { .log(LogRecord($0)) }
        case .events(let follow):
            stream(appliance.events, follow: follow, reply) { .event($0) }
        default:
            Task { [self] in
                do throws(CommandFailure) {
                    reply.finish(try await answer(command, reply))
                } catch {
                    reply.fail(error)
                }
            }
        }
    }

    private func answer(_ command: Command, _ reply: any ReplySink) async throws(CommandFailure) -> ExitStatus {
        switch command {
        case .status: reply.send(.status(try await status()))
        case .list(let filter, let limit): try await list(filter, limit: limit, reply)
        case .show(let reference): reply.send(.photo(PhotoRecord(try await asset(reference))))
        case .delete(let references): try await delete(references, reply)
        case .restore(let references): try await restore(references, reply)
        case .trash(let empty): try await trash(empty: empty, reply)
        case .favorite(let reference, let isOn): try await favorite(reference, isOn, reply)
        case .get(let key):
            for record in try appliance.parts.settings.records(of: key) { reply.send(.setting(record)) }
        case .set(let key, let value):
            try await changeSetting(key, reply) { (settings) throws(CommandFailure) in try settings.set(key, to: value)
            }
        case .reset(let key):
            try await changeSetting(key, reply) { (settings) throws(CommandFailure) in try settings.reset(key) }
        case .clock(let clock): reply.send(.clock(try await self.clock(clock)))
        case .verify: return try await verify(reply)
        case .doctor:
            let (parts, standAlone) = (appliance.parts, standAlone)
            let findings = try await appliance.runCommand { standAlone.doctor(parts.settings.configuration) }
            for finding in findings { reply.send(.doctor(finding)) }
            return DoctorRecord.exit(findings)
        case .checkConfiguration(let file):
            let standAlone = standAlone
            reply.send(
                .configuration(
                    try await appliance.runCommand { () throws(CommandFailure) in try standAlone.check(file) }))
        case .version: reply.send(.version(VersionRecord(version: Version.current)))
        case .door(let command): reply.send(.door(try await door(command)))
        case .clients: try await clients(reply)
        case .allow(let client, let level): try await allow(client, level, reply)
        case .deny(let client): try await deny(client, reply)
        case .revoke(let client): try await revoke(client, reply)
        case .select(let client, let selection, let photos): try await select(client, selection, photos, reply)
        case .pick(let filter, let limit, let isOrdered):
            try await pick(filter, limit: limit, isOrdered: isOrdered, reply)
        case .run, .gadget, .shoot, .press, .log, .events, .help, .exit:
            throw .usage("this command is not for a running camera")
        }
        return .done
    }

    // MARK: Photos

    private func shoot(count: Int, timer: Duration, _ reply: any ReplySink) {
        appliance.post { [self] appliance in
            appliance.state.timers += 1
            // Ended by whichever comes first, the timer or the end of the client.
            let isWaiting = LoopConfined(true, to: appliance.parts.loop)
            @Sendable func endsWaiting() -> Bool {
                guard isWaiting.value else { return false }
                isWaiting.value = false
                appliance.state.timers -= 1
                return true
            }
            let wait = appliance.parts.loop.schedule(at: appliance.parts.time.now + timer) { [self] in
                if endsWaiting() { takeNext(of: count, reply) }
            }
            reply.onCancel {
                appliance.post { appliance in
                    appliance.parts.loop.cancel(wait)
                    _ = endsWaiting()
                }
            }
        }
    }

    private func takeNext(of count: Int, _ reply: any ReplySink) {
        guard count > 0 else { return reply.finish(.done) }
        guard !reply.isCancelled else { return }
        var shot = Shutter.Shot(moment: appliance.parts.time.now)
        shot.completion = { [self] result in
            switch result {
            case .failure(let failure): reply.fail(failure)
            case .success(let identifier):
                Task { [self] in
                    do {
                        guard let asset = try await appliance.library.asset(identifier) else {
                            throw CommandFailure.unknown
                        }
                        reply.send(.photo(PhotoRecord(asset)))
                        takeNext(of: count - 1, reply)
                    } catch {
                        reply.fail(
                            error as? CommandFailure ?? (error as? PhotosError).map { CommandFailure($0) } ?? .unknown)
                    }
                }
            }
        }
        appliance.takePhoto(shot)
    }

    private func press(_ button: Command.Button, hold: Duration, bounce: Duration, _ reply: any ReplySink) {
        guard appliance.parts.boardName == Board.simulated else {
            return reply.fail(
                CommandFailure(.unsupported, "this board has real buttons: press them, or take a photo with shoot"))
        }
        let time = appliance.parts.time
        appliance.panel.press(button == .shutter ? .shutter : .focus, hold: hold, bounce: bounce) { moment in
            reply.send(
                .press(
                    PressRecord(
                        button: button.rawValue, pressed: time.wallTime(at: moment).rfc3339,
                        edgeNs: moment.nanoseconds)))
            reply.finish(.done)
        }
    }

    /// The asset that a person named.
    private func asset(_ reference: PhotoReference) async throws(CommandFailure) -> Asset {
        do throws(PhotosError) {
            guard let asset = try await appliance.library.asset(reference.description), asset.trashed == nil else {
                throw PhotosError.noSuchPhoto(reference.description)
            }
            return asset
        } catch {
            throw CommandFailure(error)
        }
    }

    private func list(_ filter: PhotoFilter?, limit: Int?, _ reply: any ReplySink) async throws(CommandFailure) {
        var options = FetchOptions()
        options.filter = filter.map { FetchOptions.Filter($0, zone: SystemTime.zoneOffset(atLocal:)) }
        var left = limit ?? Int.max
        do throws(PhotosError) {
            repeat {
                options.fetchLimit = min(left, 500)
                let page = try await appliance.library.fetchAssets(with: options)
                for asset in page.assets { reply.send(.photo(PhotoRecord(asset))) }
                // A pager takes its time; the next page comes when most of this one was read.
                while reply.queuedBytes > Self.pageBytes && !reply.isCancelled {
                    try? await Task.sleep(for: .milliseconds(10))
                }
                left -= page.assets.count
                options.cursor = page.next
            } while options.cursor != nil && left > 0 && !reply.isCancelled
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Lets a person pick photos, and sends the picked ones.
    private func pick(
        _ filter: PhotoFilter?, limit: Int, isOrdered: Bool, _ reply: any ReplySink
    ) async throws(CommandFailure) {
        var configuration = PickerConfiguration(photoLibrary: appliance.library)
        configuration.filter = filter.map {
            PickerFilter(fetchFilter: FetchOptions.Filter($0, zone: SystemTime.zoneOffset(atLocal:)))
        }
        configuration.selectionLimit = limit
        configuration.selection = isOrdered ? .ordered : .default
        let front = ConsoleFront(reply: reply)
        let results: [PickerResult]
        do throws(PickerError) {
            results = try await PhotoPicker(appliance.library).pick(configuration, on: front)
        } catch {
            throw CommandFailure(error.code == .invalidUsage ? .usage : .storageFailed, error.message)
        }
        if let failure = front.failure { throw failure }
        guard !results.isEmpty else {
            throw CommandFailure(PhotosError(.userCancelled, "Nothing was picked."))
        }
        for identifier in results.compactMap(\.assetIdentifier) {
            reply.send(.photo(PhotoRecord(try await asset(PhotoReference(identifier)))))
        }
    }

    private func delete(_ references: [PhotoReference], _ reply: any ReplySink) async throws(CommandFailure) {
        do throws(PhotosError) {
            let store = appliance.parts.store
            let trashed = try await store.delete(references.map(\.description), for: .console)
            for asset in trashed.sorted(by: { $0.number < $1.number }) { reply.send(.trash(TrashRecord(asset))) }
        } catch {
            throw CommandFailure(error)
        }
    }

    private func restore(_ references: [PhotoReference], _ reply: any ReplySink) async throws(CommandFailure) {
        do throws(PhotosError) {
            for asset in try await appliance.parts.store.restore(references.map(\.description), for: .console) {
                reply.send(.photo(PhotoRecord(asset)))
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    private func trash(empty: Bool, _ reply: any ReplySink) async throws(CommandFailure) {
        let assets = try await trashed()
        guard empty else { return assets.forEach { reply.send(.trash(TrashRecord($0))) } }
        do throws(PhotosError) {
            let emptied = try await appliance.parts.store.emptyTrash(for: .console)
            reply.send(.emptied(EmptiedRecord(emptied: emptied, bytes: assets.reduce(0) { $0 + $1.bytes })))
        } catch {
            throw CommandFailure(error)
        }
    }

    private func trashed() async throws(CommandFailure) -> [Asset] {
        do throws(PhotosError) {
            return try await appliance.parts.store.trash(for: .console)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func favorite(
        _ reference: PhotoReference, _ isOn: Bool, _ reply: any ReplySink
    ) async throws(CommandFailure) {
        let asset = try await asset(reference)
        try await change { AssetChangeRequest(for: asset).isFavorite = isOn }
        reply.send(.photo(PhotoRecord(try await self.asset(reference))))
    }

    private func change(_ block: () -> Void) async throws(CommandFailure) {
        do throws(PhotosError) {
            try await appliance.library.performChanges(block)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func verify(_ reply: any ReplySink) async throws(CommandFailure) -> ExitStatus {
        do throws(PhotosError) {
            let record = VerifyRecord(try await appliance.parts.store.verify())
            reply.send(.verify(record))
            return record.exit
        } catch {
            throw CommandFailure(error)
        }
    }

    // MARK: The camera

    private func status() async throws(CommandFailure) -> StatusRecord {
        let parts = appliance.parts
        let statistics: LibraryStatistics
        do throws(PhotosError) {
            statistics = try await parts.store.statistics(for: .console)
        } catch {
            throw CommandFailure(error)
        }
        let now = parts.time.wallTime(at: parts.time.now)
        let camera = await appliance.run {
            (state: $0.cameraState, sensor: $0.stream.sensorName, led: $0.panel.patternName, refused: $0.button.refused)
        }
        guard let camera else { throw .stopping }
        return StatusRecord(
            state: camera.state, sensor: camera.sensor, board: parts.boardName, led: camera.led,
            library: StatusRecord.Library(
                assets: statistics.assets, bytes: statistics.bytes, freeBytes: statistics.freeBytes,
                shotsLeft: shotsLeft(statistics), trash: statistics.trash),
            pressesRefused: camera.refused,
            clock: StatusRecord.Clock(now: now.rfc3339, trusted: now.isTrusted),
            clients: parts.store.clients().map { StatusRecord.Client($0) },
            doors: doors.reduce(into: [:]) { $0.merge($1.status) { first, _ in first } },
            version: Version.current)
    }

    /// How many photos still fit: by the average of those there are, else by a likely size.
    private func shotsLeft(_ statistics: LibraryStatistics) -> Int {
        let size = appliance.parts.sensors.frameSize
        let likely = Int64(size.width * size.height * 2 / 5)
        let average = statistics.assets > 0 ? statistics.bytes / Int64(statistics.assets) : likely
        // The last one is refused unless the largest photo would fit.
        let largest = Appliance.largestPhoto(size)
        guard statistics.freeBytes >= largest else { return 0 }
        return Int((statistics.freeBytes - largest) / max(1, average)) + 1
    }

    private func changeSetting(
        _ key: String?, _ reply: any ReplySink,
        _ body: @escaping @Sendable (SettingsKeeper) throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let appliance = appliance
        let settings = appliance.parts.settings
        try await appliance.runCommand { () throws(CommandFailure) in
            try body(settings)
            appliance.applySettings()
        }
        let records = try settings.records(of: key)
        for record in records { reply.send(.setting(record)) }
        for record in records where key != nil {
            appliance.send(.setting, ["key": .string(record.key), "value": record.value])
        }
    }

    private func clock(_ clock: Command.Clock) async throws(CommandFailure) -> ClockRecord {
        let appliance = appliance
        var changed: String?
        if case .set(let time) = clock {
            let nanoseconds = time.wallTime(zone: SystemTime.zoneOffset(atLocal:)).unixNanoseconds
            let isSystemSet = try await appliance.runCommand { appliance.setClock(unixNanoseconds: nanoseconds) }
            changed = isSystemSet ? "system" : "offset"
        }
        let now = appliance.parts.time.wallTime(at: appliance.parts.time.now)
        let zone = appliance.parts.settings.configuration.clock.zone
        return ClockRecord(
            now: now.rfc3339, trusted: now.isTrusted, zone: zone.isEmpty ? nil : zone, changed: changed)
    }

    /// Has a door carry out its command.
    private func door(_ command: DoorCommand) async throws(CommandFailure) -> DoorRecord {
        guard
            let door = doors.first(where: { door in
                door.additions.entries.contains { $0.name == command.name }
            })
        else { throw .usage("this camera has no command \(command.name)") }
        return try await door.perform(command)
    }

    // MARK: Streams

    /// What is remembered, and then, when following, everything until the receiver goes.
    private func stream<Element>(
        _ broadcast: Broadcast<Element>, follow: Bool, _ reply: any ReplySink,
        _ record: @escaping @Sendable (Element) -> Record
    ) {
        guard follow else {
            for element in broadcast.recent { reply.send(record(element)) }
            return reply.finish(.done)
        }
        let follower = broadcast.follow(replaying: true) { reply.offer(record($0)) }
        reply.onCancel { broadcast.end(follower) }
    }
}

extension LogRecord {
    /// The record of a line.
    init(_ line: Log.Line) {
        self.init(time: line.time.rfc3339, level: line.level.rawValue, message: line.message)
    }
}

extension VerifyRecord {
    /// The record of what was found.
    package init(_ report: VerifyReport) {
        self.init(
            assets: report.assets, ok: report.ok, damaged: report.damaged, missing: report.missing,
            adopted: report.adopted, quarantined: report.quarantined)
    }
}
