import Foundation

/// A transaction in which each row is read once.
///
/// A transaction sees one snapshot and its own writes, so that what it has read stays what it was, until it writes it
/// itself. What it writes is remembered as the store keeps it: an update counts the revision up. Where that is not known –
/// an insert, which the store may refuse, rows that go with another row – the row is forgotten and read again.
///
/// The rules therefore ask for what they need where they need it, and hand no rows around to save statements
/// (`docs/decisions/0156`).
///
/// It belongs to one transaction, which runs on one thread.
final class RememberingTransaction {
    let base: any StoreTransaction
    private let standing: StandingDocuments

    // Nil within is that there is no such row.
    private var users: FewRows<UserID, User?> = [:]
    private var factors: FewRows<FactorID, FactorRecord?> = [:]
    /// All factors of a user, in their order.
    private var factorLists: FewRows<UserID, [FactorID]> = [:]
    private var flows: FewRows<Data, FlowRecord?> = [:]
    private var clientRecords: FewRows<ClientKey, ClientRecord?> = [:]
    private var sessions: FewRows<SessionID, Session?> = [:]
    private var grants: FewRows<GrantID, Grant?> = [:]
    private var applications: FewRows<ClientID, Application?> = [:]
    private var documents: FewRows<String, Data?> = [:]

    /// What was removed, by itself or with its user.
    private(set) var removedFactors: Set<FactorID> = []
    /// Sessions that were ended, in whatever way, or left their browser.
    private(set) var endings: [SessionEnding] = []

    /// Applications that got something of a user's session, or more of it.
    private(set) var used: [UseNotes.Key] = []

    /// Applications that were removed.
    private(set) var removedApplications: [ClientID] = []

    /// Channels that got a message.
    private var sentBy: Set<OutboxMessage.Channel> = []

    /// Devices that got a push.
    private var askedDevices: Set<FactorID> = []

    /// Attempts that were decided about on a device, by their digests.
    private var decidedAttempts: [Data] = []

    /// The topics of those who wait for what was written. Those in front of which a person waits come first: devices that were asked or removed, and
    /// pages.
    var topics: [String] {
        removedFactors.union(askedDevices).map(\.topic) + decidedAttempts.map(FlowHandle.topic) + sentBy.map(\.topic)
    }

    /// What was written into the log.
    private(set) var appended: [AuditEvent] = []

    private struct ClientKey: Hashable {
        let kind: ClientRecord.Kind
        let digest: Data
    }

    /// - Parameter standing: what documents say, decoded once for all transactions.
    init(_ base: any StoreTransaction, standing: StandingDocuments) {
        self.base = base
        self.standing = standing
    }

    /// The row under a key, read where it is not known.
    private func row<Key: Hashable, Row>(
        _ rows: inout FewRows<Key, Row?>, _ key: Key, _ read: (any StoreTransaction) throws -> Row?
    ) rethrows -> Row? {
        if let known = rows[key] { return known }
        let row = try read(base)
        rows[key] = .some(row)
        return row
    }

    /// Notes that an application's part of a session ended.
    func note(_ ending: SessionEnding) { endings.append(ending) }

    /// Notes that an attempt was decided about on a device.
    func note(decisionOf attempt: Data) { decidedAttempts.append(attempt) }

    /// Notes sessions of a user that end with a change of the user's row.
    /// - Parameter after: nil where the row is deleted.
    private func noteEndings(from before: User?, to after: User?) throws {
        guard let before, after?.endsSessions(of: before) ?? true else { return }
        var grants = try base.grants(of: before.id, limit: SessionEnding.mostTold)
        if grants.count == SessionEnding.mostTold {
            // Most may have ended before: then those alone that go on.
            grants = try base.grants(of: before.id, ListRange(limit: SessionEnding.mostTold))
        }
        guard grants.count < SessionEnding.mostTold else {
            // One word about the user for each application, in place of thousands about sessions.
            endings.append(
                SessionEnding(user: before, session: nil, holders: try base.holders(ofGrantsOf: before.id)))
            return
        }
        let told = grants.filter(\.isToldOfEnd)
        for (id, grants) in Dictionary(grouping: told, by: \.sessionID).sorted(by: {
            $0.key.rawValue < $1.key.rawValue
        }) {
            guard let session = try base.session(id), session.tokenEpoch == before.tokenEpoch,
                !before.refuses(issuedAt: session.createdAt)
            else { continue }
            let goesOn = after.map {
                !$0.isDisabled && $0.tokenEpoch == session.tokenEpoch && !$0.refuses(issuedAt: session.createdAt)
            }
            if goesOn != true {
                endings.append(
                    SessionEnding(user: before, session: session, holders: grants.map(GrantHolder.init(of:))))
            }
        }
    }

