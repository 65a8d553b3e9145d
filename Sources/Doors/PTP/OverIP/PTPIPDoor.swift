import Configuration
import Console
import Offload
import Platform
import Synchronization

/// The camera on the network: serves the library to initiators that speak PTP/IP.
package final class PTPIPDoor: Door {
    /// The setting of the address and port to listen at; empty by default, so the door is closed.
    package static let address = ConfigurationKey(
        "ptpip.address", .listenAddress, default: .text(""),
        "Address and port where the camera serves PTP/IP, such as `127.0.0.1:15740`; empty for none.")
    private static let client = "ptpip"

    private struct Listening {
        let server: PTPIPServer
        let address: ListenAddress
    }

    private let listening = Mutex<Listening?>(nil)

    /// A door that does not listen yet.
    package init() {}

    package let clients = [
        ConfiguredClient(
            client, purpose: "copies photos to a computer on the network", onHold: .limited, isRemembered: true)
    ]

    package let keys = [address]

    package var additions: CommandGrammar.Additions {
        var additions = CommandGrammar.Additions()
        additions.runOptions = [
            CommandGrammar.SettingOption(
                CommandGrammar.Option(
                    name: "--ptpip", value: "ADDRESS:PORT",
                    summary:
                        "Serve the library as a network camera over PTP/IP, for example at 127.0.0.1:15740; clients need your consent."
                ), key: Self.address.path)
        ]
        additions.statusRows = [
            StatusRow("ptpip", keys: ["ptpip"]) { fields in
                guard let address = fields["ptpip"] else { return nil }
                return address == .null ? "off" : address.description
            }
        ]
        return additions
    }

    package var status: [String: FieldValue] {
        ["ptpip": listening.withLock { $0 }.map { .string($0.address.description) } ?? .null]
    }

    package func start(_ context: DoorContext) async throws(CommandFailure) {
        guard var address = ListenAddress(context.settings().text(Self.address)) else { return }
        let (sessions, identity) = (context.sessions, context.identity())
        let ptp = PTPService(sessions: sessions, identity: identity, properties: CameraProperties(context.time))
        let server: PTPIPServer
        do throws(SystemError) {
            server = try PTPIPServer(
                address: address.host, port: address.port, identity: identity, loop: context.loop
            ) { link, initiator in
                let client = sessions.begin(Self.client, isNumbered: false)
                let name = initiator.name.isEmpty ? "a computer" : initiator.name
                sessions.report(.connected, client, "\(name) at \(initiator.address) connected")
                ptp.serve(link, as: client)
                sessions.end(client)
                sessions.report(.disconnected, client, "\(name) at \(initiator.address) disconnected")
            }
        } catch {
            throw CommandFailure(
                .system, "cannot listen on \(address): \(error.reason); use another address or port for PTP/IP.")
        }
        address.port = server.port
        listening.withLock { [address] in $0 = Listening(server: server, address: address) }
        context.log.write(.info, "serving PTP/IP at \(address)")
    }

    package func stop() async {
        await listening.withLock { $0.take() }?.server.stop()
    }
}

/// The state of the camera that PTP devices can read.
package struct CameraProperties: DeviceProperties {
    private let time: any TimeSource

    /// Properties at the time of this clock.
    package init(_ time: any TimeSource) {
        self.time = time
    }

    package var batteryLevel: Int? { Machine.batteryLevel }
    package var now: WallTime { time.wallTime(at: time.now) }
}
