import Foundation

/// Why an account was not imported.
public enum ImportRefusal: Error, Sendable, Equatable {
    /// Another user has the id, or an application has, or the log calls the first token so.
    case idTaken
    /// Another user has the address.
    case addressTaken
    /// Another user has the phone number.
    case phoneNumberTaken
    /// A factor of another user has the id of one of the account's, or two of the account's have the same.
    case factorIDTaken
    /// The account has more factors of a kind than one may have.
    case tooManyFactors
    /// The password is longer than the realm hashes.
    case passwordTooLong
    /// It would disable the last owner of the realm (``Administrators``).
    case lastOwner
    /// So many passwords wait to be hashed that this one has no place in the queue.
    case overloaded
    /// There is a user with the id who differs in these things.
    case different([AccountDifference])
    /// The user has a role, and the importer may not change such users.
    case administrator
    /// It moves the user into groups or out of them, and the importer may not.
    case groups
}

/// What an importer may do beside moving users (docs/decisions/0472). Each account is judged by it in the transaction that writes it.
public struct ImportRights: Sendable, Equatable {
    /// Whether accounts of users with a role are replaced.
    public var changesAdministrators: Bool
    /// Whether users come into groups, and out of them.
    public var changesGroups: Bool

    /// An importer with these rights.
    public init(changesAdministrators: Bool, changesGroups: Bool) {
        self.changesAdministrators = changesAdministrators
        self.changesGroups = changesGroups
    }

    /// Of an importer who may do everything.
    public static let all = ImportRights(changesAdministrators: true, changesGroups: true)
}

/// In what two accounts of one id differ.
public enum AccountDifference: Sendable, Equatable, CaseIterable {
    /// The address.
    case email
    /// Whether the address was confirmed: the import says so, and the account here does not.
    case emailVerified
    /// What people call the user.
    case displayName
    /// The address of the picture.
    case photoURL
    /// The phone number.
    case phoneNumber
    /// Whether the account is disabled.
    case isDisabled
    /// The claims that a developer's back end put on the account.
    case customClaims
    /// The attributes that applications define.
    case attributes
    /// Ways in, as Identity Toolkit lists them, that the import has and the account here has not.
    case providers
    /// When the account was made.
    case createdAt
    /// Whether there is a password, or which.
    case password
    /// The authenticator apps and other factors.
    case secondFactors
    /// The groups that the user is in.
    case groups
    /// What the user may administer.
    case role
    /// The user's language.
    case locale
    /// The terms of use that the user has agreed to.
    case acceptedTerms
}

/// The outcome of importing one account.
public enum ImportOutcome: Sendable, Equatable {
    /// The account is there now.
    case imported
    /// It took the place of one that was different.
    case replaced
    /// It was there, the same, and stays untouched.
    case alreadyThere
    /// The account was not imported, or not changed.
    case refused(ImportRefusal)
}

extension Accounts {
    /// Accounts that one transaction writes at most, so that no other write waits long for it.
    static let importBatch = 100

    /// Imports accounts, each for itself; answers why some were not, by their place in the list.
    ///
    /// An account that is there is replaced, with its password and second factors, where `overwrites` says so; its
    /// tokens are revoked. A failure of the store in the middle leaves the first ones imported.
    public func `import`(
        _ accounts: [PortableAccount], overwrites: Bool = false, by client: ClientContext
    ) async throws -> [Int: ImportRefusal] {
        let realm = realm
        var refusals: [Int: ImportRefusal] = [:]
        var batch: [(index: Int, draft: ImportDraft)] = []
        func write() async throws {
            let drafts = batch
            batch = []
            let refused = try await realm.store.write { transaction -> [(Int, ImportRefusal)] in
                try transaction.reserve(accounts: drafts.map(\.draft.account.id))
                var ended = EndedTokens()
                let found = try drafts.compactMap { index, draft -> (Int, ImportRefusal)? in
                    let present = try transaction.user(draft.account.id)
                    if present != nil && !overwrites { return (index, .idTaken) }
                    if let refusal = try draft.refusal(in: transaction) { return (index, refusal) }
                    if let refusal = try draft.write(over: present, sealer: realm.sealer, in: transaction) {
                        return (index, refusal)
                    }
                    let tokens = try ended.add(draft.account, over: present, at: draft.now, in: transaction)
                    try transaction.append(draft.event(ending: tokens, by: client))
                    return nil
                }
                try ended.remove(in: transaction)
                return found
            }
            refusals.merge(refused) { first, _ in first }
        }
        for (index, account) in accounts.enumerated() {
            switch try await hash(account.password) {
            case .failure(let refusal): refusals[index] = refusal
            case .success(let hash):
                batch.append((index, ImportDraft(account, hash: hash, realm: realm)))
                if batch.count == Self.importBatch { try await write() }
            }
        }
        if !batch.isEmpty { try await write() }
        return refusals
    }

