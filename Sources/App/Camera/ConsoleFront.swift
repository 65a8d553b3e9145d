import Console
import Photos
import Picker
import Synchronization

/// The picker's front on a console: a numbered list, page by page.
final class ConsoleFront: PickerFront, Sendable {
    private let reply: any ReplySink
    private let state = Mutex<CommandFailure?>(nil)

    /// A front for the person who entered the command.
    init(reply: any ReplySink) {
        self.reply = reply
    }

    /// Why the list could not be shown, if it could not.
    var failure: CommandFailure? { state.withLock { $0 } }

    func choose(from choices: PickerChoices) async -> PickerOutcome {
        let machine = PickMachine(
            limit: choices.selectionLimit, ordered: choices.isOrdered, preselected: choices.selectedIdentifiers)
        do throws(CommandFailure) {
            return try await choose(machine, choices) ? .done : .cancelled
        } catch {
            state.withLock { $0 = error }
            return .cancelled
        }
    }

    private func choose(_ machine: PickMachine, _ choices: PickerChoices) async throws(CommandFailure) -> Bool {
        let next = Mutex<FetchOptions.Cursor?>(nil)
        let picked = try await PickMachine.converse(machine, reply: reply) { () throws(CommandFailure) in
            do throws(PhotosError) {
                let page = try await choices.page(after: next.withLock { $0 }, limit: PickMachine.pageSize)
                next.withLock { $0 = page.next }
                return (page.assets.map { PhotoRecord($0) }, page.next != nil)
            } catch {
                throw CommandFailure(error)
            }
        }
        guard let picked else { return false }
        // The list has the person's last word; the choices are brought into line with it, in its order.
        do throws(PhotosError) {
            for identifier in choices.selectedIdentifiers { _ = try await choices.toggle(identifier) }
            for identifier in picked { _ = try await choices.toggle(identifier) }
        } catch {
            throw CommandFailure(error)
        }
        return true
    }
}
