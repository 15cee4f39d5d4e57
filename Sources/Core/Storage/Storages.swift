import Foundation

/// Keeps users.
public protocol UserStorage {
    /// The user of this id; nil where there is none.
    func user(_ id: UserID) throws -> User?
    /// The user of this address; nil where there is none.
    func user(email: EmailAddress) throws -> User?
    /// The user of this phone number; nil where there is none.
    func user(phoneNumber: PhoneNumber) throws -> User?
    /// Users ordered by id, beginning after `id`.
    func users(after id: UserID?, limit: Int) throws -> [User]
    /// Those of these ids that there are, in no order that means anything.
    func users(among ids: Set<UserID>) throws -> [User]
    /// A part of an order, in the direction in which it is read.
    func users(_ range: UserRange) throws -> [User]
    /// Writes the folded names of at most `limit` users whom an earlier program kept without; answers how many.
    func fillNameKeys(limit: Int) throws -> Int
    /// False where the id, the address or the phone number is taken.
    func insert(_ user: User) throws -> Bool
    /// Writes everything but the id, where the stored revision is `user.revision`, and counts the revision up. False
    /// where it is not, or where the new address or phone number is taken.
    func update(_ user: User) throws -> Bool
    /// Remembers a sign-in or a refresh without counting as a change. A nil leaves what is there.
    func touch(_ id: UserID, signedInAt: Date?, refreshedAt: Date?) throws
    /// Removes the user with everything that hangs on it: factors, flows, records of clients, sessions, grants, authorization
    /// codes. The audit log stays.
    func deleteUser(_ id: UserID) throws -> Bool
    /// How many users there are. It costs more with each; ``countUsers(after:limit:)`` does not.
    func countUsers() throws -> Int
    /// How many users there are after a place in the order of creation, the oldest first; at most `limit`, which is 1 or more.
    /// - Returns: the count, and the place of the last that was counted where the limit is reached; nil for it where there are fewer.
    func countUsers(after place: UserPlace?, limit: Int) throws -> (count: Int, end: UserPlace?)
    /// The users whose removal is due at the instant, those first that are due the longest.
    func users(deletionDueBy instant: Date, limit: Int) throws -> [UserID]
}

/// Keeps enrolled factors.
public protocol FactorStorage {
    /// The factor of this id; nil where there is none.
    func factor(_ id: FactorID) throws -> FactorRecord?
    /// In the order of enrolment.
    func factors(of user: UserID) throws -> [FactorRecord]
    /// All of a kind, ordered by id, beginning after `id`.
    func factors(of kind: FactorKind, after id: FactorID?, limit: Int) throws -> [FactorRecord]
    /// The kinds of what the users have; nothing for those who have none.
    func factorKinds(of users: [UserID]) throws -> [UserID: Set<FactorKind>]
    /// Those that there are.
    func factorIDs(among ids: Set<FactorID>) throws -> Set<FactorID>
    /// False where the id is taken, or the user is gone.
    func insert(_ factor: FactorRecord) throws -> Bool
    /// Writes name, times, payload and freezing where the stored revision is `factor.revision`, and counts the revision up.
    func update(_ factor: FactorRecord) throws -> Bool
    /// Removes a factor; false where there is none.
    func deleteFactor(_ id: FactorID) throws -> Bool
}

/// Keeps flows.
public protocol FlowStorage {
    /// The flow of this digest, expired or not; nil where there is none.
    func flow(digest: Data) throws -> FlowRecord?
    /// False where the digest is taken, or its user is gone.
    func insert(_ flow: FlowRecord) throws -> Bool
    /// Writes everything but digest, purpose, creation and what is offered, where the stored revision is `flow.revision`;
    /// counts it up.
    func update(_ flow: FlowRecord) throws -> Bool
    /// Removes a flow; false where there is none.
    func deleteFlow(digest: Data) throws -> Bool
    /// Flows of a user for a purpose that are neither finished nor expired, the newest first.
    func openFlows(of user: UserID, purpose: String, at now: Date, limit: Int) throws -> [FlowRecord]
    /// The flow that offers a factor of this id, neither finished nor expired.
    func openFlow(offering factor: FactorID, at now: Date) throws -> FlowRecord?
    /// Those that are known to be of the user, in no order that means anything.
    func flows(of user: UserID, limit: Int) throws -> [FlowRecord]
    /// The revisions of those that there are, by their digests.
    func flowRevisions(among digests: Set<Data>) throws -> [Data: Int]
    /// Removes at most `limit` flows that expired before the instant; answers how many.
    func deleteFlows(expiredBefore instant: Date, limit: Int) throws -> Int
}

