import Foundation

/// Seals the log, range after range, and checks it (`docs/decisions/0484`).
///
/// `AuditRow` is an event as it is sealed, `AuditSeal` what is kept of a range. `SealDraft` says what the next seal takes up, `SealedRange`
/// whether a range holds, `AuditCheck` how far maintenance has come; these three are rules without a store. This type reads and writes for
/// them.
public struct AuditSeals: Sendable {
    let realm: Realm

    /// Seals of one round of maintenance at most.
    static let mostSeals = 50
    /// Seals that one look checks at most, and events after which it ends.
    static let mostChecked = 100
    static let mostEventsChecked = 1000
    /// Seals that are pruned in one transaction.
    static let batch = 50
    /// Rows of a range that are looked at, at most: more than a server can have put there.
    static let mostRows = 20_000
    /// Ranges that are looked through for late events with each seal.
    static let looksAtOnce = 2
    /// What the log may be pruned early by, where clocks of servers differ.
    static let pruningSlack: TimeInterval = 3600

    // MARK: Sealing

    /// Seals what has settled. Servers that do so at the same time make each seal once.
    /// - Returns: how many seals were made.
    @discardableResult
    public func seal() async throws -> Int {
        var count = 0
        while count < Self.mostSeals, try await sealNext() { count += 1 }
        // Where the end was cut off, it stays known what was there.
        let (keys, memory) = (realm.sealer.keys, realm.sealMemory.newest)
        let last = try await realm.store.read { transaction in
            let isWhole = try transaction.cutOff(memory) == nil
            let last = try transaction.lastAuditSeal()
            return isWhole ? last : nil
        }
        if let last, last.isSigned(withOneOf: keys) { realm.sealMemory.note(last) }
        return count
    }

    private func sealNext() async throws -> Bool {
        let clock = realm.clock
        let drafted = try await realm.store.read { transaction -> (draft: SealDraft, last: AuditSeal?, now: Date)? in
            let now = try transaction.sharedTime(clock)
            let last = try transaction.lastAuditSeal()
            let settled = AuditEvent.idPrefix(at: now - SealDraft.settling)
            let rows = try transaction.auditRows(
                after: last?.through ?? "", through: settled, onlyTimely: true, limit: SealDraft.most)
            var (looks, present): ([SealDraft.Look], SealDraft.Look?) = ([], nil)
            if let last {
                // In their order: none is passed over.
                let seals = try transaction.auditSeals(after: last.looked, limit: Self.looksAtOnce)
                for seal in seals.prefix(while: { SealDraft.isToBeLooked($0, at: now) }) {
                    looks.append(try transaction.look(seal, after: seal.after, through: seal.through))
                }
                if last.through > settled, let seal = try transaction.auditSeal(reaching: settled) {
                    let begin = max(seal.after, AuditEvent.idPrefix(at: now - SealDraft.lateness))
                    present = try transaction.look(seal, after: begin, through: settled)
                }
            }
            return SealDraft(after: last, rows: rows, looks: looks, present: present, at: now)
                .map { (draft: $0, last: last, now: now) }
        }
        guard let drafted else { return false }
        var draft = drafted.draft
        let (last, now, random) = (drafted.last, drafted.now, realm.random)
        let marked = draft.mark((0..<draft.nonceCount).map { _ in random.bytes(16).hex })
        let (unsigned, late, keys) = (draft.seal(nonce: random.bytes(32).hex, at: now), draft.late, realm.sealer.keys)
        do {
            try await realm.store.write { transaction in
                guard try transaction.lastAuditSeal() == last else { throw SealedMeanwhile() }
                for row in marked {
                    guard try transaction.markAuditRow(row) else { throw SealedMeanwhile() }
                }
                for row in late {
                    guard try transaction.takeUpAuditRow(row.id, in: unsigned.number) else { throw SealedMeanwhile() }
                }
                var seal = unsigned
                seal.sign(with: try keys.current(in: transaction))
                guard try transaction.insert(seal) else { throw SealedMeanwhile() }
            }
            return true
        } catch is SealedMeanwhile {
            // Another server was faster, or a user was removed in between. There is a next time.
            return false
        }
    }