    /// Notes a session that is revoked, or whose browser lets go of it.
    private func noteEnding(from before: Session?, to after: Session) throws {
        guard let before, before.revokedAt == nil,
            after.revokedAt != nil || before.browserDigest != nil && after.browserDigest == nil
        else { return }
        let grants = try base.grants(of: after.id, limit: SessionEnding.mostTold)
        var holders = grants.filter(\.isToldOfEnd).map(GrantHolder.init(of:))
        // What protocol their grants are of is not looked at: an application that is told too much signs a user out who is signed out.
        if grants.count == SessionEnding.mostTold { holders += try base.holders(ofGrantsOf: after.id) }
        guard !holders.isEmpty, let user = try user(after.userID) else { return }
        endings.append(SessionEnding(user: user, session: before, holders: holders))
    }

    /// Forgets all rows that may go with another, or are written without being named.
    private func forgetAll() {
        users = [:]
        factors = [:]
        factorLists = [:]
        flows = [:]
        clientRecords = [:]
        sessions = [:]
        grants = [:]
    }
}

extension RememberingTransaction: StoreTransaction {
    // MARK: Users

    func user(_ id: UserID) throws -> User? { try row(&users, id) { try $0.user(id) } }

    func user(email: EmailAddress) throws -> User? { remember(try base.user(email: email)) }

    func user(phoneNumber: PhoneNumber) throws -> User? { remember(try base.user(phoneNumber: phoneNumber)) }

    private func remember(_ user: User?) -> User? {
        if let user { users[user.id] = .some(user) }
        return user
    }

    func users(among ids: Set<UserID>) throws -> [User] { try base.users(among: ids) }
    func users(after id: UserID?, limit: Int) throws -> [User] { try base.users(after: id, limit: limit) }

    func users(_ range: UserRange) throws -> [User] { try base.users(range) }

    func fillNameKeys(limit: Int) throws -> Int { try base.fillNameKeys(limit: limit) }

    func factorKinds(of users: [UserID]) throws -> [UserID: Set<FactorKind>] { try base.factorKinds(of: users) }

    func insert(_ user: User) throws -> Bool {
        users[user.id] = nil
        return try base.insert(user)
    }

    func update(_ user: User) throws -> Bool {
        let before = try self.user(user.id)
        users[user.id] = nil
        guard try base.update(user) else { return false }
        try noteEndings(from: before, to: user)
        var kept = user
        kept.revision += 1
        users[user.id] = .some(kept)
        return true
    }

    func touch(_ id: UserID, signedInAt: Date?, refreshedAt: Date?) throws {
        try base.touch(id, signedInAt: signedInAt, refreshedAt: refreshedAt)
        guard var user = users[id].flatMap({ $0 }) else { return }
        user.lastSignInAt = signedInAt.map(\.kept) ?? user.lastSignInAt
        user.lastRefreshAt = refreshedAt.map(\.kept) ?? user.lastRefreshAt
        users[id] = .some(user)
    }

    func deleteUser(_ id: UserID) throws -> Bool {
        let factors = try factors(of: id).map(\.id)
        try noteEndings(from: user(id), to: nil)
        forgetAll()
        guard try base.deleteUser(id) else { return false }
        removedFactors.formUnion(factors)
        return true
    }

    func countUsers() throws -> Int { try base.countUsers() }

    func countUsers(after place: UserPlace?, limit: Int) throws -> (count: Int, end: UserPlace?) {
        try base.countUsers(after: place, limit: limit)
    }

    func users(deletionDueBy instant: Date, limit: Int) throws -> [UserID] {
        try base.users(deletionDueBy: instant, limit: limit)
    }

