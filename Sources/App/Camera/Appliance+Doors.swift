import Console
import Offload
import Photos
import Platform
import Synchronization

extension Appliance {
    /// Sessions of clients with this camera's library, reported to the consoles and the log.
    package func clientSessions() -> ClientSessions {
        ClientSessions(
            library: parts.store, events: parts.libraryEvents, time: parts.time,
            report: { [self] change, client, message in
                send(
                    change == .connected ? .connected : .disconnected,
                    ["client": .string(client.name), "message": .string(message)])
                parts.log.write(.info, message)
            },
            capture: { [self] (client, completion) throws(OffloadError) in try takePhoto(for: client, completion) })
    }

    /// What this camera offers its doors.
    ///
    /// - Parameter commands: carries out the console's commands.
    package func doorContext(commands: any CommandHandler) -> DoorContext {
        DoorContext(
            loop: parts.loop, worker: self.commands, time: parts.time, log: parts.log, sessions: clientSessions(),
            events: events, commands: commands, settings: { [settings = parts.settings] in settings.configuration },
            identity: { [self] in identity }, newestFrame: { [output = stream.output] in output.newestFrame },
            showSafeToUnplug: { [panel] in panel.report(.safeToUnplug) })
    }

    /// The camera's name, version and serial number for computers.
    var identity: DeviceIdentity {
        let camera = parts.settings.configuration.camera
        return DeviceIdentity(
            manufacturer: camera.make, model: camera.model, version: Version.current,
            serialNumber: SerialNumber.read(), friendlyName: camera.model)
    }

    /// Takes a photo for a client, which can then see it.
    private func takePhoto(
        for client: Client, _ completion: @escaping @Sendable (Bool) -> Void
    ) throws(OffloadError) {
        var shot = Shutter.Shot(client: client, moment: parts.time.now)
        // A shot that is refused is completed as well, but then only the thrown error reports it.
        let outcome = Mutex<(isAccepted: Bool, isSaved: Bool?)>((false, nil))
        shot.completion = { result in
            let isSaved = (try? result.get()) != nil
            let isAccepted = outcome.withLock { outcome in
                outcome.isSaved = isSaved
                return outcome.isAccepted
            }
            if isAccepted { completion(isSaved) }
        }
        guard let refusal = takePhoto(shot) else {
            let isSaved = outcome.withLock { outcome in
                outcome.isAccepted = true
                return outcome.isSaved
            }
            // The shot was completed before it was accepted here.
            if let isSaved { completion(isSaved) }
            return
        }
        switch refusal.exit {
        case .storage: throw .storeFull
        case .notPermitted: throw .accessDenied
        case .tryAgain: throw .busy
        default: throw .failed
        }
    }
}
