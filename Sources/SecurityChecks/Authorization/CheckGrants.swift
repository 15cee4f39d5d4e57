import CountersignCore
import Foundation
import OneTimePassword

/// What follows when all checks of a scope are in success: codes, tokens, and whether a token still counts.
public struct CheckGrants: Sendable {
    let realm: Realm
    let catalogue: SecurityCheckCatalogue

    /// What is granted to a client now.
    public struct Grant: Sendable {
        /// The client's registration, as it was read for the grant.
        public let client: ClientRegistration
        /// The elements that were asked for, with no regard to their order.
        public let scope: Set<String>
        /// When the first of its checks is over, or the application's longest token.
        public let expiresAt: Date
        /// The last user that was recognised.
        public let user: AuthenticatedUser?
        /// What checks tell resource servers, by their names.
        public let checks: [String: [String: JSONValue]]
        /// What the settings say of tokens, where a token is to follow; nil where none is.
        public internal(set) var tokenSettings: TokenSettings?
        /// Names the successes of its checks, for the token that is to follow (``CheckGrants/grant(to:scope:passed:)``); empty where none
        /// is.
        public internal(set) var passed: [String] = []
    }

    /// What came of a request for a code or a grant.
    public enum Outcome<Value: Sendable>: Sendable {
        /// Every check of the scope is in success.
        case granted(Value)
        /// The client is not served, whatever its checks say.
        case refused(ClientRefusal)
        /// An element is neither mapped by the application nor the name of a check, or there are more than 64 elements.
        case unknownScope
        /// A check of the scope is not in success.
        case notGranted

        func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> Outcome<Other> {
            switch self {
            case .granted(let value): .granted(try transform(value))
            case .refused(let refusal): .refused(refusal)
            case .unknownScope: .unknownScope
            case .notGranted: .notGranted
            }
        }
    }

    /// What a code of an earlier version stands for, which kept codes as flows.
    private struct EarlierCode: Codable, Sendable {
        var client: RegisteredClientID
        var scope: Set<String>
        var redirectURI: String
    }

    /// What a client that asks for a code is told.
    public struct CodeReply: Sendable {
        /// The client's registration, also where the code is refused.
        public let client: ClientRegistration
        /// The addresses that the client's application was registered with.
        public let redirectURIs: [String]
        /// The code counts when it is handed out (``limitOfCodes(of:)``).
        public let code: Outcome<String>
    }

    /// A code for what is granted now. No check is asked for anything. A client is given sixty a minute
    /// (``ClientRefusal/limited(until:)``).
    public func code(
        for id: RegisteredClientID, scope: Set<String>, redirectURI: String
    ) async throws -> Outcome<String> {
        guard let reply = try await reply(to: id, scope: scope, redirectURI: redirectURI) else {
            return .refused(.unknownClient)
        }
        if case .granted = reply.code, let until = limitOfCodes(of: id) { return .refused(.limited(until: until)) }
        return reply.code
    }

    /// The same, with what it takes to see whether the client may be answered at that address; nil where there is no such client.
    /// The caller counts the code before it hands it out (``limitOfCodes(of:)``).
    public func reply(
        to id: RegisteredClientID, scope: Set<String>, redirectURI: String
    ) async throws -> CodeReply? {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let nonce = realm.random.bytes(16)
        return try await realm.store.read { transaction in
            guard let client = try transaction.client(id, sealer: realm.sealer, at: now, catalogue.memory) else {
                return nil
            }
            let application = try transaction.application(ClientID(rawValue: client.registration.application.id))
            let found = try Self.found(client, application, scope, catalogue, realm, now, transaction)
            return CodeReply(
                client: client.registration, redirectURIs: application?.registration.redirectURIs ?? [],
                code: try found.map { _ in
                    try CheckCode(
                        for: id, scope: scope, redirectURI: redirectURI, nonce: nonce, at: now, sealer: realm.sealer,
                        in: transaction
                    ).text
                })
        }
    }

    /// Counts a code that is handed out; when the next one may be where this is one too many. Counted in this process, like
    /// polls: a code is no row.
    public func limitOfCodes(of id: RegisteredClientID) -> Date? {
        catalogue.memory.codes.until(CounterKey.codes(of: id), ClientLimits.codes, at: realm.clock.now)
    }

    /// Trades a code for what is granted now; nil where the code is unknown, used, too old, another client's, or was asked
    /// for another address.
    public func redeem(
        _ code: String, by id: RegisteredClientID, redirectURI: String
    ) async throws -> Outcome<Grant>? {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let presented = AuthorizationCode.Presented(client: id.rawValue, redirectURI: redirectURI)
        let found = try await realm.store.write { transaction -> Outcome<Standing>? in
            guard CheckCode.isOne(code) else {
                guard let scope = try Self.redeemRow(code, presented, at: now, sealer: realm.sealer, in: transaction)
                else { return nil }
                return try Self.found(id, scope, catalogue, realm, now, transaction).forToken(in: transaction)
            }
            guard
                let own = CheckCode(code, presentedBy: id, redirectURI: redirectURI, at: now, sealer: realm.sealer)
            else { return nil }
            let found = try Self.found(id, own.scope, catalogue, realm, now, transaction).forToken(in: transaction)
            return try own.redeem(by: id, redirectURI: redirectURI, at: now, sealer: realm.sealer, in: transaction)
                ? found : nil
        }
        return found?.map(\.described)
    }