/// Keeps sessions.
public protocol SessionStorage {
    /// The session of this id, whether it goes on or not; nil where there is none.
    func session(_ id: SessionID) throws -> Session?
    /// Those of a user, whether they go on or not, the newest first.
    func sessions(of user: UserID, _ range: ListRange<SessionPlace>) throws -> [Session]
    /// Those of an epoch that were not ended and expire after the instant, the newest first.
    func sessions(
        of user: UserID, epoch: Int, expiringAfter instant: Date, _ range: ListRange<SessionPlace>
    ) throws -> [Session]
    /// False where the id is taken, or the user was deleted.
    func insert(_ session: Session) throws -> Bool
    /// Writes epoch, revocation, proofs and the browser's digest where the stored revision is `session.revision`; counts it up.
    func update(_ session: Session) throws -> Bool
    /// Removes at most `limit` sessions that expired before the instant, with their grants; answers how many.
    func deleteSessions(expiredBefore instant: Date, limit: Int) throws -> Int
}

/// Keeps grants.
public protocol GrantStorage {
    /// The grant of this id, whether it goes on or not; nil where there is none.
    func grant(_ id: GrantID) throws -> Grant?
    /// The newest first.
    func grants(of session: SessionID, limit: Int) throws -> [Grant]
    /// The newest first.
    func grants(of user: UserID, limit: Int) throws -> [Grant]
    /// Those of an application that were not ended, the newest first.
    func grants(of client: ClientID, _ range: ListRange<GrantPlace>) throws -> [Grant]
    /// Those of a session that were not ended, the newest first.
    func grants(of session: SessionID, _ range: ListRange<GrantPlace>) throws -> [Grant]
    /// Those of a user that were not ended, the newest first.
    func grants(of user: UserID, _ range: ListRange<GrantPlace>) throws -> [Grant]
    /// The applications that have grants of a session which were not ended, in no order.
    func holders(ofGrantsOf session: SessionID) throws -> [GrantHolder]
    /// The applications that have grants of a user which were not ended, in no order.
    func holders(ofGrantsOf user: UserID) throws -> [GrantHolder]
    /// Those of a user to one application that were not ended, the newest first.
    func grants(of user: UserID, to client: ClientID, _ range: ListRange<GrantPlace>) throws -> [Grant]
    /// False where the id is taken, or the session was deleted.
    func insert(_ grant: Grant) throws -> Bool
    /// Writes revocation, refresh state, terms and proofs where the stored revision is `grant.revision`; counts it up.
    func update(_ grant: Grant) throws -> Bool
    /// Removes a grant; false where there is none.
    func deleteGrant(_ id: GrantID) throws -> Bool
    /// Removes at most `limit` grants that expired before the instant; answers how many.
    func deleteGrants(expiredBefore instant: Date, limit: Int) throws -> Int
}

/// Keeps authorization codes.
public protocol AuthorizationCodeStorage {
    /// The code of this digest, expired and redeemed ones too; nil where there is none.
    func authorizationCode(digest: Data) throws -> AuthorizationCodeRecord?
    /// False where the digest is taken, or the user was deleted.
    func insert(_ code: AuthorizationCodeRecord) throws -> Bool
    /// Marks the code as redeemed and remembers the grant that it made, where the code was not redeemed before. False
    /// where it was, or is gone.
    func redeemAuthorizationCode(digest: Data, at instant: Date, making grant: GrantID?) throws -> Bool
    /// Removes a code; false where there is none.
    func deleteAuthorizationCode(digest: Data) throws -> Bool
    /// Removes at most `limit` codes that expired before the instant, redeemed or not; answers how many.
    func deleteAuthorizationCodes(expiredBefore instant: Date, limit: Int) throws -> Int
}