    // MARK: Factors

    func factor(_ id: FactorID) throws -> FactorRecord? { try row(&factors, id) { try $0.factor(id) } }

    func factors(of user: UserID) throws -> [FactorRecord] {
        if let known = factorLists[user] { return known.compactMap { factors[$0].flatMap { $0 } } }
        let list = try base.factors(of: user)
        for factor in list { factors[factor.id] = .some(factor) }
        factorLists[user] = list.map(\.id)
        return list
    }

    func factors(of kind: FactorKind, after id: FactorID?, limit: Int) throws -> [FactorRecord] {
        try base.factors(of: kind, after: id, limit: limit)
    }

    func factorIDs(among ids: Set<FactorID>) throws -> Set<FactorID> { try base.factorIDs(among: ids) }

    func insert(_ factor: FactorRecord) throws -> Bool {
        factors[factor.id] = nil
        factorLists[factor.userID] = nil
        return try base.insert(factor)
    }

    func update(_ factor: FactorRecord) throws -> Bool {
        // An update leaves the list of the user's factors, and its order, as they are.
        factors[factor.id] = nil
        guard try base.update(factor) else {
            factorLists[factor.userID] = nil
            return false
        }
        var kept = factor
        kept.revision += 1
        factors[factor.id] = .some(kept)
        return true
    }

    func deleteFactor(_ id: FactorID) throws -> Bool {
        factors[id] = nil
        factorLists = [:]
        guard try base.deleteFactor(id) else { return false }
        removedFactors.insert(id)
        return true
    }

    // MARK: Flows

    func flow(digest: Data) throws -> FlowRecord? {
        if let known = flows[digest] { return known }
        let bringsDocuments = knowsNoStandingDocument
        let found = try base.flow(digest: digest, beside: bringsDocuments ? Self.standingDocuments : [])
        if bringsDocuments { keep(standing: found.documents) }
        flows[digest] = .some(found.flow)
        if let user = found.user {
            if !users.has(user.id) { users[user.id] = .some(user) }
        } else if let standIn = found.standIn {
            // Known not to be there: to ask for one would be a way to the database more than for a user who came along.
            users[standIn] = .some(nil)
        }
        return found.flow
    }

    func flow(digest: Data, beside documents: [String]) throws -> HeldFlow {
        let flow = try flow(digest: digest)
        return HeldFlow(
            flow: flow, user: try flow?.userID.flatMap { try user($0) }, documents: try self.documents(documents))
    }

    func insert(_ flow: FlowRecord) throws -> Bool {
        flows[flow.digest] = nil
        return try base.insert(flow)
    }

    func update(_ flow: FlowRecord) throws -> Bool {
        flows[flow.digest] = nil
        guard try base.update(flow) else { return false }
        var kept = flow
        kept.revision += 1
        flows[flow.digest] = .some(kept)
        return true
    }

    func deleteFlow(digest: Data) throws -> Bool {
        flows[digest] = nil
        return try base.deleteFlow(digest: digest)
    }

    func openFlows(of user: UserID, purpose: String, at now: Date, limit: Int) throws -> [FlowRecord] {
        try base.openFlows(of: user, purpose: purpose, at: now, limit: limit)
    }

    func openFlow(offering factor: FactorID, at now: Date) throws -> FlowRecord? {
        try base.openFlow(offering: factor, at: now)
    }

    func flows(of user: UserID, limit: Int) throws -> [FlowRecord] { try base.flows(of: user, limit: limit) }

    func flowRevisions(among digests: Set<Data>) throws -> [Data: Int] { try base.flowRevisions(among: digests) }

    func deleteFlows(expiredBefore instant: Date, limit: Int) throws -> Int {
        flows = [:]
        return try base.deleteFlows(expiredBefore: instant, limit: limit)
    }

    // MARK: Records of clients

    func clientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> ClientRecord? {
        try row(&clientRecords, ClientKey(kind: kind, digest: digest)) { try $0.clientRecord(kind, digest: digest) }
    }

    func clientRecords(_ kind: ClientRecord.Kind, _ range: ListRange<Data>) throws -> [ClientRecord] {
        try base.clientRecords(kind, range)
    }