    /// Another process has changed what the draft was made of. Thrown, so that nothing of the write remains.
    private struct SealedMeanwhile: Error {}

    // MARK: Pruning

    /// Takes away seals of ranges that are from before an instant altogether, and says so in the last of them, which stays as the beginning
    /// of the chain. Their rows are removed afterwards.
    /// - Parameter instant: events from before are kept no longer.
    /// - Returns: whether there may be more of them.
    func prune(before instant: Date) async throws -> Bool {
        let keys = realm.sealer.keys
        return try await realm.store.write { transaction in
            let seals = try transaction.auditSeals(after: 0, limit: Self.batch)
            let expired = seals.prefix { seal in
                seal.isPruned || (AuditEvent.date(ofID: seal.through) ?? seal.sealedAt) < instant
            }
            guard let last = expired.last, !last.isPruned else { return false }
            var pruned = last
            pruned.prune()
            // A seal that is not right does not become so: its code stays what it was.
            if last.isSigned(withOneOf: keys) {
                pruned.sign(with: try keys.current(in: transaction))
            }
            guard try transaction.update(pruned, from: last.code) else { return false }
            try transaction.deleteAuditSeals(before: last.number)
            return expired.count == Self.batch
        }
    }

    // MARK: Checking

    /// How the sealed log is.
    public struct Status: Sendable, Equatable {
        /// The end of the newest seal's range; nil where nothing is sealed.
        public let sealedThrough: Date?
        /// The number of the newest seal.
        public let seal: Int?
        /// What it says, in hexadecimal. An operator who keeps it elsewhere finds out whether the chain still leads there.
        public let digest: String?
        /// Up to where everything was checked and holds.
        public let checkedThrough: Date?
        /// When something was checked last.
        public let checkedAt: Date?
        /// When everything that is sealed had been looked at again.
        public let wholeAt: Date?
        /// The first range that does not hold.
        public let fault: AuditFault?
        /// The time of the oldest event that is not sealed yet.
        public let waitingSince: Date?
    }

    /// How the sealed log is, as far as it was checked.
    public func status() async throws -> Status {
        let memory = realm.sealMemory.newest
        return try await realm.store.read { transaction in
            let last = try transaction.lastAuditSeal()
            let check = AuditCheck(stored: try transaction.document(AuditCheck.document))
            let waiting = try transaction.auditRows(
                after: last?.through ?? "", through: AuditBound.end.id, onlyTimely: true, limit: 1)
            let fault = try transaction.cutOff(memory) ?? check.fault
            return Status(
                sealedThrough: last.flatMap { AuditEvent.date(ofID: $0.through) }, seal: last?.number,
                digest: last?.link,
                checkedThrough: fault.map { fault in
                    fault.from.map { min($0, check.checkedThrough ?? $0) }
                } ?? check.checkedThrough, checkedAt: check.at, wholeAt: check.wholeAt, fault: fault,
                waitingSince: waiting.first.map { Date(microseconds: Int64($0.at)) })
        }
    }

    /// What of the sealed log does not hold, as far as it was checked: ``Status/fault`` alone, without a look at the log.
    public func fault() async throws -> AuditFault? {
        let memory = realm.sealMemory.newest
        return try await realm.store.read { transaction in
            try transaction.cutOff(memory)
                ?? AuditCheck(stored: try transaction.document(AuditCheck.document)).fault
        }
    }

    /// Checks what was sealed since the last time and a part of what was checked before, and remembers the answer. Servers that do so at
    /// the same time go on from what the faster one has written.
    /// - Returns: what does not hold.
    @discardableResult
    public func check() async throws -> AuditFault? {
        let found = try await checkOn()
        realm.sealMemory.fault = found
        return found
    }

    /// What did not hold when this process checked last; nil also before it has.
    public var lastFault: AuditFault? { realm.sealMemory.fault }

