import FoundationEssentials
import Glibc
import Imaging
import Platform
import Synchronization

/// Shows the photographs of a folder one after another, each for a second, in the order of their names.
///
/// The next one is made ready on a thread of its own while the present one is shown; at most three are held.
package final class ReplayFolder: PictureSource {
    private struct State {
        var shown: Int
        var ready: [Int: PictureMemory]
        var inPreparation: Int?
        var failure: ReplayError?
    }

    private static let interval = Duration.seconds(1)
    private static let limit = 3
    private let files: [String]
    private let layout: PictureLayout
    private let state: Mutex<State>
    private let worker: WorkerThread

    /// Reads the folder, checks that every photograph can be decoded, and makes the first ready.
    ///
    /// - Blocking: while it decodes.
    package init(path: String, layout: PictureLayout) throws(ReplayError) {
        files = try Self.check(path: path)
        self.layout = layout
        let first = try Self.prepared(files[0], layout)
        state = Mutex(State(shown: 0, ready: [0: first]))
        worker = WorkerThread(name: "replay")
    }

    /// Checks that a folder has photographs and that each can be decoded.
    ///
    /// - Returns: their paths, in the order of their names.
    /// - Throws: one sentence that names the file.
    /// - Blocking: while it decodes.
    @discardableResult
    package static func check(path: String) throws(ReplayError) -> [String] {
        let files = try photographs(in: path)
        for file in files {
            // A picture of an eighth costs little and shows damage as the whole one would.
            _ = try decoded(file, scale: .eighth)
        }
        return files
    }

    deinit {
        // The thread keeps itself alive until it is stopped.
        let worker = worker
        Task { await worker.stop() }
    }

    package func picture(at elapsed: Duration) throws(ReplayError) -> (number: Int, picture: PictureMemory) {
        let second = Int(elapsed.wholeNanoseconds / Self.interval.wholeNanoseconds)
        let (due, next) = (second % files.count, (second + 1) % files.count)
        let result = state.withLock { state -> Result<(number: Int, picture: PictureMemory), ReplayError> in
            if let failure = state.failure { return .failure(failure) }
            if state.ready[due] != nil { state.shown = due }
            prepare(state.shown == due ? next : due, &state)
            guard let picture = state.ready[state.shown] else {
                return .failure(ReplayError(sentence: "no photograph is ready"))
            }
            return .success((state.shown, picture))
        }
        return try result.get()
    }

    /// Returns when the photograph that is being made ready, if any, is ready or has failed.
    package func preparationEnded() async {
        _ = await worker.runUnlessStopped {}
    }

    private func prepare(_ index: Int, _ state: inout State) {
        guard state.ready[index] == nil, state.inPreparation == nil else { return }
        for old in state.ready.keys where old != state.shown && state.ready.count >= Self.limit {
            state.ready[old] = nil
        }
        state.inPreparation = index
        worker.submit { [weak self, files, layout] in
            let result: Result<PictureMemory, ReplayError>
            do throws(ReplayError) {
                result = .success(try Self.prepared(files[index], layout))
            } catch {
                result = .failure(error)
            }
            self?.state.withLock { state in
                state.inPreparation = nil
                switch result {
                case .success(let picture): state.ready[index] = picture
                case .failure(let failure): state.failure = failure
                }
            }
        }
    }

    private static func prepared(_ file: String, _ layout: PictureLayout) throws(ReplayError) -> PictureMemory {
        let (picture, orientation) = try decoded(file, scale: .full)
        guard let memory = PictureMemory(layout: layout) else {
            throw ReplayError(sentence: "no memory to show the photograph \(file)")
        }
        FittedPhotograph.draw(picture, orientation: orientation, into: memory)
        return memory
    }

    private static func photographs(in path: String) throws(ReplayError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw ReplayError(sentence: "cannot read the folder of photographs \(path)")
        }
        let photographs = names.filter {
            let name = $0.lowercased()
            return (name.hasSuffix(".jpg") || name.hasSuffix(".jpeg")) && !name.hasPrefix(".")
        }
        guard !photographs.isEmpty else {
            throw ReplayError(sentence: "the folder \(path) holds no photographs (files named .jpg or .jpeg)")
        }
        return photographs.sorted().map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
    }

    private static func decoded(
        _ file: String, scale: JPEGDecoder.Scale
    ) throws(ReplayError) -> (picture: DecodedPicture, orientation: Int) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try PosixFileOperations().read(file, limit: PhotoFileReader.byteLimit)
        } catch {
            throw ReplayError(sentence: "the photograph cannot be shown: \(error)")
        }
        do throws(ImagingError) {
            return try bytes.withBytes { (bytes) throws(ImagingError) in
                let orientation = try PhotoFileInfo(file: bytes) { _ in 0 }.orientation
                return (try JPEGDecoder.decode(bytes, scale: scale), orientation)
            }
        } catch {
            throw ReplayError(sentence: "the photograph \(file) cannot be shown: \(reason(error))")
        }
    }

    private static func reason(_ error: ImagingError) -> String {
        switch error {
        case .invalidFile(let fault), .codec(let fault): fault
        case .tooLarge: "it is too large"
        case .outOfMemory, .metadataTooLarge: "there is not enough memory"
        }
    }
}
