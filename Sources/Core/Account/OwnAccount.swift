import Foundation

/// What users do about their own accounts: on the account's pages, through `/account/v1`, and from other protocols that have a word for it.
///
/// **How the files of this folder meet.** Each file is one section of the account's pages: `+Overview`, `+Profile`, `+Address`, `+Factors`,
/// `+Enrolling`, `+Password`, `+Sessions`, `+Applications`, `+Activity`, `+Deletion`. All of them take an ``OwnSession``, and judge it in
/// the transaction that acts for it, by one of three `Demand`s. A refusal is a ``Refusal``, which each dialect puts into its own words.
/// Every change is in the log and is mailed to the user, and counts against a limit of 120 an hour for each session; what only takes rights
/// away has such a limit of its own.
public struct OwnAccount: Sendable {
    let realm: Realm

    /// Seconds since the user last proved who they are, with all that the account asks for, before a change needs that again.
    public static let recency: TimeInterval = Enrolments.recency

    /// Why something was not done.
    public enum Refusal: Error, Sendable, Equatable {
        /// The session is over. Sign in again.
        case revoked
        /// The user has to prove who they are again, in this class.
        case proofTooOld(ContextClass)
        /// There is no such factor, session, application or event, or it is another user's.
        case unknown
        /// Without it the user could not sign in any more.
        case lastWayIn
        /// Without this user there would be no owner of the realm who can sign in.
        case lastOwner
        /// The realm is not set up for it, or the account has nothing that it would stand in for.
        case notOffered
        /// The account has as many as it may have of what was to be added.
        case limitReached
        /// The account's address was never confirmed, and without that the factor cannot be added.
        case unverifiedEmail
        /// The user signed in in a way that carries no second factor: anonymously, or by another system's word.
        case unsupportedFirstFactor
        /// The account has no address, which this needs.
        case noAddress
        /// What was typed is not the account's address.
        case wrongAddress
        /// Another account has the address.
        case addressTaken
        /// The member of that name has a value that it cannot have.
        case invalid(String)
        /// The realm's policy does not take the new password.
        case weakPassword(PasswordPolicy.Fault)
        /// A code or a response was not taken.
        case wrong(CountersignCore.Refusal)
        /// The session or the source changed or tried too often. It may go on at that instant.
        case limited(until: Date)
        /// Something else changed the same row meanwhile. The same request may be sent again.
        case busy
    }

    /// What a session has to show.
    enum Demand: Sendable {
        /// That it goes on.
        case living
        /// A proof of the last minutes, of whatever kind: for what only takes rights away, such as ending a session, or reporting the very
        /// factor lost that would have to be shown.
        case recent
        /// All that the account asks for, in the last minutes.
        case full
    }

    /// Why the session may change nothing now; nil where it may. For pages that ask before they show a form; each change judges the session
    /// itself.
    public func refusal(of session: OwnSession) async throws -> Refusal? {
        let (now, proofs) = (realm.clock.now, realm.proofs)
        return try await realm.store.read { transaction in
            do {
                _ = try session.user(.full, proofs, at: now, in: transaction)
                return nil
            } catch let refusal as Refusal {
                return refusal
            }
        }
    }

    // MARK: Frames of operations

    /// What a change draws before its transaction.
    struct Draft: Sendable {
        let now: Date
        let sealer: Sealer
        let proofs: ProofRegistry
        let client: ClientContext
        /// Of the event, and of the mail that tells about it.
        let id: String

        init(_ realm: Realm, _ client: ClientContext) {
            now = realm.clock.now
            sealer = realm.sealer
            proofs = realm.proofs
            self.client = client
            id = AuditEvent.freshID(at: now, random: realm.random)
        }

        func event(_ kind: AuditEvent.Kind, of user: UserID, _ details: [String: JSONValue] = [:]) -> AuditEvent {
            AuditEvent(id: id, at: now, kind: kind, userID: user, context: client, details: details)
        }

        func notify(_ notice: AccountNotice, _ user: User, in transaction: any StoreTransaction) throws {
            try transaction.notify(notice, user, by: client, id: id, at: now, sealer: sealer)
        }
    }

    /// Reads in the name of a user whose session goes on.
    func read<Value: Sendable>(
        of session: OwnSession, _ body: @escaping @Sendable (any StoreTransaction, User, Date) throws -> Value
    ) async throws -> Result<Value, Refusal> {
        let (now, proofs) = (realm.clock.now, realm.proofs)
        return try await realm.store.read { transaction in
            do {
                let user = try session.user(.living, proofs, at: now, in: transaction)
                return .success(try body(transaction, user, now))
            } catch let refusal as Refusal {
                return .failure(refusal)
            }
        }
    }

