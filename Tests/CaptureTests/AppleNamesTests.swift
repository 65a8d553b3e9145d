import Capture
import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

/// A camera as an application written against Apple's documentation has it.
private final class Camera: AVCapturePhotoCaptureDelegate, Sendable {
    private let session = AVCaptureSession()
    private let photoOutput = AVCapturePhotoOutput()
    private let sessionQueue = DispatchQueue(label: "session queue")
    let saved = Recorder<Data>()
    let events = Recorder<String>()

    var isAuthorized: Bool {
        get async {
            let status = AVCaptureDevice.authorizationStatus(for: .video)
            var isAuthorized = status == .authorized
            if status == .notDetermined {
                isAuthorized = await AVCaptureDevice.requestAccess(for: .video)
            }
            return isAuthorized
        }
    }

    func setUp(_ device: AVCaptureDevice) -> Bool {
        session.beginConfiguration()
        session.sessionPreset = .photo
        guard let videoDeviceInput = try? AVCaptureDeviceInput(device: device), session.canAddInput(videoDeviceInput)
        else { return false }
        session.addInput(videoDeviceInput)
        guard session.canAddOutput(photoOutput) else { return false }
        session.addOutput(photoOutput)
        photoOutput.maxPhotoQualityPrioritization = .quality
        session.commitConfiguration()
        return true
    }

    func start() async {
        await withCheckedContinuation { continuation in
            sessionQueue.async {
                self.session.startRunning()
                continuation.resume()
            }
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

    func takePhoto(_ device: AVCaptureDevice) {
        let photoSettings: AVCapturePhotoSettings
        if photoOutput.availablePhotoCodecTypes.contains(.hevc) {
            photoSettings = AVCapturePhotoSettings(format: [AVVideoCodecKey: AVVideoCodecType.hevc])
        } else {
            photoSettings = AVCapturePhotoSettings(format: [AVVideoCodecKey: AVVideoCodecType.jpeg])
        }
        if device.isFlashAvailable { photoSettings.flashMode = .auto }
        photoSettings.photoQualityPrioritization = .quality
        photoOutput.capturePhoto(with: photoSettings, delegate: self)
    }

    func photoOutput(
        _ output: AVCapturePhotoOutput, willBeginCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings
    ) {
        events.add("willBegin")
    }

    func photoOutput(_ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: Error?) {
        guard error == nil, let data = photo.fileDataRepresentation() else { return }
        saved.add(data)
    }

    func photoOutput(
        _ output: AVCapturePhotoOutput, didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings,
        error: Error?
    ) {
        events.add(error == nil ? "didFinish" : "failed")
    }
}

@Suite("Apple's names")
struct AppleNamesTests {
    @Test("code written against Apple's documentation takes a photo")
    func takesAPhoto() async throws {
        let sensor = FakeSensor(identifier: "apple names")
        let device = CaptureDevice(sensor: sensor)
        let camera = Camera()
        #expect(await camera.isAuthorized)
        #expect(camera.setUp(device))
        await camera.start()
        sensor.deliver(midpoint: .now() + .milliseconds(1))
        camera.takePhoto(device)
        sensor.deliver(midpoint: .now())
        #expect(await camera.events.elements(2) == ["willBegin", "didFinish"])
        #expect(camera.saved.elements.first?.prefix(2) == Data([0xff, 0xd8]))
        await camera.stop()
        camera.takePhoto(device)
        #expect(await camera.events.elements(3).last == "failed")
    }

    @Test("devices are found by kind, medium and position, and nothing is found where there is none")
    func discovery() throws {
        let device = CaptureDevice(sensor: FakeSensor(identifier: "discovered"))
        CaptureDevice.register(device)
        #expect(AVCaptureDevice.default(for: .video) != nil)
        #expect(AVCaptureDevice.default(for: .audio) == nil)
        #expect(AVCaptureDevice.default(.builtInWideAngleCamera, for: .video, position: .back) != nil)
        #expect(AVCaptureDevice.default(.builtInDualCamera, for: .video, position: .unspecified) == nil)
        #expect(AVCaptureDevice.default(.builtInWideAngleCamera, for: .video, position: .front) == nil)
        let found = AVCaptureDevice.DiscoverySession(
            deviceTypes: [.builtInDualCamera, .builtInWideAngleCamera], mediaType: .video, position: .unspecified)
        #expect(found.devices.contains { $0 === device })
        #expect(AVCaptureDevice.authorizationStatus(for: .audio) == .restricted)
    }

    @Test("the same camera registered again takes the place of the former one, and a default one is found first")
    func registration() throws {
        let first = CaptureDevice(sensor: FakeSensor(identifier: "again"))
        let second = CaptureDevice(sensor: FakeSensor(identifier: "again"))
        CaptureDevice.register(first)
        CaptureDevice.register(second, isDefault: true)
        let devices = CaptureDevice.devices
        #expect(devices.contains { $0 === second } && !devices.contains { $0 === first })
        let place = try #require(devices.firstIndex { $0 === second })
        // Other tests register theirs at the end, or in front as this one did.
        #expect(devices[..<place].allSatisfy { $0.uniqueID != "discovered" })
    }

    @Test("access is granted at once to pictures, exactly once")
    func access() {
        let answers = Recorder<Bool>()
        AVCaptureDevice.requestAccess(for: .video) { answers.add($0) }
        AVCaptureDevice.requestAccess(for: .audio) { answers.add($0) }
        #expect(answers.elements == [true, false])
    }
}