    func clientRecords(_ kind: ClientRecord.Kind, of user: UserID, limit: Int) throws -> [ClientRecord] {
        try base.clientRecords(kind, of: user, limit: limit)
    }

    func insert(_ record: ClientRecord) throws -> Bool {
        clientRecords[ClientKey(kind: record.kind, digest: record.digest)] = nil
        return try base.insert(record)
    }

    func update(_ record: ClientRecord) throws -> Bool {
        let key = ClientKey(kind: record.kind, digest: record.digest)
        clientRecords[key] = nil
        guard try base.update(record) else { return false }
        var kept = record
        kept.revision += 1
        clientRecords[key] = .some(kept)
        return true
    }

    func deleteClientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> Bool {
        clientRecords[ClientKey(kind: kind, digest: digest)] = nil
        return try base.deleteClientRecord(kind, digest: digest)
    }

    func deleteClientRecords(_ kind: ClientRecord.Kind, expiredBefore instant: Date, limit: Int) throws -> Int {
        clientRecords = [:]
        return try base.deleteClientRecords(kind, expiredBefore: instant, limit: limit)
    }

    // MARK: Sessions

    func session(_ id: SessionID) throws -> Session? { try row(&sessions, id) { try $0.session(id) } }

    func sessions(of user: UserID, _ range: ListRange<SessionPlace>) throws -> [Session] {
        try base.sessions(of: user, range)
    }

    func sessions(
        of user: UserID, epoch: Int, expiringAfter instant: Date, _ range: ListRange<SessionPlace>
    ) throws -> [Session] {
        try base.sessions(of: user, epoch: epoch, expiringAfter: instant, range)
    }

    func insert(_ session: Session) throws -> Bool {
        sessions[session.id] = nil
        return try base.insert(session)
    }

    func update(_ session: Session) throws -> Bool {
        let before = try self.session(session.id)
        sessions[session.id] = nil
        guard try base.update(session) else { return false }
        try noteEnding(from: before, to: session)
        var kept = session
        kept.revision += 1
        sessions[session.id] = .some(kept)
        return true
    }

    func deleteSessions(expiredBefore instant: Date, limit: Int) throws -> Int {
        (sessions, grants) = ([:], [:])
        return try base.deleteSessions(expiredBefore: instant, limit: limit)
    }

    // MARK: Grants

    func grant(_ id: GrantID) throws -> Grant? { try row(&grants, id) { try $0.grant(id) } }

    func heldGrant(_ id: GrantID, beside documents: [String]) throws -> (HeldGrant?, documents: [String: Data]) {
        if !grants.has(id) {
            let bringsDocuments = knowsNoStandingDocument
            let (held, found) = try base.heldGrant(id, beside: bringsDocuments ? Self.standingDocuments : [])
            if bringsDocuments { keep(standing: found) }
            grants[id] = .some(held?.grant)
            if let held {
                sessions[held.session.id] = .some(held.session)
                users[held.user.id] = .some(held.user)
            }
            return (held, try self.documents(documents))
        }
        let found = try self.documents(documents)
        guard let grant = try grant(id), let session = try session(grant.sessionID), let user = try user(grant.userID)
        else { return (nil, found) }
        return (HeldGrant(grant: grant, session: session, user: user), found)
    }

    func grants(of session: SessionID, limit: Int) throws -> [Grant] { try base.grants(of: session, limit: limit) }

    func grants(of user: UserID, limit: Int) throws -> [Grant] { try base.grants(of: user, limit: limit) }

    func grants(of client: ClientID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try base.grants(of: client, range)
    }

    func grants(of session: SessionID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try base.grants(of: session, range)
    }

    func grants(of user: UserID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try base.grants(of: user, range)
    }

    func holders(ofGrantsOf session: SessionID) throws -> [GrantHolder] { try base.holders(ofGrantsOf: session) }

    func holders(ofGrantsOf user: UserID) throws -> [GrantHolder] { try base.holders(ofGrantsOf: user) }

    func grants(of user: UserID, to client: ClientID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try base.grants(of: user, to: client, range)
    }