/// Keeps which tokens were used that are good once.
public protocol UsedTokenStorage {
    /// False where it was used before.
    func insert(_ used: UsedToken) throws -> Bool
    /// Removes a token, which is good again then; false where it was not used.
    func deleteUsedToken(digest: Data) throws -> Bool
    /// Removes at most `limit` tokens that expired before the instant; answers how many.
    func deleteUsedTokens(expiredBefore instant: Date, limit: Int) throws -> Int
}

/// Keeps groups and who is in them.
public protocol GroupStorage {
    /// The group of this name; nil where there is none.
    func group(_ name: GroupName) throws -> UserGroup?
    /// Ordered by name.
    func groups(_ range: ListRange<GroupName>) throws -> [UserGroup]
    /// Those whose name begins with a text, which is not empty; ordered by name.
    func groups(beginningWith text: String, _ range: ListRange<GroupName>) throws -> [UserGroup]
    /// The groups that a user is in, ordered by name.
    func groups(of user: UserID, limit: Int) throws -> [GroupName]
    /// Ordered by id.
    func members(of group: GroupName, _ range: ListRange<UserID>) throws -> [UserID]
    /// False where the name is taken.
    func insert(_ group: UserGroup) throws -> Bool
    /// Writes the summary; false where there is no such group.
    func update(_ group: UserGroup) throws -> Bool
    /// Removes the group and lets its members go.
    func deleteGroup(_ name: GroupName) throws -> Bool
    /// False where the user is in it already, or the group or the user is gone.
    func addMember(_ user: UserID, to group: GroupName, at instant: Date) throws -> Bool
    /// False where the user is not in it.
    func removeMember(_ user: UserID, from group: GroupName) throws -> Bool
}

/// Keeps which users administer the realm. A row goes with its user.
public protocol AdministratorStorage {
    /// The role of this user; nil where the user has none.
    func administrator(_ user: UserID) throws -> Administrator?
    /// Ordered by the user's id.
    func administrators(_ range: ListRange<UserID>) throws -> [Administrator]
    /// A user of the role beside this one, who is not disabled; nil where there is none.
    func administrator(with role: AdministratorRole, beside user: UserID) throws -> UserID?
    /// Inserts or replaces; false where the user is gone.
    func put(_ administrator: Administrator) throws -> Bool
    /// Takes the role away; false where the user has none.
    func deleteAdministrator(_ user: UserID) throws -> Bool
}

/// Keeps the tokens of machines that administer the realm.
public protocol MachineTokenStorage {
    /// The token of this digest, expired or not; nil where there is none.
    func machineToken(digest: Data) throws -> MachineToken?
    /// Ordered by id.
    func machineTokens(_ range: ListRange<String>) throws -> [MachineToken]
    /// False where the id or the digest is taken.
    func insert(_ token: MachineToken) throws -> Bool
    /// Remembers a use where no later one is known, without counting as a change.
    func touchMachineToken(_ id: String, usedAt instant: Date) throws
    /// Removes a token; false where there is none.
    func deleteMachineToken(_ id: String) throws -> Bool
}

/// Keeps token-signing keys.
public protocol SigningKeyStorage {
    /// All of them, the oldest first.
    func signingKeys() throws -> [SigningKeyRecord]
    /// False where the id is taken.
    func insert(_ key: SigningKeyRecord) throws -> Bool
    /// Writes retirement and the sealed key.
    func update(_ key: SigningKeyRecord) throws -> Bool
    /// Removes a key; false where there is none.
    func deleteSigningKey(_ id: String) throws -> Bool
}