    /// Takes accounts in so that the same call, made again after it was cut off anywhere, ends the same.
    ///
    /// An account that is there already and the same is left alone. One that is there and different is refused, or
    /// replaced with its password and second factors where `overwrites` says so; then its tokens are revoked. What use
    /// changes by itself is no difference (`PortableAccount+differences.swift`). The log gets one event for each account that
    /// was replaced, and one for the run; where no run is named, one for each transaction.
    /// - Parameters:
    ///   - rehearses: nothing is written; the answers are those that would be given. Two accounts of the list that stand in
    ///     each other's way are not found.
    ///   - rights: what the importer may do beside.
    ///   - run: the import that this is a part of.
    public func importAccounts(
        _ accounts: [PortableAccount], overwrites: Bool = false, rehearses: Bool = false,
        rights: ImportRights = .all, run: ImportRun? = nil, by client: ClientContext
    ) async throws -> [ImportOutcome] {
        var outcomes: [ImportOutcome] = []
        for start in stride(from: 0, to: accounts.count, by: Self.importBatch) {
            let batch = Array(accounts[start..<min(start + Self.importBatch, accounts.count)])
            outcomes += try await importOneBatch(
                batch, overwrites: overwrites, rehearses: rehearses, rights: rights, run: run, by: client)
        }
        if let run, run.isLast, !rehearses { try await finish(run) }
        return outcomes
    }

    private func finish(_ run: ImportRun) async throws {
        let now = realm.clock.now
        let eventIDs = realm.eventIDsOfImports(at: now)
        _ = try await realm.store.write { try $0.finishImports(run.id, at: now, eventIDs: eventIDs) }
    }

