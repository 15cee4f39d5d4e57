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
/// It belongs to one transaction, which runs on one thread. What it does for each entity stands in a file of its own, as in `SQLTransaction`.
final class RememberingTransaction: StoreTransaction {
    let base: any StoreTransaction
    let standing: StandingDocuments

    // Nil within is that there is no such row.
    var users: FewRows<UserID, User?> = [:]
    var factors: FewRows<FactorID, FactorRecord?> = [:]
    /// All factors of a user, in their order.
    var factorLists: FewRows<UserID, [FactorID]> = [:]
    var flows: FewRows<Data, FlowRecord?> = [:]
    var clientRecords: FewRows<ClientKey, ClientRecord?> = [:]
    var sessions: FewRows<SessionID, Session?> = [:]
    var grants: FewRows<GrantID, Grant?> = [:]
    var applications: FewRows<ClientID, Application?> = [:]
    var documents: FewRows<String, Data?> = [:]

    /// What was removed, by itself or with its user.
    var removedFactors: Set<FactorID> = []
    /// Sessions that were ended, in whatever way, or left their browser.
    private(set) var endings: [SessionEnding] = []

    /// Applications that got something of a user's session, or more of it.
    var used: [UseNotes.Key] = []

    /// Applications that were removed.
    var removedApplications: [ClientID] = []

    /// Channels that got a message.
    var sentBy: Set<OutboxMessage.Channel> = []

    /// Devices that got a push.
    var askedDevices: Set<FactorID> = []

    /// Attempts that were decided about on a device, by their digests.
    private var decidedAttempts: [Data] = []

    /// The topics of those who wait for what was written. Those in front of which a person waits come first: devices that were asked or removed, and
    /// pages.
    var topics: [String] {
        removedFactors.union(askedDevices).map(\.topic) + decidedAttempts.map(FlowHandle.topic) + sentBy.map(\.topic)
    }

    /// What was written into the log.
    var appended: [AuditEvent] = []

    struct ClientKey: Hashable {
        let kind: ClientRecord.Kind
        let digest: Data
    }

    /// - Parameter standing: what documents say, decoded once for all transactions.
    init(_ base: any StoreTransaction, standing: StandingDocuments) {
        self.base = base
        self.standing = standing
    }

    /// The row under a key, read where it is not known.
    func row<Key: Hashable, Row>(
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
    func noteEndings(from before: User?, to after: User?) throws {
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
    func noteEnding(from before: Session?, to after: Session) throws {
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
    func forgetAll() {
        users = [:]
        factors = [:]
        factorLists = [:]
        flows = [:]
        clientRecords = [:]
        sessions = [:]
        grants = [:]
    }
}
