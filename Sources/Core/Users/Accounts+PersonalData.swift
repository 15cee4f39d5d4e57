import Foundation

/// What is kept about one person beside the log (``AuditLog/events(of:before:limit:)``), from one snapshot. Its sealed
/// and digested parts are secrets and not for showing.
public struct PersonalData: Sendable {
    /// The user as it is stored.
    public let user: User
    /// In the order of enrolment, with what is counted against each.
    public let factors: [AccountDossier.Factor]
    /// The newest first, with their grants; also those that are over and not yet removed.
    public let sessions: [SessionListing]
    /// Attempts under way, and those that are remembered for a while.
    public let flows: [FlowRecord]
    /// What the user allowed applications.
    public let consents: [Consent]
    /// Installations of applications that are the user's, and what they have proven.
    public let clientRecords: [ClientRecord]
    /// The newest first.
    public let messages: [OpenedMessage]
    /// Counters of the address. What is counted of a source is of the source's.
    public let limits: [Limit]
    /// Ordered by name.
    public let groups: [GroupName]
    /// What the user may administer.
    public let administrator: Administrator?
    /// Whether there are more sessions, flows, records of clients or messages than ``longestList`` of each.
    public let isCut: Bool

    /// Rows of one sort that are listed at most.
    public static let longestList = 2000

    /// How often something was tried with the address.
    public struct Limit: Sendable {
        /// What was counted.
        public enum Subject: Sendable {
            /// Mails to the address.
            case mailsToAddress
            /// Requests to the user's devices.
            case requestsToDevices
            /// Enrolments that the user began.
            case enrolmentsBegun
            /// New passwords that came to nothing.
            case newPasswords
            /// Mails about changes of the account.
            case noticesOfChanges
            /// Wrong passwords for the address, from when it had no account.
            case wrongPasswordsBeforeTheAccount
        }

        /// What was counted.
        public let subject: Subject
        /// The counter.
        public let counter: AttemptCounter
    }
}

extension Accounts {
    /// What is kept about a user, to be handed out; the log says so. Nil where there is no such user.
    public func personalData(_ id: UserID, by client: ClientContext) async throws -> PersonalData? {
        let realm = realm
        let now = realm.clock.now
        let event = AuditEvent(
            id: AuditEvent.freshID(at: now, random: realm.random), at: now, kind: .userDataShown, userID: id,
            context: client)
        let limit = PersonalData.longestList
        let data = try await realm.store.read { transaction -> PersonalData? in
            guard let user = try transaction.user(id) else { return nil }
            let sessions = try transaction.sessionListings(of: id, limit: limit + 1)
            let flows = try transaction.flows(of: id, limit: limit + 1)
            let clientRecords = try ClientRecord.Kind.allCases.flatMap {
                try transaction.clientRecords($0, of: id, limit: limit + 1)
            }
            let messages = try transaction.outboxMessages(
                of: id, recipient: user.email?.canonical, limit: limit + 1)
            var limits: [PersonalData.Limit] = []
            var keys: [(PersonalData.Limit.Subject, String)] = [
                (.requestsToDevices, CounterKey.pushes(to: id)), (.enrolmentsBegun, CounterKey.offers(to: id)),
                (.newPasswords, CounterKey.newPasswords(of: id)),
                (.noticesOfChanges, CounterKey.notices(to: id)),
            ]
            if let address = user.email?.canonical {
                keys += [
                    (
                        .mailsToAddress,
                        CounterKey.mails(to: try realm.sealer.digest(address, for: "mailbox", in: transaction))
                    ),
                    (
                        .wrongPasswordsBeforeTheAccount,
                        CounterKey.claim(try realm.sealer.digest(address, for: "claim", in: transaction))
                    ),
                ]
            }
            for (subject, key) in keys {
                if let counter = try transaction.counter(key) {
                    limits.append(PersonalData.Limit(subject: subject, counter: counter))
                }
            }
            return PersonalData(
                user: user, factors: try transaction.factorStandings(of: id, at: now, realm.proofs),
                sessions: Array(sessions.prefix(limit)),
                flows: flows.prefix(limit).filter { $0.purpose != Consents.purpose },
                consents: try transaction.consents(of: id, at: now, sealer: realm.sealer),
                clientRecords: Array(clientRecords.prefix(limit)),
                messages: try messages.prefix(limit).map { try OpenedMessage($0, with: realm.sealer) },
                limits: limits, groups: try transaction.groups(of: id, limit: UserGroup.mostOfUser),
                administrator: try transaction.administrator(id),
                isCut: [sessions.count, flows.count, clientRecords.count, messages.count].contains { $0 > limit })
        }
        guard let data else { return nil }
        try await realm.store.write { try $0.append(event) }
        return data
    }
}