    func insert(_ grant: Grant) throws -> Bool {
        grants[grant.id] = nil
        guard try base.insert(grant) else { return false }
        used.append(UseNotes.Key(application: grant.clientID, dialect: grant.dialect))
        return true
    }

    func update(_ grant: Grant) throws -> Bool {
        grants[grant.id] = nil
        guard try base.update(grant) else { return false }
        if grant.revokedAt == nil { used.append(UseNotes.Key(application: grant.clientID, dialect: grant.dialect)) }
        var kept = grant
        kept.revision += 1
        grants[grant.id] = .some(kept)
        return true
    }

    func deleteGrant(_ id: GrantID) throws -> Bool {
        grants[id] = nil
        return try base.deleteGrant(id)
    }

    func deleteGrants(expiredBefore instant: Date, limit: Int) throws -> Int {
        grants = [:]
        return try base.deleteGrants(expiredBefore: instant, limit: limit)
    }

    // MARK: Authorization codes

    func authorizationCode(digest: Data) throws -> AuthorizationCodeRecord? {
        try base.authorizationCode(digest: digest)
    }

    func insert(_ code: AuthorizationCodeRecord) throws -> Bool { try base.insert(code) }

    func redeemAuthorizationCode(digest: Data, at instant: Date, making grant: GrantID?) throws -> Bool {
        try base.redeemAuthorizationCode(digest: digest, at: instant, making: grant)
    }

    func deleteAuthorizationCode(digest: Data) throws -> Bool { try base.deleteAuthorizationCode(digest: digest) }

    func deleteAuthorizationCodes(expiredBefore instant: Date, limit: Int) throws -> Int {
        try base.deleteAuthorizationCodes(expiredBefore: instant, limit: limit)
    }

    // MARK: Used tokens

    func insert(_ used: UsedToken) throws -> Bool { try base.insert(used) }

    func deleteUsedToken(digest: Data) throws -> Bool { try base.deleteUsedToken(digest: digest) }

    func deleteUsedTokens(expiredBefore instant: Date, limit: Int) throws -> Int {
        try base.deleteUsedTokens(expiredBefore: instant, limit: limit)
    }

    // MARK: Groups and administrators

    func group(_ name: GroupName) throws -> UserGroup? { try base.group(name) }
    func groups(_ range: ListRange<GroupName>) throws -> [UserGroup] {
        try base.groups(range)
    }
    func groups(beginningWith text: String, _ range: ListRange<GroupName>) throws -> [UserGroup] {
        try base.groups(beginningWith: text, range)
    }
    func groups(of user: UserID, limit: Int) throws -> [GroupName] { try base.groups(of: user, limit: limit) }
    func members(of group: GroupName, _ range: ListRange<UserID>) throws -> [UserID] {
        try base.members(of: group, range)
    }
    func insert(_ group: UserGroup) throws -> Bool { try base.insert(group) }
    func update(_ group: UserGroup) throws -> Bool { try base.update(group) }
    func deleteGroup(_ name: GroupName) throws -> Bool { try base.deleteGroup(name) }
    func addMember(_ user: UserID, to group: GroupName, at instant: Date) throws -> Bool {
        try base.addMember(user, to: group, at: instant)
    }
    func removeMember(_ user: UserID, from group: GroupName) throws -> Bool {
        try base.removeMember(user, from: group)
    }

    func administrator(_ user: UserID) throws -> Administrator? { try base.administrator(user) }
    func administrators(_ range: ListRange<UserID>) throws -> [Administrator] {
        try base.administrators(range)
    }
    func administrator(with role: AdministratorRole, beside user: UserID) throws -> UserID? {
        try base.administrator(with: role, beside: user)
    }
    func put(_ administrator: Administrator) throws -> Bool { try base.put(administrator) }
    func deleteAdministrator(_ user: UserID) throws -> Bool { try base.deleteAdministrator(user) }

    func machineToken(digest: Data) throws -> MachineToken? { try base.machineToken(digest: digest) }
    func machineTokens(_ range: ListRange<String>) throws -> [MachineToken] {
        try base.machineTokens(range)
    }
    func insert(_ token: MachineToken) throws -> Bool { try base.insert(token) }
    func touchMachineToken(_ id: String, usedAt instant: Date) throws {
        try base.touchMachineToken(id, usedAt: instant)
    }
    func deleteMachineToken(_ id: String) throws -> Bool { try base.deleteMachineToken(id) }

