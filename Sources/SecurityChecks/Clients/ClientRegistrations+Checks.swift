import CountersignCore
import Foundation

/// A check of a client that is in a state: a success that goes on, a window of trying, or a time of being blocked.
public struct OpenCheck: Sendable, Equatable {
    /// The check's name.
    public let name: String
    /// ``AttemptLimits/attempting``, ``AttemptLimits/success``, ``AttemptLimits/blocked``, or a state of the check's own.
    public let state: String
    /// When the state is over, by the check's settings when it was entered.
    public let until: Date
    /// Whether the applications of the device share the state.
    public let isShared: Bool

    /// Whether no answer is taken before ``until``.
    public var isBlocked: Bool { state == AttemptLimits.blocked }
}

/// A client of a user, and its open checks.
public struct UserClient: Sendable {
    /// The client, as lists have it.
    public let client: ListedClient
    /// Whether the user is the one who logged in there last.
    public let isBound: Bool
    /// By their names.
    public let checks: [OpenCheck]
}

/// An open check in a list of all, and the client that was in front of it last.
public struct ListedCheck: Sendable {
    /// The client, as lists have it.
    public let client: ListedClient
    /// The check and its state.
    public let check: OpenCheck
}

/// Which open checks a list is of. What is nil does not matter.
public struct OpenCheckFilter: Sendable {
    /// The id of the application that the client is an installation of.
    public var application: String?
    /// The check's name.
    public var check: String?
    /// The state that the check is in (``OpenCheck/state``).
    public var state: String?

    /// A filter of these conditions, all of which have to hold. Without arguments it takes every open check.
    public init(application: String? = nil, check: String? = nil, state: String? = nil) {
        self.application = application
        self.check = check
        self.state = state
    }
}

/// What came of lifting a block.
public enum UnblockOutcome: Sendable, Equatable {
    /// The check takes answers of the client again.
    case unblocked
    /// The check is not blocked for the client, or there is no such check.
    case notBlocked
    /// There is no such client.
    case unknownClient
}

extension ClientRegistrations {
    /// Clients of one user that are looked at.
    public static let mostOfUser = 50
    /// States of one user's checks that are looked at.
    static let mostStatesOfUser = 200
    /// Checks of one application that are looked for, beside those whose states name the user.
    static let mostChecks = 32

