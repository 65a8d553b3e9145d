import Console
import Offload
import PTP
import Photos
import Platform

/// The camera on the network: serves the library to computers that speak PTP/IP.
package final class NetworkPort: Sendable {
    /// Where it listens.
    package let address: ListenAddress
    private let server: PTPIPServer

    /// Listens.
    ///
    /// - Throws: when nobody can listen there.
    package init(_ address: ListenAddress, sessions: ClientSessions, appliance: Appliance) throws(CommandFailure) {
        let ptp = appliance.ptpService(sessions)
        do throws(SystemError) {
            server = try PTPIPServer(
                address: address.host, port: address.port, identity: appliance.identity, loop: appliance.parts.loop
            ) { link, initiator in
                let client = sessions.begin(.ptpip)
                let name = initiator.name.isEmpty ? "a computer" : initiator.name
                sessions.report(.connected, client, "\(name) at \(initiator.address) has connected")
                ptp.serve(link, as: client)
                sessions.end(client)
                sessions.report(.disconnected, client, "\(name) at \(initiator.address) has gone")
            }
        } catch {
            throw CommandFailure(
                .system, "cannot listen on \(address): \(error.reason); give another address and port for PTP/IP.")
        }
        var listening = address
        listening.port = server.port
        self.address = listening
        appliance.parts.log.write(.info, "PTP/IP is spoken at \(listening)")
    }

    /// Ends every session.
    package func stop() async {
        await server.stop()
    }
}