/// Keeps applications.
public protocol ApplicationStorage {
    /// Nil for one that is disabled, too, in the transactions of a realm: to every protocol it is as if it were not there.
    func application(_ id: ClientID) throws -> Application?
    /// One that is there, disabled or not: for those who administer, and for its name.
    func registeredApplication(_ id: ClientID) throws -> Application?
    /// Whether one is there, disabled or not.
    func hasApplication(_ id: ClientID) throws -> Bool
    /// Ordered by id.
    func applications(_ range: ListRange<ClientID>) throws -> [Application]
    /// Those whose id begins with a text, which is not empty; ordered by id.
    func applications(beginningWith text: String, _ range: ListRange<ClientID>) throws -> [Application]
    /// False where the id is taken.
    func insert(_ application: Application) throws -> Bool
    /// Writes the registration where the stored revision is the one read; counts it up.
    func update(_ application: Application) throws -> Bool
    /// Removes an application; false where there is none.
    func deleteApplication(_ id: ClientID) throws -> Bool
    /// Those whose secret of before counts beside the present one until an instant between two others; the soonest first.
    func applications(secretsEndingAfter start: Date, before end: Date, limit: Int) throws -> [Application]
    /// Those that registered themselves, the newest first.
    func selfRegistered(_ range: ListRange<RegistrationPlace>) throws -> [Application]
    /// How many registered themselves.
    func countSelfRegistered() throws -> Int
    /// Those that registered themselves without a token before an instant, and were not noted as used; the oldest first.
    func unusedRegistrations(before instant: Date, limit: Int) throws -> [ClientID]
    /// Takes an application out of ``unusedRegistrations(before:limit:)``, whether it was used or not.
    func keepRegistration(_ id: ClientID) throws
    /// Remembers a use where there is such an application and no later one is known, without counting as a change. One that is at most
    /// ``ApplicationUses/clockDifference`` earlier than the application is as of its beginning.
    func note(_ use: ApplicationUse) throws
    /// The last use of each protocol by the applications, in no order that means anything. They go with their application.
    func applicationUses(of ids: [ClientID]) throws -> [ApplicationUse]
}

extension ApplicationStorage {
    public func registeredApplication(_ id: ClientID) throws -> Application? { try application(id) }
}

/// Keeps counters of attempts.
public protocol AttemptCounterStorage {
    /// The counter of this key; nil where nothing was counted.
    func counter(_ key: String) throws -> AttemptCounter?
    /// Inserts or replaces.
    func put(_ counter: AttemptCounter) throws
    /// Removes a counter, where there is one.
    func deleteCounter(_ key: String) throws
    /// Removes at most `limit` counters that began before the instant and block nothing; answers how many. Those of
    /// factors (``AttemptCounter/factorPrefix``) stay: wrong answers in a row are not forgotten by waiting.
    func deleteCounters(idleBefore instant: Date, limit: Int) throws -> Int
    /// In the order of their keys; as they were before the transaction.
    func counters(_ range: ListRange<String>) throws -> [AttemptCounter]
}

/// Keeps the audit log. Nothing in it is ever changed, except what remains of a removed user.
public protocol AuditStorage {
    /// Writes an event. Its id sorts after those of earlier instants.
    func append(_ event: AuditEvent) throws
    /// Events of one user, or of all, newest first.
    /// - Parameter id: only events with an id greater than this.
    func auditEvents(of user: UserID?, after id: String?, limit: Int) throws -> [AuditEvent]
    /// Events of one user, or of all, newest first, by their ids.
    func auditEvents(of user: UserID?, _ range: ListRange<String>) throws -> [AuditEvent]
    /// Events between two places of the log, the oldest first.
    /// - Parameter id: only events with an id greater than this.
    func auditEvents(after id: String, before bound: AuditBound, limit: Int) throws -> [AuditEvent]
    /// The event of this id; nil where there is none.
    func auditEvent(_ id: String) throws -> AuditEvent?
    /// The newest events of some kinds between two places of the log, the newest first.
    func auditEvents(
        ofKinds kinds: Set<AuditEvent.Kind>, from begin: AuditBound, before end: AuditBound, limit: Int
    ) throws -> [AuditEvent]
    /// How many events of each sort there are between two places of the log, by the hour.
    func auditCounts(from begin: AuditBound, before end: AuditBound) throws -> [AuditCount]
    /// Puts other details into the events of a kind that are of the user, and takes away what the digest of their details is keyed with.
    func replaceAuditDetails(of user: UserID, _ kind: AuditEvent.Kind, with details: [String: JSONValue]) throws
    /// Removes at most `limit` events from before the instant whose ids come after this one; answers how many.
    func deleteAuditEvents(before instant: Date, after id: String, limit: Int) throws -> Int
}

