import Capture
import Foundation
import Photos

/// Takes a photo and saves it, using Apple's names. On Apple's systems the first import is AVFoundation.
final class PhotoSaver: NSObject, AVCapturePhotoCaptureDelegate, Sendable {
    private let session = AVCaptureSession()
    private let photoOutput = AVCapturePhotoOutput()
    private let sessionQueue = DispatchQueue(label: "session")
    private let checklist: Checklist

    init(_ checklist: Checklist) {
        self.checklist = checklist
    }

    /// True if this program may use the photo library; asks if this has not been decided yet.
    private var isLibraryAccessGranted: Bool {
        get async {
            switch PHPhotoLibrary.authorizationStatus(for: .readWrite) {
            case .authorized: return true
            case .notDetermined:
                let status = await PHPhotoLibrary.requestAuthorization(for: .readWrite)
                checklist.check("authorization was asked for")
                return status == .authorized
            default: return false
            }
        }
    }

    func start() throws {
        guard let camera = AVCaptureDevice.default(for: .video) else { return }
        let input = try AVCaptureDeviceInput(device: camera)
        session.beginConfiguration()
        session.sessionPreset = .photo
        guard session.canAddInput(input), session.canAddOutput(photoOutput) else { return }
        session.addInput(input)
        session.addOutput(photoOutput)
        session.commitConfiguration()
        sessionQueue.async {
            self.session.startRunning()
            self.photoOutput.capturePhoto(with: AVCapturePhotoSettings(), delegate: self)
        }
    }

    func stop() async {
        await withCheckedContinuation { continuation in
            sessionQueue.async {
                self.session.stopRunning()
                continuation.resume()
            }
        }
    }

    func photoOutput(
        _ output: AVCapturePhotoOutput, willBeginCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings
    ) {
        checklist.check("the capture was accepted")
    }

    func photoOutput(
        _ output: AVCapturePhotoOutput, willCapturePhotoFor resolvedSettings: AVCaptureResolvedPhotoSettings
    ) {
        checklist.check("the exposure was about to be chosen")
    }

    func photoOutput(
        _ output: AVCapturePhotoOutput, didCapturePhotoFor resolvedSettings: AVCaptureResolvedPhotoSettings
    ) {
        checklist.check("the exposure was chosen")
    }

    func photoOutput(_ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: Error?) {
        if let error {
            print("The photo failed: \(error)")
            return
        }
        checklist.check("the photo was ready")
        Task { await save(photo) }
    }

    func photoOutput(
        _ output: AVCapturePhotoOutput, didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings,
        error: Error?
    ) {
        if error == nil { checklist.check("the capture was over") }
    }

    private func save(_ photo: AVCapturePhoto) async {
        guard await isLibraryAccessGranted else { return }
        guard let photoData = photo.fileDataRepresentation() else { return }
        PHPhotoLibrary.shared().performChanges {
            let request = PHAssetCreationRequest.forAsset()
            request.addResource(with: .photo, data: photoData, options: nil)
        } completionHandler: { [checklist] success, error in
            if success { checklist.check("the photo was saved") }
            if let error { print("The photo was not saved: \(error)") }
        }
    }
}
