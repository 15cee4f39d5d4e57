import Crypto
import Foundation

/// An event of the log as its row has it, for seals: the texts as they are kept, not what a program makes of them. So a seal does not
/// depend on how a later program writes the same event.
public struct AuditRow: Sendable, Equatable {
    /// ``AuditEvent/id``. What was inserted from outside may have any text here.
    public let id: String
    /// Microseconds since 1970.
    public let at: Int
    /// ``AuditEvent/kind``.
    public let kind: String
    /// ``AuditEvent/userID``.
    public let userID: String?
    /// ``AuditEvent/clientID``.
    public let clientID: String?
    /// ``AuditEvent/dialect``.
    public let dialect: String?
    /// ``AuditEvent/source``.
    public let source: String?
    /// ``AuditEvent/reason``.
    public let reason: String?
    /// JSON.
    public let details: String
    /// Of details that go with a removed user: what their digest is keyed with, in hexadecimal. Nil before the event is sealed, when the
    /// user was removed, and for other kinds.
    public var nonce: String?
    /// The digest that is sealed instead of such details, in hexadecimal.
    public var digest: String?
    /// The number of the seal that took the event up after the range of its id had been sealed.
    public var lateSeal: Int?

    /// The row as stores read it.
    public init(
        id: String, at: Int, kind: String, userID: String?, clientID: String?, dialect: String?, source: String?,
        reason: String?, details: String, nonce: String? = nil, digest: String? = nil, lateSeal: Int? = nil
    ) {
        self.id = id
        self.at = at
        self.kind = kind
        self.userID = userID
        self.clientID = clientID
        self.dialect = dialect
        self.source = source
        self.reason = reason
        self.details = details
        self.nonce = nonce
        self.digest = digest
        self.lateSeal = lateSeal
    }
}

extension AuditEvent.Kind {
    private static let removed = JSONValue.string("removed with the user")

    /// What stands in the events of these kinds when their user was removed: the address of before, and a reason in the words of the
    /// device's user (`docs/decisions/0060`).
    static let forgottenDetails: [Self: [String: JSONValue]] = [
        .approvalRejected: ["reason": removed], .emailChanged: ["former": removed], .emailRestored: ["former": removed],
    ]
}

extension AuditRow {
    /// What replaces the details when the user is removed; nil where they stay.
    private var forgotten: [String: JSONValue]? {
        AuditEvent.Kind.forgottenDetails[AuditEvent.Kind(rawValue: kind)]
    }

    /// Whether a digest is sealed instead of the details.
    var isForgettable: Bool { forgotten != nil }

    /// Whether the details are what stands there after the user was removed.
    var isForgotten: Bool {
        guard let forgotten, case .object(let members)? = try? JSONParser.parse(Array(details.utf8)) else {
            return false
        }
        return members == forgotten
    }

    /// The digest of the details under a nonce, in hexadecimal.
    func detailsDigest(under nonce: String) -> String {
        HMAC<SHA256>.authenticationCode(for: Data(details.utf8), using: SymmetricKey(data: Data(nonce.utf8))).hex
    }

    /// The same with what a seal needs of it: a nonce and a digest, where a digest is sealed instead of the details.
    func marked(with nonce: String) -> AuditRow {
        guard isForgettable, digest == nil else { return self }
        var row = self
        row.nonce = nonce
        row.digest = detailsDigest(under: nonce)
        return row
    }
}

/// The digest over rows: HMAC-SHA-256, keyed with the seal's nonce, over each column behind its length.
///
/// The nonce is no secret while the rows are there. It goes with them: without it, what was pruned cannot be guessed by its digest.
struct SealedContent {
    private var code: HMAC<SHA256>
    private(set) var count = 0

    init(nonce: String) {
        code = HMAC<SHA256>(key: SymmetricKey(data: Data(nonce.utf8)))
    }

    mutating func add(_ row: AuditRow) {
        count += 1
        add(row.id)
        add(String(row.at))
        add(row.kind)
        for text in [row.userID, row.clientID, row.dialect, row.source, row.reason] { add(text) }
        add(row.isForgettable ? row.digest : row.details)
    }

    /// Between the rows of the range and those that a seal takes up late.
    mutating func addSeparator() { code.update(data: [2]) }

    /// In hexadecimal.
    var digest: String { code.finalize().hex }

    private mutating func add(_ text: String?) {
        guard let text else { return code.update(data: [0]) }
        code.update(data: [1])
        code.update(data: Self.length(text))
        code.update(data: Array(text.utf8))
    }

    /// Eight bytes, the highest first.
    static func length(_ text: String) -> [UInt8] {
        withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { Array($0) }
    }
}