/// Keeps seals of the log.
public protocol AuditSealStorage {
    /// Rows of the log whose ids come after one and are not behind the other, in the order of their ids.
    /// - Parameter onlyTimely: without those that a seal took up late.
    func auditRows(after id: String, through last: String, onlyTimely: Bool, limit: Int) throws -> [AuditRow]
    /// The row of this id; nil where there is none.
    func auditRow(_ id: String) throws -> AuditRow?
    /// Writes nonce and digest of a row, where its details are still the same and it has neither yet.
    func markAuditRow(_ row: AuditRow) throws -> Bool
    /// Takes away what the digest of a row's details is keyed with.
    func forgetNonce(of id: String) throws
    /// Notes the seal that takes an event up late, where none has.
    func takeUpAuditRow(_ id: String, in seal: Int) throws -> Bool
    /// Whether there is an event of the user and kind after an id.
    func hasAuditEvent(of user: UserID, _ kind: AuditEvent.Kind, after id: String) throws -> Bool
    /// Removes at most `limit` rows up to an id, without those that a later seal than this one took up; answers how many.
    func deleteAuditRows(through id: String, sealedBy seal: Int, limit: Int) throws -> Int
    /// The seal of this number; nil where there is none.
    func auditSeal(_ number: Int) throws -> AuditSeal?
    /// Seals after a number, in their order.
    func auditSeals(after number: Int, limit: Int) throws -> [AuditSeal]
    /// Seals after a number that another master key signed, in their order.
    func auditSeals(after number: Int, notSignedBy keyID: String, limit: Int) throws -> [AuditSeal]
    /// The newest seal.
    func lastAuditSeal() throws -> AuditSeal?
    /// The first seal whose range ends at this id or behind it.
    func auditSeal(reaching id: String) throws -> AuditSeal?
    /// False where the number is taken.
    func insert(_ seal: AuditSeal) throws -> Bool
    /// Writes what may change of a seal, where it has this code still.
    func update(_ seal: AuditSeal, from code: String) throws -> Bool
    /// Removes the seals before a number.
    func deleteAuditSeals(before number: Int) throws
}

/// Keeps services that are told what happens.
public protocol EventHookStorage {
    /// All of them, those that were added first come first.
    func eventHooks() throws -> [EventHook]
    /// False where the id is taken.
    func insert(_ hook: EventHook) throws -> Bool
    /// Writes registration and progress, where the stored revision is the hook's, and counts it up.
    func update(_ hook: EventHook) throws -> Bool
    /// Removes a hook; false where there is none.
    func deleteEventHook(_ id: String) throws -> Bool
}

/// Keeps mail and push until they are delivered, and a while longer.
public protocol OutboxStorage {
    /// False where the id is taken.
    func insert(_ message: OutboxMessage) throws -> Bool
    /// The newest `limit` messages, the oldest of them first.
    func outboxMessages(limit: Int) throws -> [OutboxMessage]
    /// The newest `limit` messages to a recipient since an instant, the oldest of them first, delivered or not.
    func outboxMessages(
        to recipient: String, by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxMessage]
    /// Ids and recipients of a channel's newest messages since an instant, the newest first.
    func outboxArrivals(by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int) throws
        -> [OutboxArrival]
    /// Undelivered ones of a channel whose next attempt is due, those first that are due the longest.
    func outboxMessages(by channel: OutboxMessage.Channel, dueAt instant: Date, limit: Int) throws -> [OutboxMessage]
    /// How many of a channel are undelivered.
    func countOutboxMessages(waitingFor channel: OutboxMessage.Channel) throws -> Int
    /// Writes attempts and times, where the message is undelivered and the stored number of attempts is the given one.
    func update(_ message: OutboxMessage, after attempts: Int) throws -> Bool
    /// Removes a message, where it is undelivered and the stored number of attempts is the given one.
    func deleteOutboxMessage(_ id: String, after attempts: Int) throws -> Bool
    /// Those about the user, and those to the recipient that are about no user; the newest first.
    func outboxMessages(of user: UserID, recipient: String?, limit: Int) throws -> [OutboxMessage]
    /// Assigns messages to a recipient that are about no user to the user who is about to lose the address.
    func assignOutboxMessages(to recipient: String, of user: UserID) throws
    /// Removes all that ``outboxMessages(of:recipient:limit:)`` finds.
    func deleteOutboxMessages(of user: UserID, recipient: String?) throws
    /// Removes at most `limit` messages that were written before the instant; answers how many.
    func deleteOutboxMessages(createdBefore instant: Date, limit: Int) throws -> Int
    /// The same of one channel.
    func deleteOutboxMessages(by channel: OutboxMessage.Channel, createdBefore instant: Date, limit: Int) throws -> Int
}