    private func checkOn() async throws -> AuditFault? {
        let memory = realm.sealMemory.newest
        let (present, cutOff, last) = try await realm.store.read { transaction in
            (
                try transaction.document(AuditCheck.document), try transaction.cutOff(memory),
                try transaction.lastAuditSeal()
            )
        }
        var check = AuditCheck(stored: present)
        guard last != nil || present != nil else { return cutOff }
        let before = check
        try await judgeAgain(&check)
        var isWhole = false
        // Behind a cut nothing is said of what was checked before, until an administrator has looked at it.
        if check.fault?.kind != .cutOff { isWhole = try await judgeOn(&check) }
        let now = realm.clock.now
        check.at = now
        if isWhole { check.wholeAt = now }
        let (result, found) = (check, cutOff ?? check.fault)
        guard result.isWorthWriting(after: before) else { return found }
        let event = AuditEvent.freshID(at: now, random: realm.random)
        try await realm.store.write { transaction in
            guard try transaction.document(AuditCheck.document) == present else { return }
            try transaction.putDocument(AuditCheck.document, JSONEncoder().encode(result))
            guard let fault = result.fault, fault.isOther(than: before.fault) else { return }
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .faultFound, userID: nil, clientID: nil, dialect: nil, source: nil,
                    reason: fault.kind.rawValue, details: fault.details))
        }
        return found
    }

    /// Looks whether what did not hold still does not, and whether the chain still leads to where it was checked.
    private func judgeAgain(_ check: inout AuditCheck) async throws {
        if let fault = check.fault, fault.kind != .cutOff, let found = try await judge(after: fault.seal - 1) {
            if found.seal.number == fault.seal, case .fails(let again) = found.outcome {
                check.fault = again
            } else if found.seal.number == fault.seal || found.seal.isPruned {
                // Holds again, or went with the range: the log keeps it no longer.
                check.fault = nil
            }
        }
        let head = check.head
        if let cutOff = try await realm.store.read({ try $0.cutOff(head) }) {
            check.fault = cutOff
        } else if check.fault?.kind == .cutOff {
            check.fault = nil
        }
    }

    /// Judges what was sealed since, then a part of what was judged before.
    /// - Returns: whether everything has been looked at with it.
    private func judgeOn(_ check: inout AuditCheck) async throws -> Bool {
        var (seals, events) = (0, 0)
        func isWithin() -> Bool { seals < Self.mostChecked && events < Self.mostEventsChecked }
        var left: [String] = []
        var isWhole = false
        while isWithin() {
            // Keys are read again for one range, not for each of them.
            let readsKeys = check.fault?.kind != .unknownKey
            guard let found = try await judge(after: check.checked, readsKeys: readsKeys) else {
                isWhole = check.wholeAt == nil
                break
            }
            check.noteNew(found.outcome, of: found.seal)
            (seals, events, left) = (seals + 1, events + found.seal.count, left + found.left)
        }
        while isWithin() {
            let found = try await judge(after: check.again, readsKeys: false)
            guard let found, found.seal.number <= check.checked else {
                check.again = 0
                isWhole = true
                break
            }
            check.noteAgain(found.outcome, of: found.seal)
            (seals, events, left) = (seals + 1, events + found.seal.count, left + found.left)
        }
        let rows = left
        if !rows.isEmpty {
            try await realm.store.write { transaction in for id in rows { try transaction.forgetNonce(of: id) } }
        }
        return isWhole
    }

    /// Takes up that an administrator has looked at a range that does not hold: it is not told again, and the next one is.
    /// - Parameter seal: of the fault that was looked at.
    /// - Returns: false where that is not what is told by now.
    public func accept(_ seal: Int, by actor: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            var check = AuditCheck(stored: try transaction.document(AuditCheck.document))
            guard let fault = check.fault, fault.seal == seal else { return false }
            check.accept(fault)
            try transaction.putDocument(AuditCheck.document, JSONEncoder().encode(check))
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .faultAccepted, userID: nil, context: actor, details: fault.details))
            return true
        }
    }

    /// A part of the whole log's verification.
    public struct Verification: Sendable, Equatable {
        /// Seals that were judged and hold.
        public internal(set) var seals = 0
        /// Events in them.
        public internal(set) var events = 0
        /// Events among them that came after their range had been sealed.
        public internal(set) var late = 0
        /// The time of the first event of what holds; nil where nothing does.
        public internal(set) var from: Date?
        /// The time of the last event of what holds; nil where nothing does.
        public internal(set) var through: Date?
        /// The seal to go on after; nil where the end was reached, or a range does not hold.
        public internal(set) var next: Int?
        /// The first range that does not hold.
        public internal(set) var fault: AuditFault?
    }

    /// Judges seals after one, and their events, until a range does not hold.
    /// - Parameters:
    ///   - number: 0 for the beginning of the chain.
    ///   - mostSeals: seals after which the part ends.
    ///   - mostEvents: events after which it ends.
    public func verify(
        after number: Int, mostSeals: Int = 500, mostEvents: Int = 10_000
    ) async throws -> Verification {
        var part = Verification()
        var last = number
        while part.seals < mostSeals, part.events < mostEvents {
            guard let (seal, outcome, _) = try await judge(after: last) else {
                let memory = realm.sealMemory.newest
                part.fault = try await realm.store.read { transaction in
                    let check = AuditCheck(stored: try transaction.document(AuditCheck.document))
                    return try transaction.cutOff(memory) ?? transaction.cutOff(check.head)
                }
                return part
            }
            if case .fails(let fault) = outcome {
                part.fault = fault
                return part
            }
            last = seal.number
            if seal.isPruned { continue }
            part.seals += 1
            part.events += seal.count
            part.late += seal.late.utf8.count / AuditSeal.idLength
            part.from = part.from ?? AuditSeal.list(seal.ids)?.first.flatMap(AuditEvent.date(ofID:))
            part.through = AuditEvent.date(ofID: seal.through)
        }
        part.next = last
        return part
    }

    /// Whether the chain still leads through a seal that an operator wrote down.
    /// - Parameters:
    ///   - number: the seal.
    ///   - digest: what it said, in hexadecimal.
    /// - Returns: what is wrong; nil also where the log keeps the events of that time no longer.
    public func judge(head number: Int, _ digest: String) async throws -> AuditFault? {
        try await realm.store.read { try $0.cutOff(SealMemory.Head(number: number, link: digest)) }
    }

    // MARK: One range

    /// Judges the first range after a seal; nil where there is none.
    /// - Parameter readsKeys: whether master keys are read again where the seal names one that is not known.
    /// - Returns: with it, ids of rows whose details went with their user, and which still have what they were digested with.
    private func judge(
        after number: Int, readsKeys: Bool = true
    ) async throws -> (seal: AuditSeal, outcome: SealedRange.Outcome, left: [String])? {
        guard let range = try await range(after: number) else { return nil }
        let keys = realm.sealer.keys
        if readsKeys { await keys.lookFor(id: range.seal.keyID) }
        let outcome = range.judge(with: keys.named(id: range.seal.keyID))
        guard case .fails = outcome else {
            let left = (range.rows + range.late).filter { $0.nonce != nil && range.forgotten.contains($0.id) }
            return (range.seal, outcome, left.map(\.id))
        }
        // The range may have been pruned, or signed with another key, while it was read.
        guard let again = try await self.range(after: number) else { return nil }
        return (again.seal, again.judge(with: keys.named(id: again.seal.keyID)), [])
    }

    private func range(after number: Int) async throws -> SealedRange? {
        let clock = realm.clock
        let begun = try await realm.store.read { transaction -> (range: SealedRange, next: String?)? in
            guard let seal = try transaction.auditSeals(after: number, limit: 1).first else { return nil }
            let now = try transaction.sharedTime(clock)
            let kept = try transaction.settings().audit.retention
            var range = SealedRange(
                seal: seal, before: try transaction.auditSeal(seal.number - 1),
                looked: try transaction.lastAuditSeal()?.looked ?? 0, now: now,
                oldest: now - kept + Self.pruningSlack)
            guard !seal.isPruned else { return (range, nil) }
            range.late = try (AuditSeal.list(seal.late) ?? []).prefix(SealDraft.most).compactMap {
                try transaction.auditRow($0)
            }
            let next = try transaction.add(to: &range, after: seal.after)
            if next == nil { try transaction.addForgotten(to: &range) }
            return (range, next)
        }
        guard var (range, place) = begun else { return nil }
        guard place != nil else { return range }
        // More rows than are sealed at once: late ones, or what an attacker has put there.
        while let next = place, range.rows.count < Self.mostRows {
            let present = range
            (range, place) = try await realm.store.read { transaction in
                var range = present
                let place = try transaction.add(to: &range, after: next)
                return (range, place)
            }
        }
        let present = range
        return try await realm.store.read { transaction in
            var range = present
            try transaction.addForgotten(to: &range)
            return range
        }
    }
}

