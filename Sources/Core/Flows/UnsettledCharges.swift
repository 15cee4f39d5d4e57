import Foundation
import Synchronization

/// How charges ended while the store was unreachable: it was away, or did not say whether it had committed.
///
/// The next charge of the same counter in this process catches up, in its own transaction. Other servers, and this one
/// after a restart, wait until the charge lapses (``OpenCharge/lease``); so nothing here has to be durable, and a note
/// that finds no place is no loss.
final class UnsettledCharges: Sendable {
    private struct Note {
        let end: ChargeEnd
        let until: Date
    }

    /// Notes that are kept at a time.
    private static let capacity = 10_000

    private let notes = Mutex<[String: Note]>([:])

    /// Noting an end that the store has recorded after all does no harm.
    func note(_ charge: String, _ end: ChargeEnd, at now: Date) {
        notes.withLock { notes in
            if notes.count >= Self.capacity { notes = notes.filter { $0.value.until > now } }
            guard notes.count < Self.capacity else { return }
            notes[charge] = Note(end: end, until: now + 2 * OpenCharge.lease)
        }
    }

    /// By the names of charges.
    func ends(at now: Date) -> [String: ChargeEnd] {
        notes.withLock { notes in
            if notes.isEmpty { return [:] }
            notes = notes.filter { $0.value.until > now }
            return notes.mapValues(\.end)
        }
    }
}
