import Foundation
import OneTimePassword

/// An account that moves in from another system, with the password and the authenticator that its owner has there.
public struct ImportedAccount: Sendable {
    public var id: UserID
    public var email: EmailAddress?
    /// Its telephone number is in the form of ``PhoneNumber``.
    public var profile: UserProfile
    public var isDisabled: Bool
    /// Nil means now.
    public var createdAt: Date?
    public var lastSignInAt: Date?
    public var password: ImportedPassword?
    public var secondFactors: [ImportedTOTP]

    public init(
        id: UserID, email: EmailAddress? = nil, profile: UserProfile = UserProfile(), isDisabled: Bool = false,
        createdAt: Date? = nil, lastSignInAt: Date? = nil, password: ImportedPassword? = nil,
        secondFactors: [ImportedTOTP] = []
    ) {
        self.id = id
        self.email = email
        self.profile = profile
        self.isDisabled = isDisabled
        self.createdAt = createdAt
        self.lastSignInAt = lastSignInAt
        self.password = password
        self.secondFactors = secondFactors
    }
}

/// A password as another system gives it away.
public enum ImportedPassword: Sendable {
    /// What a ``PasswordImporter`` made of a hash.
    case hash(KeptPasswordHash)
    case text(Secret<String>)
}

/// A TOTP authenticator that is enrolled elsewhere.
public struct ImportedTOTP: Sendable {
    /// Nil makes a fresh one.
    public var id: FactorID?
    public var name: String
    /// Nil means now.
    public var enrolledAt: Date?
    let payload: TOTPFactor.Payload

    /// Nil where no code can be made of it, or none that anybody could type in time: an empty secret or one of more
    /// than 128 bytes, digits outside of 6 to 8, a period outside of 15 to 300 seconds.
    public init?(
        id: FactorID?, name: String, enrolledAt: Date?, secret: Secret<[UInt8]>, algorithm: OTPAlgorithm = .sha1,
        digits: Int = 6, period: Int = 30
    ) {
        guard (1...128).contains(secret.reveal().count), (6...8).contains(digits), (15...300).contains(period) else {
            return nil
        }
        self.id = id
        self.name = name
        self.enrolledAt = enrolledAt
        payload = TOTPFactor.Payload(
            secret: Data(secret.reveal()), algorithm: algorithm, digits: digits, period: period)
    }
}

/// Why an account was not imported.
public enum ImportRefusal: Error, Sendable, Equatable {
    case idTaken
    case addressTaken
    case phoneNumberTaken
    case factorIDTaken
    case tooManyFactors
    case passwordTooLong
    /// So many passwords wait to be hashed that this one has no place in the queue.
    case overloaded
}

extension Accounts {
    /// Accounts that one transaction writes at most, so that no other write waits long for it.
    static let importBatch = 100

    /// Imports accounts, each for itself; answers why some were not, by their place in the list.
    ///
    /// An account that is there is replaced, with its password and second factors, where `overwrites` says so; its
    /// tokens are revoked. A failure of the store in the middle leaves the first ones imported.
    public func `import`(
        _ accounts: [ImportedAccount], overwrites: Bool = false, by client: ClientContext
    ) async throws -> [Int: ImportRefusal] {
        let realm = realm
        var refusals: [Int: ImportRefusal] = [:]
        var batch: [(index: Int, draft: ImportDraft)] = []
        func write() async throws {
            let drafts = batch
            batch = []
            let refused = try await realm.store.write { transaction in
                try drafts.compactMap { index, draft in
                    try draft.write(overwrites: overwrites, by: client, sealer: realm.sealer, in: transaction)
                        .map { (index, $0) }
                }
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

    private func hash(_ password: ImportedPassword?) async throws -> Result<String?, ImportRefusal> {
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

/// One account, with everything that is drawn by lot, ready for a transaction.
private struct ImportDraft: Sendable {
    let account: ImportedAccount
    let hash: String?
    let now: Date
    let passwordID: FactorID
    let factorIDs: [FactorID]
    let eventID: String

    init(_ account: ImportedAccount, hash: String?, realm: Realm) {
        self.account = account
        self.hash = hash
        now = realm.clock.now
        passwordID = FactorID(rawValue: realm.random.uuid())
        factorIDs = account.secondFactors.map { $0.id ?? FactorID(rawValue: realm.random.uuid()) }
        eventID = AuditEvent.freshID(at: now, random: realm.random)
    }

    /// Writes nothing where it answers a refusal: the other accounts share the transaction.
    func write(
        overwrites: Bool, by client: ClientContext, sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> ImportRefusal? {
        let present = try transaction.user(account.id)
        if let refusal = try refusal(present, overwrites: overwrites, in: transaction) { return refusal }
        var user = User(
            id: account.id, revision: present?.revision ?? 0, email: account.email, isDisabled: account.isDisabled,
            profile: account.profile, createdAt: account.createdAt ?? now, lastSignInAt: account.lastSignInAt,
            lastRefreshAt: nil, passwordChangedAt: nil, tokensValidAfter: Date(microseconds: now.seconds * 1_000_000),
            tokenEpoch: present.map { $0.tokenEpoch + 1 } ?? 0)
        if present == nil {
            guard try transaction.insert(user) else { return .idTaken }
        } else {
            for factor in try transaction.factors(of: account.id) { _ = try transaction.remove(factor.id) }
        }
        if let hash {
            try transaction.setPassword(hash, of: &user, newFactorID: passwordID, at: now, sealer: sealer)
        }
        if present != nil || hash != nil { _ = try transaction.update(user) }
        for (factor, id) in zip(account.secondFactors, factorIDs) {
            _ = try transaction.insert(
                FactorRecord(
                    id: id, userID: account.id, kind: .totp, name: factor.name, createdAt: factor.enrolledAt ?? now,
                    payload: try sealer.seal(
                        JSONEncoder().encode(factor.payload), for: .factor(id), in: transaction)))
        }
        try transaction.append(
            AuditEvent(id: eventID, at: now, kind: .userImported, userID: account.id, context: client))
        return nil
    }

    private func refusal(
        _ present: User?, overwrites: Bool, in transaction: any StoreTransaction
    ) throws -> ImportRefusal? {
        if present != nil && !overwrites { return .idTaken }
        if let email = account.email, let holder = try transaction.user(email: email), holder.id != account.id {
            return .addressTaken
        }
        if let number = account.profile.phoneNumber,
            let holder = try transaction.user(phoneNumber: PhoneNumber(kept: number)), holder.id != account.id
        {
            return .phoneNumberTaken
        }
        if factorIDs.count > TOTPFactor().limitPerUser { return .tooManyFactors }
        for id in factorIDs {
            if let holder = try transaction.factor(id)?.userID, holder != account.id { return .factorIDTaken }
        }
        return nil
    }
}
