import Foundation

/// The next seal, before it is signed: a rule without a clock, a store or a key.
struct SealDraft: Sendable, Equatable {
    /// Seconds after which an event has surely come into the log: it has its id from before it was committed.
    static let settling: TimeInterval = 30
    /// Seconds that a settled event waits for others at most. However many servers there are, they make one seal in that time.
    static let patience: TimeInterval = 60
    /// Seconds after which a range is looked through for events that came late. No transaction takes that long.
    static let lookedAfter: TimeInterval = 600
    /// Seconds by which an event may be late. One that is dated back further was inserted.
    static let lateness: TimeInterval = 3600
    /// Events of a range at most, and events that a seal takes up late at most.
    static let most = 1000

    /// A range that was sealed, and the rows in it that no seal took up late.
    struct Look: Sendable, Equatable {
        let seal: AuditSeal
        let rows: [AuditRow]
        /// Whether these are all that there are.
        let isWhole: Bool

        /// Rows that came after the range was sealed.
        /// - Parameter instant: the first that one may be of.
        fileprivate func late(since instant: Date) -> [AuditRow] {
            let sealed = Set(AuditSeal.list(seal.ids) ?? [])
            return rows.filter { row in
                guard !sealed.contains(row.id), AuditEvent.isID(row.id), let date = AuditEvent.date(ofID: row.id)
                else { return false }
                return date >= instant
            }
        }
    }

    /// Events of the new range, in the order of their ids.
    private(set) var timely: [AuditRow]
    /// Events of ranges before, likewise.
    private(set) var late: [AuditRow]
    let number: Int
    let after: String
    let through: String
    let looked: Int
    let previous: String

    /// Nil where there is nothing to seal yet.
    /// - Parameters:
    ///   - last: the newest seal.
    ///   - rows: the first ``most`` that have settled behind it.
    ///   - looks: the ranges that come next to be looked through, in order.
    ///   - present: the range that the present instant is in: the clock was set back, and events are still coming there.
    init?(after last: AuditSeal?, rows: [AuditRow], looks: [Look], present: Look?, at now: Date) {
        // What has another id was not written by a server. It stays outside, and is reported.
        timely = rows.filter { AuditEvent.isID($0.id) }
        var found: [String: AuditRow] = [:]
        var looked = last?.looked ?? 0
        for look in looks {
            guard Self.isToBeLooked(look.seal, at: now) else { break }
            let late = look.seal.isPruned ? [] : look.late(since: look.seal.sealedAt - Self.lateness)
            let rest = late.filter { found[$0.id] == nil }
            let taken = rest.prefix(Self.most - found.count)
            for row in taken { found[row.id] = row }
            guard taken.count == rest.count, look.isWhole || late.isEmpty else { break }
            looked = look.seal.number
        }
        for row in present?.late(since: now - Self.lateness) ?? [] where found.count < Self.most {
            guard let date = AuditEvent.date(ofID: row.id), date <= now - Self.settling else { continue }
            found[row.id] = row
        }
        late = found.values.sorted { $0.id < $1.id }
        let isFull = rows.count >= Self.most
        let isDue =
            (rows.first?.id).map { id in
                AuditEvent.date(ofID: id).map { $0 <= now - Self.settling - Self.patience } ?? true
            } ?? false
        guard isFull || isDue || !late.isEmpty else { return nil }
        if !isFull && !isDue { timely = [] }
        number = (last?.number ?? 0) + 1
        after = last?.through ?? ""
        through = timely.last?.id ?? (isFull || isDue ? rows.last?.id : nil) ?? after
        self.looked = looked
        previous = last?.link ?? AuditSeal.beginning
    }

    /// Whether nothing more comes late into a range, so that it can be looked through once and for all.
    static func isToBeLooked(_ seal: AuditSeal, at now: Date) -> Bool {
        seal.isPruned || seal.sealedAt <= now - lookedAfter
    }

    /// How many values ``mark(_:)`` takes.
    var nonceCount: Int { (timely + late).count { $0.isForgettable && $0.digest == nil } }

    /// Gives the rows whose details a digest is sealed of what they need. Answers those rows.
    mutating func mark(_ nonces: [String]) -> [AuditRow] {
        var (rest, marked) = (nonces[...], [AuditRow]())
        func completed(_ row: AuditRow) -> AuditRow {
            guard row.isForgettable, row.digest == nil, let nonce = rest.popFirst() else { return row }
            let complete = row.marked(with: nonce)
            marked.append(complete)
            return complete
        }
        timely = timely.map(completed)
        late = late.map(completed)
        return marked
    }

    /// The seal without its code.
    func seal(nonce: String, at now: Date) -> AuditSeal {
        var content = SealedContent(nonce: nonce)
        for row in timely { content.add(row) }
        content.addSeparator()
        for row in late { content.add(row) }
        return AuditSeal(
            number: number, keyID: "", after: after, through: through, sealedAt: now, looked: looked,
            count: content.count, ids: timely.map(\.id).joined(), late: late.map(\.id).joined(), nonce: nonce,
            content: content.digest, previous: previous, isPruned: false, code: "")
    }
}