extension StoreTransaction {
    /// The rows of a sealed range that no seal took up late.
    fileprivate func look(_ seal: AuditSeal, after id: String, through last: String) throws -> SealDraft.Look {
        if seal.isPruned { return SealDraft.Look(seal: seal, rows: [], isWhole: true) }
        let limit = 2 * SealDraft.most
        let rows = try auditRows(after: id, through: last, onlyTimely: true, limit: limit)
        return SealDraft.Look(seal: seal, rows: rows, isWhole: rows.count < limit)
    }

    /// Adds rows of the range behind a place.
    /// - Returns: where to go on; nil at the end.
    fileprivate func add(to range: inout SealedRange, after id: String) throws -> String? {
        let limit = SealDraft.most + 1
        let rows = try auditRows(after: id, through: range.seal.through, onlyTimely: false, limit: limit)
        var lists: [Int: Set<String>] = [:]
        for row in rows {
            // A later seal that lists the event answers for it.
            if let taker = row.lateSeal, taker > range.seal.number {
                let list = try lists[taker] ?? Set(auditSeal(taker).flatMap { AuditSeal.list($0.late) } ?? [])
                lists[taker] = list
                if list.contains(row.id) { continue }
            }
            range.rows.append(row)
        }
        return rows.count < limit ? nil : rows.last?.id
    }

