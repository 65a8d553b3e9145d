import Capture
import Console
import Panel
import Platform

// The stream: started, watched, and started again.
extension Appliance {
    /// Starts the stream on the camera that is there now.
    func startStream() async {
        do {
            let input = try CaptureDeviceInput(device: try await device())
            let old = await run { appliance in
                defer { appliance.state.input = input }
                return appliance.state.input
            }
            if let old = old ?? nil { session.removeInput(old) }
            session.addInput(input)
            applySettings()
            try await session.startRunning()
        } catch {
            let failure = error as? CommandFailure ?? (error as? CaptureError).map { CommandFailure($0) } ?? .unknown
            await run { $0.recover(.failed(failure, at: $0.parts.time.now)) }
        }
    }

    /// The camera's device. An unplugged one stays unplugged; the sensor may be back as a new one.
    private func device() async throws(CommandFailure) -> CaptureDevice {
        if let device = await run({ $0.state.device }) ?? nil, device.isConnected { return device }
        let sensor: any Sensor
        do throws(SensorError) { sensor = try await parts.sensors.connect() } catch { throw CommandFailure(error) }
        let device = CaptureDevice(sensor: sensor)
        await run { $0.state.device = device }
        CaptureDevice.register(device)
        return device
    }

    func sessionDid(_ event: CaptureSession.Event) {
        switch event {
        case .didStart:
            recover(.started(at: parts.time.now))
            reportReady()
        case .didStop: recover(.stopped)
        case .runtimeError(let error): recover(.failed(CommandFailure(error), at: parts.time.now))
        case .usageError(let error): parts.log.write(.error, error.message)
        }
    }

    /// Looks whether frames come, in case the sensor does not say itself that it stalled. Calls itself again.
    func watchFrames() {
        lookForFrames()
        _ = parts.loop.schedule(at: parts.time.now + .seconds(1)) { [weak self] in self?.watchFrames() }
    }

    /// Ends a stream whose frames stay away.
    func lookForFrames() {
        guard let stream = session.stream else { return }
        recover(
            .watched(newest: output.newestFrameArrival, frameInterval: stream.frameInterval, at: parts.time.now))
    }

    /// Has the recovery take what happened, and carries out what it says.
    func recover(_ event: StreamRecovery.Event) {
        let actions = state.recovery.handle(event)
        if let timer = state.recoveryTimer.take() { parts.loop.cancel(timer) }
        state.recoveryTimer = state.recovery.nextAttempt.map { moment in
            parts.loop.schedule(at: moment) { [weak self] in
                guard let self else { return }
                recover(.time(parts.time.now))
            }
        }
        for action in actions {
            switch action {
            case .start: Task { await startStream() }
            case .report(let failure):
                panel.report(.faultBegan(.cameraUnavailable))
                send(.fault, failure)
            case .recovered(let failure):
                panel.report(.faultEnded(.cameraUnavailable))
                send(.recovered, ["code": .string(failure.code)])
            case .stall: session.streamDidFail(.stalled)
            }
        }
    }

    /// True when a frame has come since a moment, when none is due yet, and when none can come because no stream runs.
    func isSensorAlive(since moment: MonotonicTime) -> Bool {
        guard let stream = session.stream else { return true }
        if let newest = output.newestFrameArrival, newest > moment { return true }
        // A long exposure is not a stuck sensor.
        return stream.frameInterval > StreamRecovery.frameLimit
            && parts.time.now - moment < stream.frameInterval * 10
    }
}
