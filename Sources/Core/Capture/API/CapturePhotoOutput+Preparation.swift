import Platform

// Preparing for photos.
extension CapturePhotoOutput {
    /// A preparation that is to end once.
    struct Preparation: Sendable {
        let requests: [PhotoRequest]
        let completion: (@Sendable (Bool, (any Error)?) -> Void)?

        func end(_ isPrepared: Bool, _ error: (any Error)?, on callbacks: WorkerThread) {
            guard let completion else { return }
            callbacks.submit { completion(isPrepared, error) }
        }
    }

    /// Finds out whether photos with these settings can be taken without further ado. While the session does not run, the
    /// answer waits until it does.
    ///
    /// Memory for frames is there as soon as the session runs, so nothing has to be allocated.
    /// - Parameters:
    ///   - preparedPhotoSettingsArray: copied, and not used up.
    ///   - completionHandler: called exactly once, on the callback thread: with true; with false and the reason; or with
    ///     false and no error when another preparation came before the answer.
    public func setPreparedPhotoSettingsArray(
        _ preparedPhotoSettingsArray: [CapturePhotoSettings],
        completionHandler: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        prepare(preparedPhotoSettingsArray.map(\.request), completionHandler)
    }

    /// Finds out whether photos with these settings can be taken without further ado. While the session does not run, the
    /// answer waits until it does.
    ///
    /// - Returns: false when another preparation came before the answer.
    /// - Throws: `CaptureError` for settings that cannot be met.
    public func setPreparedPhotoSettingsArray(
        _ preparedPhotoSettingsArray: [CapturePhotoSettings], isolation: isolated (any Actor)? = #isolation
    ) async throws -> Bool {
        let requests = preparedPhotoSettingsArray.map(\.request)
        return try await withCheckedThrowingContinuation { continuation in
            prepare(requests) { isPrepared, error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: isPrepared)
                }
            }
        }
    }

    private func prepare(_ requests: [PhotoRequest], _ completion: (@Sendable (Bool, (any Error)?) -> Void)?) {
        let superseded = state.withLock { state in
            let superseded = state.preparation
            state.preparation = Preparation(requests: requests, completion: completion)
            return superseded
        }
        superseded?.end(false, nil, on: callbacks)
        endPreparation()
    }

    /// Answers what was asked, when the stream runs.
    func endPreparation() {
        let (preparation, error) = state.withLock { state -> (Preparation?, CaptureError?) in
            guard state.queue.stream != nil, let preparation = state.preparation.take() else { return (nil, nil) }
            do throws(CaptureError) {
                for request in preparation.requests { _ = try validate(request, state) }
                return (preparation, nil)
            } catch {
                return (preparation, error)
            }
        }
        preparation?.end(error == nil, error, on: callbacks)
    }
}