/// Keeps sealed secrets that the realm has for services elsewhere, by name.
public protocol SecretStorage {
    /// The secret of this name, still sealed; nil where there is none.
    func sealedSecret(_ name: String) throws -> Data?
    /// Inserts or replaces.
    func putSealedSecret(_ name: String, _ sealed: Data) throws
    /// Removes a secret, where there is one.
    func deleteSealedSecret(_ name: String) throws
}

/// Keeps single named documents: the realm's settings, the offset of the moved clock.
public protocol DocumentStorage {
    /// The document of this name; nil where there is none.
    func document(_ name: String) throws -> Data?
    /// Inserts or replaces.
    func putDocument(_ name: String, _ body: Data) throws
    /// What a document says. Transactions of a realm remember it by the document's bytes, so that it is decoded once.
    /// - Parameter decode: the same for every document of that name.
    func decodedDocument<T: Sendable>(_ name: String, _ decode: (Data) throws -> T) throws -> T?
}

/// Tells how the database itself is.
public protocol StoreCondition {
    /// The database's present time, where servers on several machines share the database and their clocks may differ; nil
    /// where the clock of the one machine is all there is.
    func presentTime() throws -> Date?
    /// Whether the database takes writes, also where the transaction at hand only reads: false for a standby and for a
    /// database that was made read-only.
    func takesWrites() throws -> Bool
}

// MARK: Lists from their beginning on

extension ClientRecordStorage {
    /// Records of a kind by digest, those after the given one.
    public func clientRecords(_ kind: ClientRecord.Kind, after digest: Data?, limit: Int) throws -> [ClientRecord] {
        try clientRecords(kind, ListRange(digest, limit: limit))
    }
}

extension SessionStorage {
    /// The newest first.
    public func sessions(of user: UserID, limit: Int) throws -> [Session] {
        try sessions(of: user, ListRange(limit: limit))
    }

    /// The newest of an epoch that were not ended and expire after the instant.
    public func sessions(of user: UserID, epoch: Int, expiringAfter instant: Date, limit: Int) throws -> [Session] {
        try sessions(of: user, epoch: epoch, expiringAfter: instant, ListRange(limit: limit))
    }
}

extension GrantStorage {
    /// The newest of an application that were not ended: what is older than the place, or all of them.
    public func grants(of client: ClientID, before place: GrantPlace?, limit: Int) throws -> [Grant] {
        try grants(of: client, ListRange(place, limit: limit))
    }
}

extension AdministratorStorage {
    /// Ordered by the user's id, beginning after `id`.
    public func administrators(after id: UserID?, limit: Int) throws -> [Administrator] {
        try administrators(ListRange(id, limit: limit))
    }
}

extension MachineTokenStorage {
    /// Ordered by id, beginning after `id`.
    public func machineTokens(after id: String?, limit: Int) throws -> [MachineToken] {
        try machineTokens(ListRange(id, limit: limit))
    }
}

extension ApplicationStorage {
    /// Ordered by id, beginning after `id`.
    public func applications(after id: ClientID?, limit: Int) throws -> [Application] {
        try applications(ListRange(id, limit: limit))
    }
}

extension AuditStorage {
    /// Events of one user, or of all, newest first.
    /// - Parameter id: only events with an id less than this.
    public func auditEvents(of user: UserID?, before id: String?, limit: Int) throws -> [AuditEvent] {
        try auditEvents(of: user, ListRange(id, limit: limit))
    }
}

extension AuditStorage {
    /// Removes at most `limit` events from before the instant; answers how many.
    public func deleteAuditEvents(before instant: Date, limit: Int) throws -> Int {
        try deleteAuditEvents(before: instant, after: "", limit: limit)
    }
}

extension DocumentStorage {
    public func decodedDocument<T: Sendable>(_ name: String, _ decode: (Data) throws -> T) throws -> T? {
        try document(name).map(decode)
    }
}

extension StoreTransaction {
    /// The present instant, the same for all servers on the store: to be compared with what another server wrote.
    ///
    /// The database's time, moved as far as the realm's clock was moved on purpose; the realm's clock where the store has
    /// no time of its own.
    package func sharedTime(_ clock: any WallClock) throws -> Date {
        guard let present = try presentTime() else { return clock.now }
        return present + clock.displacement
    }
}