    /// The clients where the user logged in last, and those where a check that has recognised the user is open.
    ///
    /// Both are found by indexes on the user. The user's of a developer's own directory are no users here.
    /// - Returns: `isWhole` is false where the user has more than are looked at.
    public func clients(of account: UserID) async throws -> (clients: [UserClient], isWhole: Bool) {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            let reader = OpenChecks(realm: realm, now: now, transaction: transaction)
            guard let user = try transaction.user(account) else { return ([], true) }
            let bound = try transaction.clientRecords(.registration, of: account, limit: Self.mostOfUser + 1)
            let rows = try transaction.clientRecords(.checkState, of: account, limit: Self.mostStatesOfUser + 1)
            var clients: [Data: StoredClient] = [:]
            for row in bound.prefix(Self.mostOfUser) where row.expiresAt > now {
                // One that cannot be read does not keep the others from being shown.
                clients[row.digest] = try? StoredClient(row, realm.sealer)
            }
            let isBound = Set(clients.keys)
            var isWhole = bound.count <= Self.mostOfUser && rows.count <= Self.mostStatesOfUser
            var names: [Data: Set<String>] = [:]
            for row in rows.prefix(Self.mostStatesOfUser) {
                guard let record = reader.record(row), let (name, digest) = record.place,
                    reader.open(record, name: name, isShared: false, of: user) != nil
                else { continue }
                if clients[digest] == nil {
                    guard clients.count < 2 * Self.mostOfUser else {
                        isWhole = false
                        continue
                    }
                    clients[digest] = try transaction.client(
                        ClientReference(digest: digest), sealer: realm.sealer, at: now)
                }
                names[digest, default: []].insert(name)
            }
            let found = try clients.map { digest, stored in
                UserClient(
                    client: ListedClient(
                        reference: ClientReference(digest: digest), registration: stored.registration),
                    isBound: isBound.contains(digest),
                    checks: try reader.checks(of: stored.registration, and: names[digest] ?? []))
            }
            return (found.sorted { $0.client.registration.seenAt > $1.client.registration.seenAt }, isWhole)
        }
    }

    /// A page of the open checks of all clients, in the order of their references. A state that the applications of a device share is one
    /// of them, with the client that was in front of it last.
    ///
    /// States are sealed, so the store cannot choose among them: a page looks at ``mostLookedAt`` and may be short, or empty, and still not be
    /// the last.
    public func openChecks(
        _ range: ListRange<OpenCheckReference>, filter: OpenCheckFilter = OpenCheckFilter()
    ) async throws -> ListPage<ListedCheck, OpenCheckReference> {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            let reader = OpenChecks(realm: realm, now: now, transaction: transaction)
            return try range.page(most: Self.mostLookedAt, chunk: 250) {
                OpenCheckReference(digest: $0.digest)
            } _: {
                try transaction.clientRecords(.checkState, $0.map(\.digest))
            } show: { row in
                try reader.listed(row, filter)
            }
        }
    }

    /// The open checks of a client; nil where there is no such client.
    public func openChecks(of reference: ClientReference) async throws -> [OpenCheck]? {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let stored = try transaction.client(reference, sealer: realm.sealer, at: now) else { return nil }
            return try OpenChecks(realm: realm, now: now, transaction: transaction).checks(of: stored.registration)
        }
    }

    /// Lets a blocked client answer a check again. What ended its success stays ended: refresh tokens of before do not come back. Wrong answers
    /// that count against a person, from whatever client, stay counted.
    public func unblock(
        _ check: String, of reference: ClientReference, by actor: ClientContext
    ) async throws -> UnblockOutcome {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        for _ in 0..<Self.maximumRounds {
            let outcome = try await realm.store.write { transaction -> UnblockOutcome? in
                guard let client = try transaction.client(reference, sealer: realm.sealer, at: now)?.registration
                else { return .unknownClient }
                guard let version = try transaction.version(of: client.application) else { return .notBlocked }
                let digest = CheckRow.state(check, of: version.owner(of: check, client))
                let reader = OpenChecks(realm: realm, now: now, transaction: transaction)
                guard var row = try transaction.clientRecord(.checkState, digest: digest),
                    var record = reader.record(row), record.state.name == AttemptLimits.blocked,
                    record.endsAt.map({ $0 > now }) ?? true
                else { return .notBlocked }
                record.liftBlock()
                row.body = try realm.sealer.seal(JSONEncoder().encode(record), for: row.address, in: transaction)
                guard try transaction.update(row) else { return nil }
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .securityCheckUnblocked,
                        userID: client.context.registeredUser?.account, context: actor,
                        details: ["check": .string(check), "application": .string(client.application.id)]))
                return .unblocked
            }
            if let outcome { return outcome }
        }
        throw StoreError(.overloaded, "A check's state kept changing while its client was unblocked.")
    }

    private static let maximumRounds = 3
}

/// Reads states of checks without the checks themselves, of which operations know none.
private struct OpenChecks {
    let realm: Realm
    let now: Date
    let transaction: any StoreTransaction

    /// Nil where the state means nothing any more, or cannot be read.
    func record(_ row: ClientRecord) -> CheckRecord? {
        guard row.expiresAt > now, let body = try? realm.sealer.open(row.body, for: row.address) else { return nil }
        return try? JSONDecoder().decode(CheckRecord.self, from: body)
    }

