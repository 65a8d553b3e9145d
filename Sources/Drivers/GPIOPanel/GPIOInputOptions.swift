/// How an input line is wired.
package struct GPIOInputOptions: Hashable, Sendable {
    /// The resistor that holds it while the button is open.
    package enum Bias: String, CaseIterable, Hashable, Sendable {
        /// As the board's firmware left it.
        case asIs = "as-is"
        /// None.
        case disabled
        /// To the supply; for a button to ground.
        case pullUp = "pull-up"
        /// To ground; for a button to the supply.
        case pullDown = "pull-down"
    }

    /// Where the line is.
    package var address: GPIOLineAddress
    /// True when pressing pulls it to ground.
    package var isActiveLow: Bool
    /// Its resistor.
    package var bias: Bias

    /// Options from their parts.
    package init(address: GPIOLineAddress, isActiveLow: Bool, bias: Bias) {
        self.address = address
        self.isActiveLow = isActiveLow
        self.bias = bias
    }
}
