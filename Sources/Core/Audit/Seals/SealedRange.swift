import Foundation

/// What is wrong with the sealed log.
public struct AuditFault: Sendable, Equatable, Codable {
    /// The words are stable.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// An event is not as it was sealed.
        case changed
        /// An event is gone.
        case removed
        /// An event was not there when its range was sealed, nor came late.
        case inserted
        /// A seal is not as it was made, or was made with another key.
        case alteredSeal = "altered-seal"
        /// A seal does not follow the one before, or the one before is gone.
        case brokenChain = "broken-chain"
        /// A seal names a master key that is not here.
        case unknownKey = "unknown-key"
        /// A seal that was the newest is gone, or another is in its place.
        case cutOff = "cut-off"
    }

    /// What it is.
    public let kind: Kind
    /// The number of the seal.
    public let seal: Int
    /// When the range of the log begins: the time of the event before its first; nil where that is not known.
    public let from: Date?
    /// When it ends: the time of its last event; nil where that is not known.
    public let to: Date?
    /// Ids of events that it is about, ten at most. None where that cannot be told.
    public let ids: [String]

    /// Ids that are told.
    static let mostIDs = 10

    init(_ kind: Kind, seal: Int, from: Date? = nil, to: Date? = nil, ids: [String] = []) {
        self.kind = kind
        self.seal = seal
        self.from = from
        self.to = to
        self.ids = Array(ids.prefix(Self.mostIDs))
    }

    init(_ kind: Kind, of seal: AuditSeal, ids: [String] = []) {
        self.init(
            kind, seal: seal.number, from: AuditEvent.date(ofID: seal.after), to: AuditEvent.date(ofID: seal.through),
            ids: ids)
    }

    /// Whether it is about something else.
    func isOther(than former: AuditFault?) -> Bool { former?.seal != seal || former?.kind != kind }

    /// For the log.
    var details: [String: JSONValue] {
        [
            "seal": .integer(Int64(seal)), "fault": .string(kind.rawValue),
            "events": .array(ids.map { .string($0) }),
        ]
    }
}

/// A sealed range and all that is needed to judge it: a rule without a clock or a store.
struct SealedRange: Sendable {
    let seal: AuditSeal
    /// The seal whose number is one less; nil where there is none.
    let before: AuditSeal?
    /// Rows of the range in the order of their ids, without those that a later seal took up and lists.
    var rows: [AuditRow] = []
    /// The rows that the seal takes up late, as far as they are there.
    var late: [AuditRow] = []
    /// Ids of rows whose user was removed afterwards.
    var forgotten: Set<String> = []
    /// ``AuditSeal/looked`` of the newest seal.
    let looked: Int
    let now: Date
    /// Events from before may be gone: the log keeps them no longer. A server of before schema 22 removes them one by one.
    let oldest: Date

    enum Outcome: Sendable, Equatable {
        /// The range is as it was sealed.
        case holds
        /// Events of it are gone because the log keeps them no longer, so that the rest cannot be judged.
        case expires
        case fails(AuditFault)
    }

    /// - Parameter key: the one that the seal names; nil where it is not here.
    func judge(with key: Sealer.MasterKey?) -> Outcome {
        func fails(_ kind: AuditFault.Kind, _ ids: [String] = []) -> Outcome {
            .fails(AuditFault(kind, of: seal, ids: ids))
        }
        guard let key else { return fails(.unknownKey) }
        guard seal.isSigned(with: key) else { return fails(.alteredSeal) }
        guard follows else { return fails(.brokenChain) }
        if seal.isPruned { return .holds }
        guard let nonce = seal.nonce, let ids = AuditSeal.list(seal.ids), let lateIDs = AuditSeal.list(seal.late),
            ids.count + lateIDs.count == seal.count
        else { return fails(.alteredSeal) }

        let sealed = Set(ids)
        let inserted = rows.filter { !sealed.contains($0.id) && !mayBeLate($0) }
        guard inserted.isEmpty else { return fails(.inserted, inserted.map(\.id)) }

        let (present, presentLate) = (Set(rows.map(\.id)), Set(late.map(\.id)))
        let missing = ids.filter { !present.contains($0) } + lateIDs.filter { !presentLate.contains($0) }
        let removed = missing.filter { id in AuditEvent.date(ofID: id).map { $0 >= oldest } ?? true }
        guard removed.isEmpty else { return fails(.removed, removed) }
        guard missing.isEmpty else { return .expires }

        let timely = rows.filter { sealed.contains($0.id) }
        let moved = timely.filter { $0.lateSeal != nil } + late.filter { $0.lateSeal != seal.number }
        let altered = (timely + late).filter { !hasItsDetails($0) }
        guard moved.isEmpty, altered.isEmpty else { return fails(.changed, (moved + altered).map(\.id)) }
        var content = SealedContent(nonce: nonce)
        for row in timely { content.add(row) }
        content.addSeparator()
        for row in late { content.add(row) }
        return content.digest == seal.content ? .holds : fails(.changed)
    }

    /// Whether the chain leads here.
    private var follows: Bool {
        if let before {
            return !seal.isPruned && seal.previous == before.link && seal.after == before.through
        }
        // The chain begins with the first seal, or with the last one of which the events were pruned.
        return seal.isPruned || (seal.number == 1 && seal.previous == AuditSeal.beginning && seal.after.isEmpty)
    }

    /// Whether a row that no seal has may be taken up by one still.
    private func mayBeLate(_ row: AuditRow) -> Bool {
        guard row.lateSeal == nil, AuditEvent.isID(row.id), let date = AuditEvent.date(ofID: row.id) else {
            return false
        }
        if date > now - SealDraft.lateness { return true }
        return seal.number > looked && date >= seal.sealedAt - SealDraft.lateness
    }

    /// Whether details of which a digest is sealed are those, or went with their user.
    private func hasItsDetails(_ row: AuditRow) -> Bool {
        guard row.isForgettable else { return true }
        if let nonce = row.nonce, row.detailsDigest(under: nonce) == row.digest { return true }
        return row.isForgotten && forgotten.contains(row.id)
    }

    /// Rows of which has to be known whether their user was removed.
    static func unproven(_ rows: [AuditRow]) -> [AuditRow] {
        rows.filter { row in
            guard row.isForgettable, row.isForgotten else { return false }
            return row.nonce.map { row.detailsDigest(under: $0) != row.digest } ?? true
        }
    }
}