    fileprivate func addForgotten(to range: inout SealedRange) throws {
        for row in SealedRange.unproven(range.rows + range.late) {
            guard let user = row.userID else { continue }
            // Clocks of servers differ.
            let since = AuditEvent.date(ofID: row.id).map { AuditEvent.idPrefix(at: $0 - SealDraft.lateness) }
            if try hasAuditEvent(of: UserID(rawValue: user), .userDeleted, after: since ?? row.id) {
                range.forgotten.insert(row.id)
            }
        }
    }

    /// What is wrong where a seal that was there is not, or says something else.
    fileprivate func cutOff(_ head: SealMemory.Head?) throws -> AuditFault? {
        guard let head, head.number > 0 else { return nil }
        if let seal = try auditSeal(head.number) {
            return seal.link == head.link ? nil : AuditFault(.cutOff, of: seal)
        }
        // Of what is before the chain's beginning nothing can be said.
        if let first = try auditSeals(after: 0, limit: 1).first, first.isPruned, first.number > head.number {
            return nil
        }
        return AuditFault(.cutOff, seal: head.number)
    }
}

extension MasterKeys {
    /// The key of this name for people.
    func named(id: String) -> Sealer.MasterKey? { all.first { $0.id == id } }

    /// Reads the keys again, where one is not known.
    func lookFor(id: String) async {
        guard named(id: id) == nil else { return }
        // Where it is not there either, the range is said to name an unknown key.
        _ = try? await retrying { () throws -> Void in
            guard named(id: id) != nil else { throw SealingError(unknown: id) }
        }
    }
}

extension Realm {
    /// Seals of the log.
    public var auditSeals: AuditSeals { AuditSeals(realm: self) }
}