    // MARK: What belongs to the realm

    func signingKeys() throws -> [SigningKeyRecord] { try base.signingKeys() }
    func insert(_ key: SigningKeyRecord) throws -> Bool { try base.insert(key) }
    func update(_ key: SigningKeyRecord) throws -> Bool { try base.update(key) }
    func deleteSigningKey(_ id: String) throws -> Bool { try base.deleteSigningKey(id) }

    /// What nearly every transaction asks for: read together, and with an application where one is asked for first.
    private static let standingDocuments = [settingsDocument, MasterKeys.checkDocument]

    private var knowsNoStandingDocument: Bool { Self.standingDocuments.allSatisfy { !documents.has($0) } }

    private func keep(standing found: [String: Data]) {
        for name in Self.standingDocuments where !documents.has(name) { documents[name] = .some(found[name]) }
    }

    func application(_ id: ClientID) throws -> Application? {
        guard let application = try registeredApplication(id), !application.registration.isDisabled else { return nil }
        guard application.registration.oauth.document != nil else { return application }
        // What documents say counts for as long as their addresses are admitted.
        guard let address = ClientDocumentID(id, takesLoopback: true), try settings().oauth.admits(address) else {
            return nil
        }
        return application
    }

    func registeredApplication(_ id: ClientID) throws -> Application? {
        guard !applications.has(id), knowsNoStandingDocument else {
            return try row(&applications, id) { try $0.application(id) }
        }
        let (application, found) = try base.application(id, beside: Self.standingDocuments)
        keep(standing: found)
        applications[id] = .some(application)
        return application
    }

    func hasApplication(_ id: ClientID) throws -> Bool {
        if let known = applications[id] { return known != nil }
        return try base.hasApplication(id)
    }

    func application(_ id: ClientID, beside documents: [String]) throws -> (Application?, documents: [String: Data]) {
        (try application(id), try self.documents(documents))
    }

    func applications(_ range: ListRange<ClientID>) throws -> [Application] {
        try base.applications(range)
    }

    func applications(beginningWith text: String, _ range: ListRange<ClientID>) throws -> [Application] {
        try base.applications(beginningWith: text, range)
    }

    func insert(_ application: Application) throws -> Bool {
        applications[application.id] = nil
        return try base.insert(application)
    }

    func update(_ application: Application) throws -> Bool {
        applications[application.id] = nil
        return try base.update(application)
    }

    func deleteApplication(_ id: ClientID) throws -> Bool {
        applications[id] = nil
        used.removeAll { $0.application == id }
        removedApplications.append(id)
        return try base.deleteApplication(id)
    }

    func applications(secretsEndingAfter start: Date, before end: Date, limit: Int) throws -> [Application] {
        try base.applications(secretsEndingAfter: start, before: end, limit: limit)
    }

    func selfRegistered(_ range: ListRange<RegistrationPlace>) throws -> [Application] {
        try base.selfRegistered(range)
    }

    func countSelfRegistered() throws -> Int { try base.countSelfRegistered() }

    func unusedRegistrations(before instant: Date, limit: Int) throws -> [ClientID] {
        try base.unusedRegistrations(before: instant, limit: limit)
    }

    func keepRegistration(_ id: ClientID) throws { try base.keepRegistration(id) }
    func note(_ use: ApplicationUse) throws { try base.note(use) }
    func applicationUses(of ids: [ClientID]) throws -> [ApplicationUse] { try base.applicationUses(of: ids) }

    func document(_ name: String) throws -> Data? {
        if !documents.has(name), Self.standingDocuments.contains(name) {
            keep(standing: try base.documents(Self.standingDocuments))
        }
        return try row(&documents, name) { try $0.document(name) }
    }

