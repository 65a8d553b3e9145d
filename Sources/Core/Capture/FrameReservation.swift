import Platform

/// A frame claimed before it is certain that a photo of it is wanted: taken at the first edge of a press, given up when
/// the edge turns out to be noise.
///
/// - Ownership: the claim ends with this object, unless a capture has taken it over.
package final class FrameReservation: Sendable {
    let claim: ClaimID
    private let output: CapturePhotoOutput

    init(claim: ClaimID, output: CapturePhotoOutput) {
        self.claim = claim
        self.output = output
    }

    deinit { output.endReservation(claim) }
}
