import Foundation

/// Puts another master key under everything that is sealed, while servers run.
///
/// Three steps, each of which can be repeated from the beginning: ``replace(_:with:by:)`` makes another key seal,
/// ``resealAll(progress:)`` seals again what others sealed, ``uses()`` tells whether others are needed still. What is
/// sealed stays bound to its address all the while.
///
/// **How the files of this folder meet.** `ServerReport` is what each running server says about the keys it knows; this type reads
/// the reports before it makes a key seal or says that one is no longer needed.
public struct MasterKeyReplacement: Sendable {
    let realm: Realm

    /// Rows that one transaction reads or seals again, at most.
    static let batch = 200

    private var sealer: Sealer { realm.sealer }

    /// The key that the store's data is sealed with now.
    public func current() async throws -> Sealer.MasterKey {
        let keys = sealer.keys
        return try await realm.store.read { try keys.current(in: $0) }
    }

    /// Since when, at least, a key seals; nil where no server has looked yet.
    public func since(_ key: Sealer.MasterKey) async throws -> Date? {
        let age = try await realm.store.read { try MasterKeyAge.read($0) }
        return age?.id == key.id ? age?.since : nil
    }

    /// Makes `new` the key that seals, in every process at once.
    /// - Parameter old: the one that was to be replaced.
    /// - Returns: false where another key seals by now.
    public func replace(
        _ old: Sealer.MasterKey, with new: Sealer.MasterKey, by actor: ClientContext
    ) async throws -> Bool {
        let (keys, random, now) = (sealer.keys, realm.random, realm.clock.now)
        let eventID = AuditEvent.freshID(at: now, random: random)
        // When it is over, no write is under way that has begun before: what such a one sealed with the old key, it has
        // committed, and `uses` finds it.
        return try await realm.store.write(.exclusive) { transaction in
            guard let check = try transaction.document(MasterKeys.checkDocument),
                Sealer.keyName(of: check) == old.name
            else { return false }
            let generation = try keys.generation(of: check) + 1
            try transaction.putDocument(
                MasterKeys.checkDocument, MasterKeys.check(of: generation, under: new, random: random))
            try transaction.putDocument(
                MasterKeyAge.document, MasterKeyAge(id: new.id, since: now).stored)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .masterKeyReplaced, userID: nil, context: actor,
                    details: ["former": .string(old.id), "key": .string(new.id)]))
            return true
        }
    }

    /// Seals again everything that another key than the present one sealed, in small transactions.
    /// - Parameter progress: called after each batch: the place, and how many rows were read and sealed again so far.
    /// - Returns: how many were sealed again.
    @discardableResult
    public func resealAll(
        progress: (SealedPlace, _ seen: Int, _ resealed: Int) async throws -> Void = { _, _, _ in }
    ) async throws -> Int {
        let name = Data(try await current().name)
        var resealed = 0
        for place in SealedPlace.allCases {
            var (seen, last) = (0, String?.none)
            while true {
                let after = last
                let rows = try await realm.store.read {
                    try $0.sealedRows(in: place, after: after, except: name, limit: Self.batch)
                }
                guard let end = rows.last else { break }
                resealed += try await reseal(rows.filter { $0.sealed != nil })
                seen += rows.count
                last = end.address.key
                try await progress(place, seen, resealed)
            }
        }
        return try await resealed + resealLog()
    }

    /// Gives seals of the log the present key's code. What they say stays, so that no event is read for it.
    private func resealLog() async throws -> Int {
        let (keys, id) = (sealer.keys, try await current().id)
        var (resealed, last) = (0, 0)
        while true {
            let after = last
            let (count, end) = try await realm.store.write { transaction -> (Int, Int?) in
                let seals = try transaction.auditSeals(after: after, notSignedBy: id, limit: Self.batch)
                let key = try keys.current(in: transaction)
                var count = 0
                // One that is not right does not become so.
                for seal in seals where seal.keyID != key.id && seal.isSigned(withOneOf: keys) {
                    var signed = seal
                    signed.sign(with: key)
                    if try transaction.update(signed, from: seal.code) { count += 1 }
                }
                return (count, seals.last?.number)
            }
            resealed += count
            guard let end else { return resealed }
            last = end
        }
    }

    /// How many seals of the log have another key's code.
    private func foreignSeals(_ current: Sealer.MasterKey) async throws -> Int {
        let keys = sealer.keys
        var (count, last) = (0, 0)
        while true {
            let after = last
            let (found, end) = try await realm.store.write { transaction -> (Int, Int?) in
                guard try keys.current(in: transaction).name == current.name else {
                    throw SealingError("Another master key has been put in place meanwhile.")
                }
                let seals = try transaction.auditSeals(after: after, notSignedBy: current.id, limit: Self.batch)
                return (seals.count { $0.isSigned(withOneOf: keys) }, seals.last?.number)
            }
            count += found
            guard let end else { return count }
            last = end
        }
    }

    /// One batch. What changed since it was read is left to the next round.
    private func reseal(_ rows: [SealedRow]) async throws -> Int {
        if rows.isEmpty { return 0 }
        let sealer = sealer
        return try await realm.store.write { transaction in
            try rows.count { row in
                // What does not open, no key's removal makes worse.
                guard let present = row.sealed, let plain = try? sealer.open(present, for: row.address) else {
                    return false
                }
                let sealed = try sealer.seal(plain, for: row.address, in: transaction)
                return try transaction.replaceSealed(present, at: row.address, with: sealed)
            }
        }
    }

    /// What still needs other keys than the present one.
    public struct Uses: Sendable, Equatable {
        /// Sealed values, and seals of the log.
        public internal(set) var sealed = 0
        /// Where values are that no key opens: altered, moved, or sealed with a key that is not here. At most ten. They need
        /// no key either.
        public internal(set) var unreadable: [SealedAddress] = []
        /// Mailed codes that can still be answered: they are stored as digests, which cannot be recomputed.
        public internal(set) var codes = 0
        /// When the last of them expires.
        public internal(set) var codesExpireAt: Date?

        /// No uses.
        public init() {}

        /// Whether nothing needs another key than the present one, so that the others can go.
        public var isNone: Bool { sealed == 0 && codes == 0 }
    }

    /// Looks at everything that is sealed.
    ///
    /// The transactions are those of writes: on PostgreSQL these are as if they ran one after the other, so that what a
    /// server of before sealed before the replacement, and commits afterwards, is found or refused.
    public func uses() async throws -> Uses {
        let current = try await current()
        let (name, now) = (Data(current.name), realm.clock.now)
        let sealer = sealer
        var uses = Uses()
        uses.sealed = try await foreignSeals(current)
        for place in SealedPlace.allCases {
            var last: String?
            while true {
                let after = last
                let rows = try await realm.store.write { transaction in
                    // Read within the transaction, so that it excludes every other that sealed with what was before.
                    guard try sealer.keys.current(in: transaction).name == current.name else {
                        throw SealingError("Another master key has been put in place meanwhile.")
                    }
                    // Bodies of flows are looked into for digests.
                    return try transaction.sealedRows(
                        in: place, after: after, except: place == .flow ? nil : name, limit: Self.batch)
                }
                guard let end = rows.last else { break }
                last = end.address.key
                for case let (address, sealed?) in rows.map({ ($0.address, $0.sealed) }) {
                    guard let plain = try? sealer.open(sealed, for: address) else {
                        if uses.unreadable.count < 10 { uses.unreadable.append(address) }
                        continue
                    }
                    if Sealer.keyName(of: sealed) != current.name { uses.sealed += 1 }
                    if place == .flow, let expiry = expiry(ofForeignCodeIn: plain, current), expiry > now {
                        uses.codes += 1
                        uses.codesExpireAt = max(uses.codesExpireAt ?? expiry, expiry)
                    }
                }
            }
        }
        return uses
    }

    /// When the mailed code expires that a flow waits for and that another key digested; nil where there is none.
    private func expiry(ofForeignCodeIn plain: Data, _ current: Sealer.MasterKey) -> Date? {
        guard let body = try? JSONDecoder().decode(FlowBody.self, from: plain),
            let code = try? body.challenge.mailedCode
        else { return nil }
        let digest = code.digest
        let isOwn = digest.count > Sealer.digestByteCount && Array(digest.prefix(Sealer.nameByteCount)) == current.name
        return isOwn ? nil : code.expiresAt
    }

    /// Writes down that nothing needs the keys any more.
    public func noteRetired(_ ids: [String], by actor: ClientContext) async throws {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        try await realm.store.write { transaction in
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .masterKeyRetired, userID: nil, context: actor,
                    details: ["keys": .array(ids.map { .string($0) })]))
        }
    }
}

/// Since when the present master key seals, as its document has it. A database of before there was one begins to count when a server looks
/// at it first.
struct MasterKeyAge: StoredJSON, Codable, Equatable, Sendable {
    /// Behind ``MasterKeys/checkDocument`` in the order of locks: a transaction that writes both writes that one first.
    static let document = "master-key-since"

    /// ``Sealer/MasterKey/id``.
    let id: String
    let since: Date

    static func read(_ transaction: any StoreTransaction) throws -> MasterKeyAge? {
        try transaction.document(document).map { try MasterKeyAge(stored: $0) }
    }

    init(id: String, since: Date) { (self.id, self.since) = (id, since) }

    init(from json: inout JSONReader) throws {
        var id: String?
        var since: Date?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "id": id = try json.read()
            case "since": since = try json.read()
            default: try json.skip()
            }
        }
        self.init(id: try json.required(id, "id"), since: try json.required(since, "since"))
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("id", id)
        try json.write("since", since)
        json.endObject()
    }
}

extension Realm {
    /// Replaces the master key.
    public var masterKeyReplacement: MasterKeyReplacement { MasterKeyReplacement(realm: self) }
}
