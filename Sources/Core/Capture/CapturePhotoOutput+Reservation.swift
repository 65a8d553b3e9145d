import Platform

// Claims on frames before it is certain that a photo is wanted.
extension CapturePhotoOutput {
    /// Claims the frame nearest to a moment for a photo that may or may not be wanted.
    ///
    /// - Returns: nil when the session does not run or memory does not allow another frame.
    package func reserveFrame(at moment: MonotonicTime) -> FrameReservation? {
        state.withLock { state in
            guard state.stream != nil, let (claim, actions) = state.ring.claim(.nearest(moment)) else { return nil }
            var frame: Frame?
            if case .resolved(_, let resolved)? = actions.first { frame = resolved }
            state.reservations[claim] = .some(frame)
            return FrameReservation(claim: claim, output: self)
        }
    }

    func endReservation(_ claim: ClaimID) {
        let dropped: ([FrameRing.Action], Frame??) = state.withLock { state in
            guard let frame = state.reservations.removeValue(forKey: claim) else { return ([], nil) }
            return (state.ring.end(claim), frame)
        }
        withExtendedLifetime(dropped) {}  // frames are let go of outside the lock
    }
}
