// What a session joins.
extension CaptureSession {
    /// What the stream is for; always photos. Another preset is a usage error.
    public var sessionPreset: Preset {
        get { .photo }
        set {
            guard !canSetSessionPreset(newValue) else { return }
            reject("a session here is for photos; its preset is .photo")
        }
    }

    /// True for the only preset there is.
    public func canSetSessionPreset(_ preset: Preset) -> Bool { preset == .photo }

    /// The camera, once it was added.
    public var inputs: [CaptureDeviceInput] { state.withLock { $0.inputs } }

    /// The photo output, once it was added.
    public var outputs: [CapturePhotoOutput] { state.withLock { $0.outputs } }

    /// True when the session has no input yet.
    public func canAddInput(_ input: CaptureDeviceInput) -> Bool {
        state.withLock { $0.inputs.isEmpty }
    }

    /// Joins a camera. When `canAddInput` is false nothing is joined: that is a usage error, told by an event at once, and
    /// thrown by the next `startRunning()`.
    public func addInput(_ input: CaptureDeviceInput) {
        if !add(input, to: \.inputs) { reject("a session has one input; remove the other one first") }
    }

    /// Parts with a camera.
    public func removeInput(_ input: CaptureDeviceInput) {
        remove(input, from: \.inputs)
    }

    /// True when the session has no output yet.
    public func canAddOutput(_ output: CapturePhotoOutput) -> Bool {
        state.withLock { $0.outputs.isEmpty }
    }

    /// Joins a photo output. When `canAddOutput` is false nothing is joined: that is a usage error, told by an event at
    /// once, and thrown by the next `startRunning()`.
    public func addOutput(_ output: CapturePhotoOutput) {
        if !add(output, to: \.outputs) { reject("a session has one output; remove the other one first") }
    }

    /// Parts with an output.
    public func removeOutput(_ output: CapturePhotoOutput) {
        remove(output, from: \.outputs)
    }

    /// Opens a group of changes that are applied together. Groups nest.
    public func beginConfiguration() {
        state.withLock { $0.configurationDepth += 1 }
    }

    /// Closes a group of changes; the outermost one applies them. Without a `beginConfiguration` it is a usage error, told
    /// by an event at once, and thrown by the next `startRunning()`.
    public func commitConfiguration() {
        let isPaired = state.withLock { state in
            guard state.configurationDepth > 0 else { return false }
            state.configurationDepth -= 1
            return true
        }
        guard isPaired else { return reject("commitConfiguration() without beginConfiguration()") }
        restartIfNeeded()
    }

    /// Keeps a usage error for the next start, and tells of it.
    private func reject(_ sentence: String) {
        let error = CaptureError.invalidUsage(sentence)
        state.withLock { if $0.usageError == nil { $0.usageError = error } }
        report(.usageError(error))
    }

    /// Joins a part; false when there is one of its kind already.
    private func add<Part>(_ part: Part, to parts: WritableKeyPath<State, [Part]>) -> Bool {
        change { state in
            guard state[keyPath: parts].isEmpty else { return false }
            state[keyPath: parts].append(part)
            return true
        }
    }

    /// Parts with a part, if it was joined.
    private func remove<Part: AnyObject>(_ part: Part, from parts: WritableKeyPath<State, [Part]>) {
        change { state in
            let count = state[keyPath: parts].count
            state[keyPath: parts].removeAll { $0 === part }
            return state[keyPath: parts].count != count
        }
    }

    /// Changes what is joined; `body` says whether anything changed.
    @discardableResult
    private func change(_ body: (inout State) -> Bool) -> Bool {
        let isChanged = state.withLock { state in
            let isChanged = body(&state)
            if isChanged, state.running != nil { state.needsRestart = true }
            return isChanged
        }
        if isChanged { restartIfNeeded() }
        return isChanged
    }
}