    /// Nil where the state is over. One that a server of an earlier version wrote does not say when.
    /// - Parameter user: the account that a success has to be of; nil where any user's counts.
    func open(_ record: CheckRecord, name: String, isShared: Bool, of user: User? = nil) -> OpenCheck? {
        guard let until = record.endsAt, until > now else { return nil }
        if let user {
            guard record.user?.account == user.id, !user.isDisabled,
                record.user?.accountEpoch ?? user.tokenEpoch == user.tokenEpoch
            else { return nil }
        }
        let isGranted = record.grantedUntil.map { $0 > now } ?? false
        guard let state = isGranted ? AttemptLimits.success : record.state.name else { return nil }
        return OpenCheck(name: name, state: state, until: until, isShared: isShared)
    }

    /// The check with its client; nil where the filter does not let it, where it is not open, or counts for no client any more.
    func listed(_ row: ClientRecord, _ filter: OpenCheckFilter) throws -> ListedCheck? {
        guard let record = record(row), let (name, digest) = record.place, filter.check.map({ $0 == name }) ?? true,
            let found = try transaction.clientRecord(.registration, digest: digest), found.expiresAt > now,
            // One that cannot be read does not keep the others from being shown.
            let client = (try? StoredClient(found, realm.sealer))?.registration,
            filter.application.map({ $0 == client.application.id }) ?? true,
            let version = try transaction.version(of: client.application),
            // The version may share the check since, or no longer: then another row counts.
            row.digest == CheckRow.state(name, of: version.owner(of: name, client)),
            let check = try standing(record, name, of: client, version),
            filter.state.map({ $0 == check.state }) ?? true
        else { return nil }
        return ListedCheck(
            client: ListedClient(reference: ClientReference(digest: digest), registration: client), check: check)
    }

    /// What the state of a check means; nil where it is over.
    private func standing(
        _ record: CheckRecord, _ name: String, of client: ClientRegistration, _ version: ApplicationVersion
    ) throws -> OpenCheck? {
        // A success whose user may not act any more counts as none.
        let holder = try record.user?.account.map { try transaction.user($0) }
        if case .some(.none) = holder { return nil }
        return open(record, name: name, isShared: version.isShared(name, client), of: holder ?? nil)
    }

    /// - Parameter names: checks that are known to be open, beside those that the application names.
    func checks(of client: ClientRegistration, and names: Set<String> = []) throws -> [OpenCheck] {
        guard let version = try transaction.version(of: client.application) else { return [] }
        let others = version.namedChecks.subtracting(names).sorted().prefix(ClientRegistrations.mostChecks)
        return try names.union(others).sorted().compactMap { name in
            let digest = CheckRow.state(name, of: version.owner(of: name, client))
            guard let row = try transaction.clientRecord(.checkState, digest: digest), let record = record(row) else {
                return nil
            }
            return try standing(record, name, of: client, version)
        }
    }
}

extension CheckRecord {
    /// The check and the client that it was written for last; nil where an earlier version did.
    fileprivate var place: (check: String, client: Data)? {
        guard let check, let client else { return nil }
        return (check, client)
    }

    /// Trying begins anew with the next challenge.
    fileprivate mutating func liftBlock() {
        state = ExternalizableState()
        usedAttempts = 0
        message = nil
        judging = nil
        endsAt = nil
    }
}

extension ApplicationVersion {
    /// Whose state of the check it is: the client's, or the device's where its applications share it.
    func owner(of check: String, _ client: ClientRegistration) -> String {
        isShared(check, client) ? "device/\(client.device.id)" : "client/\(client.id.rawValue)"
    }

    func isShared(_ check: String, _ client: ClientRegistration) -> Bool {
        sharedChecks.contains(check) && client.device.id.utf8.count >= Self.shortestSharingDeviceID
    }

    /// A client that knows a device's id shares its logins, so the id must not be one that can be guessed.
    static let shortestSharingDeviceID = 16

    /// The checks that the descriptor names.
    var namedChecks: Set<String> {
        scopeElementMapping.values.reduce(into: Set(securityCheckConfigurations.keys).union(sharedChecks)) {
            $0.formUnion(Self.elements(of: $1))
        }.union(Self.elements(of: mandatoryScope).flatMap(checks(of:)))
    }
}
