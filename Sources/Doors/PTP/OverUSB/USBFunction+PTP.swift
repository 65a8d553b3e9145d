import Offload

extension USBFunction {
    /// A camera: PTP with MTP's additions.
    package static let camera = USBFunction(
        word: "on", mode: "camera", noun: "a camera", product: .camera, descriptors: .ptp
    ) { service in
        let initiator = FunctionFSInitiator(pipes: service.pipes)
        let ptp = PTPService(
            sessions: service.context.sessions, identity: service.context.identity(),
            properties: CameraProperties(service.context.time))
        service.host.submit {
            ptp.serve(initiator.link, as: service.client)
            initiator.close()
        }
        return initiator
    }
}