    /// Changes something in the name of a user. What the body throws as a ``Refusal`` undoes what it has written.
    func change<Value: Sendable>(
        of session: OwnSession, _ demand: Demand, by client: ClientContext,
        _ body: @escaping @Sendable (any StoreTransaction, User, Draft) throws -> Value
    ) async throws -> Result<Value, Refusal> {
        let draft = Draft(realm, client)
        do {
            let value = try await realm.store.write { transaction in
                let user = try session.user(demand, draft.proofs, at: draft.now, in: transaction)
                // By session: what another does with a stolen one must not use up what its owner needs to end it.
                // What only takes rights away is counted apart: a session that has changed too much can still end others, report a factor
                // lost and disown.
                let (limit, key): (RateLimit, String) =
                    demand == .recent
                    ? (.ownEndingsPerSession, CounterKey.ownEndings(of: user.id, in: session.session))
                    : (.ownChangesPerSession, CounterKey.ownChanges(of: user.id, in: session.session))
                if let until = try transaction.charge(limit, key: key, at: draft.now) {
                    throw Refusal.limited(until: until)
                }
                return try body(transaction, user, draft)
            }
            return .success(value)
        } catch let refusal as Refusal {
            return .failure(refusal)
        }
    }
}

extension Realm {
    /// What users do about their own accounts.
    public var ownAccount: OwnAccount { OwnAccount(realm: self) }
}

extension RateLimit {
    /// Changes of an account in its user's name, of one session.
    static let ownChangesPerSession = RateLimit(count: 120, window: 3600)
    /// What takes rights away in a user's name, of one session.
    static let ownEndingsPerSession = RateLimit(count: 120, window: 3600)
}

extension OwnSession {
    /// The user, where the session shows what is demanded.
    /// - Throws: ``OwnAccount/Refusal``, ``StoreError``.
    func user(
        _ demand: OwnAccount.Demand, _ proofs: ProofRegistry, at now: Date, in transaction: any StoreTransaction
    ) throws -> User {
        guard let user = try transaction.user(userID) else { throw OwnAccount.Refusal.revoked }
        let fault: Fault? =
            switch demand {
            case .living: try fault(of: user, at: now, in: transaction)
            case .recent: try faultUnlessRecent(user, at: now, in: transaction)
            case .full: try faultUnlessFull(user, proofs, at: now, in: transaction)
            }
        if let fault {
            throw OwnAccount.Refusal(
                fault, try proofs.neededClass(of: transaction.factors(of: userID)))
        }
        return user
    }

    /// For what needs all that the account asks for, of the last minutes.
    func faultUnlessFull(
        _ user: User, _ proofs: ProofRegistry, at now: Date, in transaction: any StoreTransaction
    ) throws -> Fault? {
        if let fault = try faultWithoutSecondFactor(user, proofs, at: now, in: transaction) { return fault }
        if evidence.proofs.first?.isAnonymous == true { return nil }
        let reached = proofs.contextClass(of: evidence.proofs)
        guard let proven = proofs.authenticationTime(of: evidence.proofs, for: reached),
            proven.isWithin(OwnAccount.recency, before: now)
        else { return .signInTooOld }
        return nil
    }
}

extension OwnAccount.Refusal {
    init(_ fault: OwnSession.Fault, _ needed: ContextClass) {
        switch fault {
        case .revoked: self = .revoked
        case .signInTooOld, .secondFactorMissing: self = .proofTooOld(needed)
        }
    }
}

extension ProofRegistry {
    /// What a user with these factors proves in a full sign-in.
    func neededClass(of factors: [FactorRecord]) -> ContextClass {
        factors.contains { guardsFactors($0.kind) } ? .aal2 : .aal1
    }
}

extension StoreTransaction {
    /// Lets a session go on that would end with all sessions of its user: it comes into the user's new epoch, which is about to be written.
    /// Access tokens that name the former epoch end all the same; refresh tokens and cookies go on.
    func carry(_ id: SessionID, into user: User, at now: Date) throws {
        guard var session = try session(id), let before = try self.user(user.id),
            session.isLiving(of: before, at: now), session.tokenEpoch != user.tokenEpoch
        else { return }
        session.tokenEpoch = user.tokenEpoch
        _ = try update(session)
    }
}
