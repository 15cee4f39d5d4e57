import Foundation
import Synchronization

/// How far maintenance has checked the sealed log, and what it found: one document, which all servers on the store go on with.
struct AuditCheck: Sendable, Equatable, Codable {
    static let document = "audit-check"

    /// The number of the seal up to which everything was checked once, and its link. Where that seal is another one by now, or gone, the
    /// end of the chain was cut off.
    var checked = 0
    var checkedLink: String?
    /// The end of that seal's range.
    var checkedThrough: Date?
    /// Where the next look at all that was checked before has come to.
    var again = 0
    /// When everything that was sealed then had been looked at once more.
    var wholeAt: Date?
    /// When something was checked last.
    var at: Date?
    /// The first range that does not hold.
    var fault: AuditFault?
    /// Seals whose ranges do not hold, which an administrator has looked at. The greatest numbers, if there are many.
    var accepted: [Int] = []

    /// Numbers that ``accepted`` has at most.
    static let mostAccepted = 200

    /// The seal up to which everything was checked once; nil where there is none.
    var head: SealMemory.Head? { checkedLink.map { SealMemory.Head(number: checked, link: $0) } }

    /// What the document says. One that cannot be read says nothing: everything is checked again.
    init(stored document: Data?) {
        self = document.flatMap { try? JSONDecoder().decode(Self.self, from: $0) } ?? Self()
    }

    init() {}

    /// Whether a write is worth it: what was found or how far it has come, and when, every ten minutes.
    func isWorthWriting(after former: AuditCheck) -> Bool {
        var same = self
        (same.at, same.wholeAt) = (former.at, former.wholeAt)
        guard same == former, let at, let before = former.at, former.wholeAt != nil || wholeAt == nil else {
            return true
        }
        return at.timeIntervalSince(before) >= 600
    }

    /// Takes up that an administrator has looked at what does not hold. After a cut everything that is there is checked anew.
    mutating func accept(_ fault: AuditFault) {
        self.fault = nil
        if fault.kind == .cutOff {
            (checked, checkedLink, checkedThrough, again, wholeAt) = (0, nil, nil, 0, nil)
        } else {
            accepted = Array(Set(accepted + [fault.seal]).sorted().suffix(Self.mostAccepted))
        }
    }

    /// Takes up what came of a range for the first time.
    mutating func noteNew(_ outcome: SealedRange.Outcome, of seal: AuditSeal) {
        checked = seal.number
        checkedLink = seal.link
        checkedThrough = AuditEvent.date(ofID: seal.through)
        note(outcome)
    }

    /// Takes up what came of a range that was checked before.
    mutating func noteAgain(_ outcome: SealedRange.Outcome, of seal: AuditSeal) {
        again = seal.number
        note(outcome)
    }

    private mutating func note(_ outcome: SealedRange.Outcome) {
        guard case .fails(let found) = outcome, !accepted.contains(found.seal),
            fault.map({ found.seal <= $0.seal }) ?? true
        else { return }
        fault = found
    }
}

/// The newest seal that this process has seen: what is cut off while it runs is found, whatever is written into the database besides.
final class SealMemory: Sendable {
    struct Head: Sendable, Equatable {
        let number: Int
        let link: String
    }

    private let head = Mutex<Head?>(nil)
    private let found = Mutex<AuditFault?>(nil)

    /// What did not hold when this process checked last.
    var fault: AuditFault? {
        get { found.withLock { $0 } }
        set { found.withLock { $0 = newValue } }
    }

    var newest: Head? { head.withLock { $0 } }

    func note(_ seal: AuditSeal) {
        let seen = Head(number: seal.number, link: seal.link)
        head.withLock { head in
            if head.map({ $0.number < seen.number }) ?? true { head = seen }
        }
    }
}
