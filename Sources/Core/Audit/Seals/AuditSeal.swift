import Crypto
import Foundation

/// A seal of a range of the log: a row that an attacker without the master key changes, removes or inserts in it is found
/// (`docs/decisions/0484`).
///
/// What a seal says is its ``link``, a digest that needs no key and has the link of the seal before in it; its ``code`` is of the link under
/// a key derived from the master key. So another master key means a new code for each seal, and no row is read for it.
public struct AuditSeal: Sendable, Equatable {
    /// Counts from 1 without gaps.
    public let number: Int
    /// The master key of the code (``Sealer/MasterKey/id``).
    public var keyID: String
    /// The range begins after this id: where the one before ends.
    public let after: String
    /// The last id of the range. The same as ``after`` where only late events are sealed.
    public let through: String
    /// When it was made.
    public let sealedAt: Date
    /// Seals up to this number were looked through for events that came late. What is found in their ranges afterwards was inserted.
    public let looked: Int
    /// How many events it seals.
    public let count: Int
    /// Ids of the range's events, one after another without anything between. None when the events were pruned.
    public var ids: String
    /// Ids of events from ranges before that it takes up, likewise.
    public var late: String
    /// Keys ``content``; nil when the events were pruned.
    public var nonce: String?
    /// The digest over the events, in hexadecimal (`SealedContent`).
    public let content: String
    /// The link of the seal before, in hexadecimal; of 64 zeros for the first.
    public let previous: String
    /// Whether the events are gone, because the log keeps them no longer. The seal remains as the chain's beginning.
    public var isPruned: Bool
    /// HMAC-SHA-256 of the link, in hexadecimal.
    public var code: String

    /// The seal as stores read it.
    public init(
        number: Int, keyID: String, after: String, through: String, sealedAt: Date, looked: Int, count: Int,
        ids: String,
        late: String, nonce: String?, content: String, previous: String, isPruned: Bool, code: String
    ) {
        self.number = number
        self.keyID = keyID
        self.after = after
        self.through = through
        self.sealedAt = sealedAt
        self.looked = looked
        self.count = count
        self.ids = ids
        self.late = late
        self.nonce = nonce
        self.content = content
        self.previous = previous
        self.isPruned = isPruned
        self.code = code
    }

    /// What the first seal follows.
    static let beginning = String(repeating: "0", count: 64)
    /// Characters of an id.
    static let idLength = 24

    /// What the seal says, in hexadecimal: a digest over all of it that stays when its events are pruned, and over the seal before.
    public var link: String {
        var hash = SHA256()
        let texts = [
            "countersign/audit-seal/1", String(number), previous, after, through, String(sealedAt.microseconds),
            String(looked), String(count), content,
        ]
        for text in texts {
            hash.update(data: SealedContent.length(text))
            hash.update(text)
        }
        return hash.finalize().data.hex
    }

    /// Puts the code of a key on it.
    mutating func sign(with key: Sealer.MasterKey) {
        keyID = key.id
        code = key.code(ofSeal: link, isPruned: isPruned).data.hex
    }

    /// Whether the code is of this key.
    func isSigned(with key: Sealer.MasterKey) -> Bool {
        ConstantTime.equal(Array(key.code(ofSeal: link, isPruned: isPruned).data.hex.utf8), Array(code.utf8))
    }

    /// Whether the code is of the key that the seal names, and that key is here.
    func isSigned(withOneOf keys: MasterKeys) -> Bool {
        keys.named(id: keyID).map { isSigned(with: $0) } ?? false
    }

    /// Takes away what belongs to the events, before they are removed.
    mutating func prune() {
        isPruned = true
        (ids, late, nonce) = ("", "", nil)
    }

    /// The ids in a text of a seal; nil where it is none, or they are not in order.
    static func list(_ text: String) -> [String]? {
        let bytes = Array(text.utf8)
        guard bytes.count.isMultiple(of: idLength) else { return nil }
        let ids = stride(from: 0, to: bytes.count, by: idLength).map {
            String(decoding: bytes[$0..<($0 + idLength)], as: UTF8.self)
        }
        let isInOrder = zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }
        return isInOrder && ids.allSatisfy(AuditEvent.isID) ? ids : nil
    }
}
