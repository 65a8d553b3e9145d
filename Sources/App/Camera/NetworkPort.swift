import Console
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
    package init(_ address: ListenAddress, visits: HostVisits, appliance: Appliance) throws(CommandFailure) {
        do throws(SystemError) {
            server = try PTPIPServer(
                address: address.host, port: address.port, identity: appliance.identity, loop: appliance.parts.loop
            ) { link, initiator in
                let client = visits.begin(.ptpip)
                let name = initiator.name.isEmpty ? "a computer" : initiator.name
                visits.tell(.connected, client, "\(name) at \(initiator.address) has connected")
                visits.serve(link, as: client)
                visits.end(client)
                visits.tell(.disconnected, client, "\(name) at \(initiator.address) has gone")
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

    /// Ends every visit.
    package func stop() async {
        await server.stop()
    }
}
