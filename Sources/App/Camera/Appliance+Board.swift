import Console
import GPIOPanel
import Panel
import Platform

// The buttons and the light of a board with hardware.
extension Appliance {
    /// Watches the board's buttons and drives its light, from now on. What cannot be opened is reported and tried again.
    ///
    /// - Returns: the buttons, which watch as long as they are held.
    package func connectBoard(
        _ wiring: PanelWiring, light: RetriedLight?,
        open: @escaping @Sendable (GPIOInputOptions) throws(SystemError) -> any InputLine = {
            (options) throws(SystemError) in try GPIOInput(options)
        }
    ) -> GPIOButtons {
        let buttons = GPIOButtons(
            loop: parts.loop, time: parts.time,
            open: { (line) throws(SystemError) in
                guard let options = wiring.buttons[line] else {
                    throw SystemError(code: 2, operation: "find the line of the button", path: line.rawValue)
                }
                return try open(options)
            }, report: { [weak self] in self?.buttonsDid($0) })
        panel.readLevels { [weak buttons] in buttons?.level($0) }
        buttons.start(ButtonLine.allCases.filter { wiring.buttons[$0] != nil })
        light?.start { [weak self] in self?.lightDid($0) }
        if wiring.buttons[.shutter] == nil {
            parts.log.write(.warning, "no shutter button is configured; set its line in button.shutter_line")
        }
        return buttons
    }

    private func buttonsDid(_ event: GPIOButtons.Event) {
        switch event {
        case .edge(let edge): panel.receive(edge)
        case .levelRead(let level): panel.receive(level: level)
        case .lost(let line, let error):
            let sentence = MissingLine.sentence("\(line.rawValue) button", error)
            let isFirst = state.missingButtons.isEmpty
            state.missingButtons.insert(line)
            if isFirst { panel.report(.faultBegan(.buttonUnavailable)) }
            send(.fault, CommandFailure(.buttonUnavailable, sentence, retry: true))
        case .returned(let line):
            state.missingButtons.remove(line)
            let isLast = state.missingButtons.isEmpty
            if isLast { panel.report(.faultEnded(.buttonUnavailable)) }
            recovered(.buttonUnavailable, "the \(line.rawValue) button works again")
        }
    }

    private func lightDid(_ event: RetriedLight.Event) {
        switch event {
        case .lost(let error):
            send(
                .fault,
                CommandFailure(
                    .lightUnavailable, MissingLine.sentence("light", error), retry: true))
        case .returned:
            recovered(.lightUnavailable, "the light works again")
        }
    }

    private func recovered(_ code: FailureCode, _ sentence: String) {
        send(.recovered, ["code": .string(code.rawValue), "message": .string(sentence)])
        parts.log.write(.info, sentence)
    }
}