    /// Redeems a code that a server of an earlier version issued less than a minute ago: a row. Good once, and removed at once.
    private static func redeemRow(
        _ code: String, _ presented: AuthorizationCode.Presented, at now: Date, sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws -> Set<String>? {
        guard let (record, kept) = try transaction.authorizationCode(Secret(code), sealer: sealer, at: now) else {
            return try redeemEarlier(code, presented, at: now, sealer: sealer, in: transaction)
        }
        guard record.redeemedAt == nil, kept.session == nil, kept.fits(presented) else { return nil }
        return try transaction.deleteAuthorizationCode(digest: record.digest) ? Set(kept.scopes) : nil
    }

    /// The same of a version that kept codes as flows.
    private static func redeemEarlier(
        _ code: String, _ presented: AuthorizationCode.Presented, at now: Date, sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws -> Set<String>? {
        guard let row = try transaction.flow(digest: CheckRow.code(code)), row.finishedAt == nil, row.expiresAt > now
        else { return nil }
        let plain = try sealer.open(row.body, for: .flow(row.digest))
        let body = try JSONDecoder().decode(EarlierCode.self, from: plain)
        guard
            AuthorizationCode(client: body.client.rawValue, redirectURI: body.redirectURI).fits(presented),
            try transaction.deleteFlow(digest: row.digest)
        else { return nil }
        return body.scope
    }

    /// What is granted to a client now, without asking it or any check for anything.
    /// - Parameter passed: the successes that a token came of (``Grant/passed``): nothing is granted by other ones of the same checks. Nil,
    ///   by whatever successes there are: where no token is asked about, or one of a server of an earlier version.
    public func grant(
        to id: RegisteredClientID, scope: Set<String>, passed: Set<String>? = nil
    ) async throws -> Outcome<Grant> {
        try await grant(to: id, scope: scope, passed: passed, askedBy: nil).grant
    }

    /// The same, with the application that asks about a token, from one snapshot; nil where it is not there.
    public func grant(
        to id: RegisteredClientID, scope: Set<String>, passed: Set<String>?, askedBy asker: ClientID?
    ) async throws -> (asker: CountersignCore.Application?, grant: Outcome<Grant>) {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let (application, found) = try await realm.store.read { transaction in
            let application = try asker.flatMap { try transaction.application($0) }
            return (application, try Self.found(id, scope, catalogue, realm, now, transaction))
        }
        if let passed, case .granted(let standing) = found, !standing.passed.allSatisfy(passed.contains) {
            return (application, .notGranted)
        }
        return (application, found.map(\.described))
    }

    /// A grant whose checks have not said yet what resource servers learn: a developer's code, which runs outside of
    /// transactions.
    fileprivate struct Standing: Sendable {
        var grant: Grant
        let contexts: [SecurityCheckContext]
        /// ``CheckRecord/generation`` of each.
        let generations: [Int64?]
        let plan: CheckPlan

        /// Names of the successes, one for each check.
        var passed: [String] {
            zip(contexts, generations).map { context, generation in
                let isAsked = plan.checks[context.name] is any CredentialsValidationSecurityCheck
                return PassedCheck.name(
                    of: context.name, generation: generation, since: isAsked ? context.state.setAt : nil)
            }
        }

        var described: Grant {
            var data: [String: [String: JSONValue]] = [:]
            for context in contexts {
                let described = plan.checks[context.name]?.introspectionData(context) ?? [:]
                if !described.isEmpty { data[context.name] = described }
            }
            return Grant(
                client: grant.client, scope: grant.scope, expiresAt: grant.expiresAt, user: grant.user, checks: data,
                tokenSettings: grant.tokenSettings, passed: grant.passed)
        }
    }

    private static func found(
        _ id: RegisteredClientID, _ scope: Set<String>, _ catalogue: SecurityCheckCatalogue, _ realm: Realm,
        _ now: Date, _ transaction: any StoreTransaction
    ) throws -> Outcome<Standing> {
        guard let client = try transaction.client(id, sealer: realm.sealer, at: now, catalogue.memory) else {
            return .refused(.unknownClient)
        }
        let application = try transaction.application(ClientID(rawValue: client.registration.application.id))
        return try found(client, application, scope, catalogue, realm, now, transaction)
    }

    private static func found(
        _ client: StoredClient, _ application: CountersignCore.Application?, _ scope: Set<String>,
        _ catalogue: SecurityCheckCatalogue, _ realm: Realm, _ now: Date, _ transaction: any StoreTransaction
    ) throws -> Outcome<Standing> {
        let registration = client.registration
        let version = catalogue.memory.version(of: registration.application, in: application)
        if let refusal = transaction.refusal(of: registration, by: version) { return .refused(refusal) }
        guard let version,
            let plan = catalogue.memory.plan(scope, of: registration.application, version, in: catalogue)
        else { return .unknownScope }
        let states = CheckStates(client, plan, realm, at: now, in: transaction)
        var expiresAt = version.longestToken(from: now)
        var contexts: [SecurityCheckContext] = []
        var generations: [Int64?] = []
        // Nothing is written here, so that each check stands as it did when it was asked first.
        var standings: [String: CheckStanding] = [:]
        for name in plan.order {
            let (standing, record) = try states.standingWithRecord(name)
            guard let end = standing.expiresAt else { return .notGranted }
            expiresAt = min(expiresAt, end)
            standings[name] = standing
            contexts.append(try states.context(name, record))
            generations.append(record.generation)
        }
        if try states.lacksSecondFactor({ standings[$0]?.user.map(CheckRecord.Recognised.init) }) {
            return .notGranted
        }
        let grant = Grant(
            client: registration, scope: scope, expiresAt: expiresAt, user: try states.activeUser(standings),
            checks: [:])
        return .granted(Standing(grant: grant, contexts: contexts, generations: generations, plan: plan))
    }

    /// Ends the successes of all checks for a client, and forgets the remembered users. False where there is no such
    /// client.
    public func logoutOfAll(_ id: RegisteredClientID, by client: ClientContext) async throws -> Bool {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let found = try await realm.store.read { transaction -> [String]? in
            guard let states = try Self.states(id, catalogue, realm, now, transaction) else { return nil }
            let remembered = states.client.registration.context.registeredUser?.authenticatedBy
            return try states.plan.names.filter { try $0 == remembered || states.stored($0) != nil }
        }
        guard let found else { return false }
        for name in found { _ = try await logout(name, of: id, by: client) }
        return true
    }

    /// Ends a check's success for a client. Attempts stay counted, and a blocked client stays blocked. False where
    /// there is no such client or check.
    public func logout(_ name: String, of id: RegisteredClientID, by client: ClientContext) async throws -> Bool {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        for _ in 0..<Self.maximumRounds {
            let found = try await realm.store.read { transaction -> (CheckJudging.Observation, any SecurityCheck)? in
                guard let states = try Self.states(id, catalogue, realm, now, transaction),
                    let check = states.plan.checks[name]
                else { return nil }
                let record = try states.record(name)
                return (CheckJudging.Observation(record: record, context: try states.context(name, record)), check)
            }
            guard let (observed, check) = found else { return false }
            // A developer's code: outside of any transaction.
            var left = observed.context
            check.logout(&left)
            if check is any UserAuthenticationSecurityCheck, left.registration.registeredUser?.authenticatedBy == name {
                RememberedUser.forget(in: &left.registration)
            }
            let registration = left.registration
            let isDone = try await realm.store.write { transaction -> Bool in
                guard var states = try Self.states(id, catalogue, realm, now, transaction) else { return true }
                var record = try states.record(name)
                // What the check made of the registration has to go by the one there is; what ends is whatever there is.
                guard observed.isStill(try states.context(name, record)) else { return false }
                try states.reserve()
                if let check = check as? any CredentialsValidationSecurityCheck {
                    CredentialsAttempts(limits: check.limits).logOut(&record, at: now)
                } else {
                    record = CheckRecord()
                }
                if states.plan.isShared(name, states.client.registration) { record.leftAt = now }
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .securityCheckLeft, userID: observed.record.user?.account,
                        context: client, details: ["check": .string(name)]))
                return try states.put(record, of: name, isEnding: true) && states.putRegistration(registration)
            }
            if isDone { return true }
        }
        throw StoreError(.overloaded, "A check's state kept changing while its client logged out.")
    }

