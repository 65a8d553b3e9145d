/// How an input line is wired.
package struct GPIOInputOptions: Hashable, Sendable {
    /// The resistor that holds it while the button is open.
    package enum Bias: String, CaseIterable, Hashable, Sendable {
        /// As the board's firmware left it.
        case asIs = "as-is"
        /// Neither pull-up nor pull-down.
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
    /// The internal pull resistor.
    package var bias: Bias

    /// Options for one line; active low means that the line is low while the button is pressed.
    package init(address: GPIOLineAddress, isActiveLow: Bool, bias: Bias) {
        self.address = address
        self.isActiveLow = isActiveLow
        self.bias = bias
    }
}
