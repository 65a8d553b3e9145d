/// The light port: what the panel asks of an LED, real or simulated.
package protocol Light: Sendable {
    /// Shows a brightness from 0 (off) to 1. A light that knows only on and off is on above 0.
    /// - Blocking: no.
    func set(_ brightness: Double)
}