    private static let maximumRounds = 3

    private static func states(
        _ id: RegisteredClientID, _ catalogue: SecurityCheckCatalogue, _ realm: Realm, _ now: Date,
        _ transaction: any StoreTransaction
    ) throws -> CheckStates? {
        let memory = catalogue.memory
        guard let client = try transaction.client(id, sealer: realm.sealer, at: now, memory),
            let version = try transaction.version(of: client.registration.application, memory),
            let plan = memory.plan([], of: client.registration.application, version, in: catalogue)
        else { return nil }
        return CheckStates(client, plan, realm, at: now, in: transaction)
    }
}

extension CheckGrants.Outcome where Value == CheckGrants.Standing {
    /// With what the settings say of tokens, and what a token says of its checks.
    fileprivate func forToken(in transaction: any StoreTransaction) throws -> Self {
        try map { found in
            var found = found
            found.grant.tokenSettings = try transaction.settings().tokens
            found.grant.passed = found.passed
            return found
        }
    }
}

extension ApplicationVersion {
    /// When a token that is made now is over at the latest.
    func longestToken(from now: Date) -> Date {
        now + Double(min(max(maxTokenExpiration, 1), SecurityCheckConfiguration.longestDuration))
    }
}

extension Realm {
    /// Codes and grants by the checks of a catalogue.
    public func grants(by checks: SecurityCheckCatalogue) -> CheckGrants {
        CheckGrants(realm: self, catalogue: checks)
    }
}