    private func importOneBatch(
        _ accounts: [PortableAccount], overwrites: Bool, rehearses: Bool, rights: ImportRights, run: ImportRun?,
        by client: ClientContext
    ) async throws -> [ImportOutcome] {
        let realm = realm
        let seen = accounts.map { ImportDraft($0, hash: nil, realm: realm) }
        // A look first: what is there costs no hash and no write, so that going on after an interruption is quick.
        var outcomes = try await realm.store.read { transaction in
            var leaving: Set<UserID> = []
            return try seen.map { draft in
                let outcome = try draft.judge(
                    overwrites: overwrites, rights, leaving: leaving, realm: realm, in: transaction
                ).outcome
                if outcome.isWritten, draft.losesOwner { leaving.insert(draft.account.id) }
                return outcome
            }
        }
        if rehearses { return outcomes }
        var drafts: [(index: Int, draft: ImportDraft)] = []
        for (index, account) in accounts.enumerated() where outcomes[index].isWritten {
            switch try await hash(account.password) {
            case .failure(let refusal): outcomes[index] = .refused(refusal)
            case .success(let hash): drafts.append((index, ImportDraft(account, hash: hash, realm: realm)))
            }
        }
        if drafts.isEmpty { return outcomes }
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let written = try await realm.store.write { [drafts] transaction in
            try transaction.reserve(accounts: drafts.map(\.draft.account.id))
            var written: [(index: Int, outcome: ImportOutcome)] = []
            var ended = EndedTokens()
            // Roles are written after all users.
            var leaving: Set<UserID> = []
            for (index, draft) in drafts {
                let judged = try draft.judge(
                    overwrites: overwrites, rights, leaving: leaving, realm: realm, in: transaction)
                var outcome = judged.outcome
                if outcome.isWritten {
                    if let refusal = try draft.write(over: judged.present, sealer: realm.sealer, in: transaction) {
                        outcome = .refused(refusal)
                    } else {
                        let tokens = try ended.add(
                            draft.account, over: judged.present, at: draft.now, in: transaction)
                        if outcome == .replaced || !tokens.isEmpty {
                            try transaction.append(draft.event(ending: tokens, by: client))
                        }
                    }
                    if outcome.isWritten, draft.losesOwner { leaving.insert(draft.account.id) }
                }
                written.append((index, outcome))
            }
            let outcomes = Dictionary(uniqueKeysWithValues: written.map { ($0.index, $0.outcome) })
            try transaction.writeMemberships(
                of: drafts.filter { outcomes[$0.index]?.isWritten == true }.map(\.draft), by: client)
            try ended.remove(in: transaction)
            let (imported, replaced) = (
                written.count { $0.outcome == .imported }, written.count { $0.outcome == .replaced }
            )
            if imported + replaced > 0, let run {
                var runs = try ImportExportRuns.read(transaction)
                if runs.count(run, imported: imported, replaced: replaced, by: client, at: now) {
                    try runs.put(in: transaction)
                    return written
                }
            }
            if imported + replaced > 0 {
                // No ids: the log would keep them when the users are deleted.
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .usersImported, userID: nil, context: client,
                        details: ["imported": .integer(Int64(imported)), "replaced": .integer(Int64(replaced))]))
            }
            return written
        }
        for (index, outcome) in written { outcomes[index] = outcome }
        return outcomes
    }

    private func hash(_ password: PortablePassword?) async throws -> Result<String?, ImportRefusal> {
        switch password {
        case nil: return .success(nil)
        case .hash(let kept): return .success(kept.text.reveal())
        case .text(let text):
            guard text.reveal().unicodeScalars.count <= PasswordPolicy.maximumLength else {
                return .failure(.passwordTooLong)
            }
            do {
                return .success(try await realm.hasher.hash(text))
            } catch is PasswordHashingOverload {
                return .failure(.overloaded)
            }
        }
    }
}

/// One account, with its random values, ready for a transaction.
private struct ImportDraft: Sendable {
    let account: PortableAccount
    let hash: String?
    let now: Date
    let passwordID: FactorID
    let factorIDs: [FactorID]
    let eventID: String
    let roleEventID: String
    let proofs: ProofRegistry

    init(_ account: PortableAccount, hash: String?, realm: Realm) {
        self.account = account
        self.hash = hash
        proofs = realm.proofs
        now = realm.clock.now
        passwordID = FactorID(rawValue: realm.random.uuid())
        factorIDs = account.secondFactors.map { $0.id ?? FactorID(rawValue: realm.random.uuid()) }
        eventID = AuditEvent.freshID(at: now, random: realm.random)
        roleEventID = AuditEvent.freshID(at: now, random: realm.random)
    }

    /// Whether its user, where that is an owner, is none any more who can sign in.
    var losesOwner: Bool { account.isDisabled || account.role.map { $0 != .owner } == true }