    func documents(_ names: [String]) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in names { found[name] = try document(name) }
        return found
    }

    func putDocument(_ name: String, _ body: Data) throws {
        documents[name] = nil
        try base.putDocument(name, body)
    }

    func decodedDocument<T: Sendable>(_ name: String, _ decode: (Data) throws -> T) throws -> T? {
        guard let body = try document(name) else { return nil }
        return try standing.decoded(name, body, decode)
    }

    func sealedSecret(_ name: String) throws -> Data? { try base.sealedSecret(name) }
    func putSealedSecret(_ name: String, _ sealed: Data) throws { try base.putSealedSecret(name, sealed) }
    func deleteSealedSecret(_ name: String) throws { try base.deleteSealedSecret(name) }

    // MARK: Counters, which the store itself remembers

    func counter(_ key: String) throws -> AttemptCounter? { try base.counter(key) }
    func readCounters(_ keys: [String]) throws { try base.readCounters(keys) }
    var asksAhead: Bool { base.asksAhead }
    func expect(_ rows: ExpectedRows) throws { try base.expect(rows) }
    func put(_ counter: AttemptCounter) throws { try base.put(counter) }
    func deleteCounter(_ key: String) throws { try base.deleteCounter(key) }

    func deleteCounters(idleBefore instant: Date, limit: Int) throws -> Int {
        try base.deleteCounters(idleBefore: instant, limit: limit)
    }

    func counters(_ range: ListRange<String>) throws -> [AttemptCounter] {
        try base.counters(range)
    }

    // MARK: The log

    func append(_ event: AuditEvent) throws {
        try base.append(event)
        appended.append(event)
    }

    func auditEvents(after id: String, before bound: AuditBound, limit: Int) throws -> [AuditEvent] {
        try base.auditEvents(after: id, before: bound, limit: limit)
    }

    func auditEvent(_ id: String) throws -> AuditEvent? { try base.auditEvent(id) }

    func auditEvents(
        ofKinds kinds: Set<AuditEvent.Kind>, from begin: AuditBound, before end: AuditBound, limit: Int
    ) throws -> [AuditEvent] {
        try base.auditEvents(ofKinds: kinds, from: begin, before: end, limit: limit)
    }

    func auditCounts(from begin: AuditBound, before end: AuditBound) throws -> [AuditCount] {
        try base.auditCounts(from: begin, before: end)
    }

    func eventHooks() throws -> [EventHook] { try base.eventHooks() }
    func insert(_ hook: EventHook) throws -> Bool { try base.insert(hook) }
    func update(_ hook: EventHook) throws -> Bool { try base.update(hook) }
    func deleteEventHook(_ id: String) throws -> Bool { try base.deleteEventHook(id) }

    func auditEvents(of user: UserID?, after id: String?, limit: Int) throws -> [AuditEvent] {
        try base.auditEvents(of: user, after: id, limit: limit)
    }

    func auditEvents(of user: UserID?, _ range: ListRange<String>) throws -> [AuditEvent] {
        try base.auditEvents(of: user, range)
    }

    func replaceAuditDetails(
        of user: UserID, _ kind: AuditEvent.Kind, with details: [String: JSONValue]
    ) throws {
        try base.replaceAuditDetails(of: user, kind, with: details)
    }

    func deleteAuditEvents(before instant: Date, after id: String, limit: Int) throws -> Int {
        try base.deleteAuditEvents(before: instant, after: id, limit: limit)
    }

    func auditRows(after id: String, through last: String, onlyTimely: Bool, limit: Int) throws -> [AuditRow] {
        try base.auditRows(after: id, through: last, onlyTimely: onlyTimely, limit: limit)
    }

    func auditRow(_ id: String) throws -> AuditRow? { try base.auditRow(id) }
    func markAuditRow(_ row: AuditRow) throws -> Bool { try base.markAuditRow(row) }
    func forgetNonce(of id: String) throws { try base.forgetNonce(of: id) }
    func takeUpAuditRow(_ id: String, in seal: Int) throws -> Bool { try base.takeUpAuditRow(id, in: seal) }

    func hasAuditEvent(of user: UserID, _ kind: AuditEvent.Kind, after id: String) throws -> Bool {
        try base.hasAuditEvent(of: user, kind, after: id)
    }

    func deleteAuditRows(through id: String, sealedBy seal: Int, limit: Int) throws -> Int {
        try base.deleteAuditRows(through: id, sealedBy: seal, limit: limit)
    }

    func auditSeal(_ number: Int) throws -> AuditSeal? { try base.auditSeal(number) }

    func auditSeals(after number: Int, limit: Int) throws -> [AuditSeal] {
        try base.auditSeals(after: number, limit: limit)
    }

    func auditSeals(after number: Int, notSignedBy keyID: String, limit: Int) throws -> [AuditSeal] {
        try base.auditSeals(after: number, notSignedBy: keyID, limit: limit)
    }

    func lastAuditSeal() throws -> AuditSeal? { try base.lastAuditSeal() }
    func auditSeal(reaching id: String) throws -> AuditSeal? { try base.auditSeal(reaching: id) }
    func insert(_ seal: AuditSeal) throws -> Bool { try base.insert(seal) }
    func update(_ seal: AuditSeal, from code: String) throws -> Bool { try base.update(seal, from: code) }
    func deleteAuditSeals(before number: Int) throws { try base.deleteAuditSeals(before: number) }

    // MARK: The outbox

    func insert(_ message: OutboxMessage) throws -> Bool {
        guard try base.insert(message) else { return false }
        sentBy.insert(message.channel)
        if message.channel == .push { askedDevices.insert(FactorID(rawValue: message.recipient)) }
        return true
    }

    func outboxMessages(limit: Int) throws -> [OutboxMessage] { try base.outboxMessages(limit: limit) }

    func outboxMessages(
        to recipient: String, by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxMessage] {
        try base.outboxMessages(to: recipient, by: channel, createdSince: instant, limit: limit)
    }

    func outboxArrivals(
        by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxArrival] {
        try base.outboxArrivals(by: channel, createdSince: instant, limit: limit)
    }

    func outboxMessages(
        by channel: OutboxMessage.Channel, dueAt instant: Date, limit: Int
    ) throws -> [OutboxMessage] {
        try base.outboxMessages(by: channel, dueAt: instant, limit: limit)
    }

    func countOutboxMessages(waitingFor channel: OutboxMessage.Channel) throws -> Int {
        try base.countOutboxMessages(waitingFor: channel)
    }

    func update(_ message: OutboxMessage, after attempts: Int) throws -> Bool {
        try base.update(message, after: attempts)
    }

    func deleteOutboxMessage(_ id: String, after attempts: Int) throws -> Bool {
        try base.deleteOutboxMessage(id, after: attempts)
    }

    func outboxMessages(of user: UserID, recipient: String?, limit: Int) throws -> [OutboxMessage] {
        try base.outboxMessages(of: user, recipient: recipient, limit: limit)
    }

    func assignOutboxMessages(to recipient: String, of user: UserID) throws {
        try base.assignOutboxMessages(to: recipient, of: user)
    }

    func deleteOutboxMessages(of user: UserID, recipient: String?) throws {
        try base.deleteOutboxMessages(of: user, recipient: recipient)
    }

    func deleteOutboxMessages(createdBefore instant: Date, limit: Int) throws -> Int {
        try base.deleteOutboxMessages(createdBefore: instant, limit: limit)
    }

    func deleteOutboxMessages(
        by channel: OutboxMessage.Channel, createdBefore instant: Date, limit: Int
    ) throws -> Int {
        try base.deleteOutboxMessages(by: channel, createdBefore: instant, limit: limit)
    }

    // MARK: The store itself

    func sealedRows(
        in place: SealedPlace, after key: String?, except name: Data?, limit: Int
    ) throws -> [SealedRow] {
        try base.sealedRows(in: place, after: key, except: name, limit: limit)
    }

    func replaceSealed(_ present: Data, at address: SealedAddress, with sealed: Data) throws -> Bool {
        forgetAll()
        return try base.replaceSealed(present, at: address, with: sealed)
    }

    func presentTime() throws -> Date? { try base.presentTime() }
    func takesWrites() throws -> Bool { try base.takesWrites() }
    func reserve(_ rows: Set<ReservedRow>) throws { try base.reserve(rows) }
}

extension Date {
    /// The instant as a store gives it back.
    fileprivate var kept: Date { Date(microseconds: microseconds) }
}