    /// What is to be done about it, and the user with its id.
    /// - Parameter leaving: users of accounts before it of whom ``losesOwner`` is true.
    func judge(
        overwrites: Bool, _ rights: ImportRights, leaving: Set<UserID>, realm: Realm,
        in transaction: any StoreTransaction
    ) throws -> (outcome: ImportOutcome, present: User?) {
        let present = try transaction.user(account.id)
        var movesInGroups = account.groups?.isEmpty == false
        if let present {
            var kept = try PortableAccount(
                present, try transaction.factors(of: present.id), sealer: realm.sealer, proofs: proofs)
            try kept.addMemberships(in: transaction)
            let differences = account.differences(from: kept, needsRehash: realm.hasher.needsRehash)
            if differences.isEmpty { return (.alreadyThere, present) }
            if !overwrites { return (.refused(.different(differences)), present) }
            movesInGroups = differences.contains(.groups)
            if !rights.changesAdministrators, try transaction.administrator(present.id) != nil {
                return (.refused(.administrator), present)
            }
        }
        if movesInGroups, !rights.changesGroups { return (.refused(.groups), present) }
        if let refusal = try refusal(leaving: leaving, in: transaction) { return (.refused(refusal), present) }
        return (present == nil ? .imported : .replaced, present)
    }

    /// Writes nothing where it answers a refusal: the other accounts share the transaction. Refusals were checked
    /// before (``refusal(leaving:in:)``).
    func write(
        over present: User?, sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> ImportRefusal? {
        // When the account was made and used is no part of what is replaced: the user is the same as before.
        let createdAt = account.createdAt ?? present?.createdAt ?? now
        var user = User(
            id: account.id, revision: present?.revision ?? 0, email: account.email, isDisabled: account.isDisabled,
            profile: account.profile, createdAt: createdAt,
            lastSignInAt: account.lastSignInAt ?? present?.lastSignInAt,
            lastRefreshAt: account.lastRefreshAt ?? present?.lastRefreshAt, passwordChangedAt: nil,
            tokensValidAfter: Date(microseconds: now.seconds * 1_000_000),
            tokenEpoch: present.map { $0.tokenEpoch + 1 } ?? 0,
            // Of a user who is replaced the epoch says it.
            tokensRefusedBefore: present == nil ? User.beginning(at: now) : Date(microseconds: 0),
            deletionDueAt: present?.deletionDueAt)
        if present == nil {
            guard try transaction.insert(user) else { return .idTaken }
        } else {
            for factor in try transaction.factors(of: account.id) {
                _ = try transaction.remove(factor.id, proofs)
            }
            if let former = present?.email, former != account.email {
                try transaction.assignOutboxMessages(to: former.canonical, of: account.id)
            }
        }
        if let hash {
            try transaction.setPassword(hash, of: &user, newFactorID: passwordID, at: now, sealer: sealer)
            user.passwordChangedAt = account.passwordChangedAt ?? createdAt
        }
        if present != nil || hash != nil { _ = try transaction.update(user) }
        for (factor, id) in zip(account.secondFactors, factorIDs) {
            _ = try transaction.insert(
                factor.record(id, of: account.id, at: now, sealer: sealer, in: transaction))
        }
        for factor in account.otherFactors {
            _ = try transaction.insert(
                FactorRecord(
                    id: factor.id, userID: account.id, kind: factor.kind, name: factor.name,
                    createdAt: factor.enrolledAt ?? now, lastUsedAt: factor.lastUsedAt,
                    payload: try sealer.seal(
                        factor.payload.reveal(), for: .factor(factor.id), in: transaction)))
        }
        return nil
    }

    func event(ending tokens: [String], by client: ClientContext) -> AuditEvent {
        AuditEvent(
            id: eventID, at: now, kind: .userImported, userID: account.id, context: client,
            details: MachineToken.details(ofEnded: tokens))
    }

    /// What prevents writing it, regardless of its id's present holder.
    func refusal(leaving: Set<UserID> = [], in transaction: any StoreTransaction) throws -> ImportRefusal? {
        if try transaction.isTakenByAnother(account.id) { return .idTaken }
        if let email = account.email, let holder = try transaction.user(email: email), holder.id != account.id {
            return .addressTaken
        }
        if let number = account.profile.phoneNumber,
            let holder = try transaction.user(phoneNumber: PhoneNumber(kept: number)), holder.id != account.id
        {
            return .phoneNumberTaken
        }
        let kinds = account.secondFactors.map { _ in PortableTOTP.kind } + account.otherFactors.map(\.kind)
        for kind in Set(kinds) where kinds.count(where: { $0 == kind }) > proofs.limitPerUser(of: kind) {
            return .tooManyFactors
        }
        if losesOwner, let present = try transaction.user(account.id),
            try transaction.isLastOwner(present, without: leaving)
        {
            return .lastOwner
        }
        let ids = factorIDs + account.otherFactors.map(\.id)
        if Set(ids).count != ids.count { return .factorIDTaken }
        for id in ids {
            if let holder = try transaction.factor(id)?.userID, holder != account.id { return .factorIDTaken }
        }
        return nil
    }
}

/// The tokens of programs that end as a batch enables users who were disabled, or makes users anew who were removed (docs/decisions/0517).
/// They are removed after all users are written, in the order in which rows are locked.
private struct EndedTokens {
    /// All that there are, read once for the batch, and only where it enables or makes a user.
    private var present: [MachineToken]?
    private var ids: [String] = []

    /// Adds those that the user of an account answers for, and names them; none where the account enables no user.
    ///
    /// An account says what administrators decided, and leaves alone that its owner wants it removed. So what counts is that an administrator
    /// had disabled the user, whether or not the account stays disabled for the owner's wish: a user who withdraws it later keeps tokens.
    /// - Parameter user: nil where the account is new here. Then those of an account end that had its id before, and was removed.
    mutating func add(
        _ account: PortableAccount, over user: User?, at now: Date, in transaction: any StoreTransaction
    ) throws -> [String] {
        if let user, !user.isSuspended || account.isDisabled { return [] }
        let tokens = try present ?? transaction.machineTokens(after: nil, limit: MachineTokens.most)
        present = tokens
        let ended = tokens.filter { $0.isLiving(of: account.id, at: now) }.map(\.id)
        ids += ended
        return ended
    }

    func remove(in transaction: any StoreTransaction) throws {
        for id in ids.sorted() { _ = try transaction.deleteMachineToken(id) }
    }
}

extension ImportOutcome {
    fileprivate var isWritten: Bool { self == .imported || self == .replaced }
}

extension StoreTransaction {
    /// Puts imported users into their groups, which are made where they are missing, and gives them their roles: after all users are
    /// written, in the order in which rows are locked.
    fileprivate func writeMemberships(of drafts: [ImportDraft], by client: ClientContext) throws {
        guard let now = drafts.first?.now else { return }
        for name in Set(drafts.flatMap { $0.account.groups ?? [] }).sorted(by: { $0.rawValue < $1.rawValue })
        where try group(name) == nil {
            _ = try insert(UserGroup(name: name, summary: "", createdAt: now))
        }
        for draft in drafts.sorted(by: { $0.account.id.rawValue < $1.account.id.rawValue }) {
            guard let wanted = draft.account.groups else { continue }
            let present = Set(try groups(of: draft.account.id, limit: UserGroup.mostOfUser))
            for name in present.subtracting(wanted).sorted(by: { $0.rawValue < $1.rawValue }) {
                _ = try removeMember(draft.account.id, from: name)
            }
            for name in wanted.subtracting(present).sorted(by: { $0.rawValue < $1.rawValue }) {
                _ = try addMember(draft.account.id, to: name, at: now)
            }
        }
        for draft in drafts.sorted(by: { $0.account.id.rawValue < $1.account.id.rawValue }) {
            guard let role = draft.account.role, try administrator(draft.account.id)?.role != role else { continue }
            let made = Administrator(
                userID: draft.account.id, role: role, grantedBy: client.administrator, createdAt: now)
            guard try put(made) else { continue }
            try append(
                AuditEvent(
                    id: draft.roleEventID, at: now, kind: .administratorGranted, userID: draft.account.id,
                    context: client, details: ["role": .string(role.rawValue), "from": "import"]))
        }
    }

    /// Locks what accounts that are there have, for who writes several of them.
    fileprivate func reserve(accounts ids: [UserID]) throws {
        try reserve(
            Set(ids.flatMap { id in try factors(of: id).map { ReservedRow.factor($0.id) } + [ReservedRow.user(id)] }))
    }
}
