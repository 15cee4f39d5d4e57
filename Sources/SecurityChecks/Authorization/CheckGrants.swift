import CountersignCore
import Foundation
import OneTimePassword

/// What follows when all checks of a scope are in success: codes, tokens, and whether a token still counts.
public struct CheckGrants: Sendable {
    let realm: Realm
    let catalogue: SecurityCheckCatalogue

    /// What is granted to a client now.
    public struct Grant: Sendable {
        public let client: ClientRegistration
        public let scope: Set<String>
        /// When the first of its checks is over, or the application's longest token.
        public let expiresAt: Date
        /// The last user that was recognised.
        public let user: AuthenticatedUser?
        /// What checks tell resource servers, by their names.
        public let checks: [String: [String: JSONValue]]
    }

    public enum Outcome<Value: Sendable>: Sendable {
        case granted(Value)
        case refused(ClientRefusal)
        case unknownScope
        /// A check of the scope is not in success.
        case notGranted
    }

    /// What a code of an earlier version stands for, which kept codes as flows.
    private struct EarlierCode: Codable, Sendable {
        var client: RegisteredClientID
        var scope: Set<String>
        var redirectURI: String
    }

    /// A code for what is granted now. No check is asked for anything. A client is given sixty a minute
    /// (``ClientRefusal/limited(until:)``).
    public func code(
        for id: RegisteredClientID, scope: Set<String>, redirectURI: String
    ) async throws -> Outcome<String> {
        let realm = realm
        switch try await grant(to: id, scope: scope) {
        case .refused(let refusal): return .refused(refusal)
        case .unknownScope: return .unknownScope
        case .notGranted: return .notGranted
        case .granted: break
        }
        let now = realm.clock.now
        let draft = AuthorizationCodeDraft(random: realm.random)
        return try await realm.store.write { transaction in
            if let until = try transaction.charge(ClientLimits.codes, key: CounterKey.codes(of: id), at: now) {
                return .refused(.limited(until: until))
            }
            let code = AuthorizationCode(client: id.rawValue, redirectURI: redirectURI, scopes: scope.sorted())
            guard let text = try draft.issue(code, of: nil, at: now, sealer: realm.sealer, in: transaction) else {
                return .notGranted
            }
            return .granted(text.reveal())
        }
    }

    /// Trades a code for what is granted now; nil where the code is unknown, used, too old, another client's, or was asked
    /// for another address.
    public func redeem(
        _ code: String, by id: RegisteredClientID, redirectURI: String
    ) async throws -> Outcome<Grant>? {
        let realm = realm
        let now = realm.clock.now
        let presented = AuthorizationCode.Presented(client: id.rawValue, redirectURI: redirectURI)
        let scope = try await realm.store.write { transaction -> Set<String>? in
            guard let (record, kept) = try transaction.authorizationCode(Secret(code), sealer: realm.sealer, at: now)
            else { return try Self.redeemEarlier(code, presented, at: now, sealer: realm.sealer, in: transaction) }
            guard record.redeemedAt == nil, kept.session == nil, kept.fits(presented) else { return nil }
            // Good once, and removed at once: it makes no grant that a second redemption could end.
            return try transaction.deleteAuthorizationCode(digest: record.digest) ? Set(kept.scopes) : nil
        }
        guard let scope else { return nil }
        return try await grant(to: id, scope: scope)
    }

    /// Redeems a code that a server of an earlier version issued less than a minute ago.
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
    public func grant(to id: RegisteredClientID, scope: Set<String>) async throws -> Outcome<Grant> {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let found = try await realm.store.read { transaction -> Outcome<(Grant, [SecurityCheckContext], CheckPlan)> in
            guard let client = try transaction.client(id, sealer: realm.sealer, at: now) else {
                return .refused(.unknownClient)
            }
            let registration = client.registration
            let version = try transaction.version(of: registration.application)
            if let refusal = transaction.refusal(of: registration, by: version) { return .refused(refusal) }
            guard let version, let plan = CheckPlan(scope, for: version, in: catalogue),
                let states = try CheckStates(id, plan, realm, at: now, in: transaction)
            else { return .unknownScope }
            var expiresAt = version.longestToken(from: now)
            var contexts: [SecurityCheckContext] = []
            for name in plan.order {
                guard let end = try states.standing(name).expiresAt else { return .notGranted }
                expiresAt = min(expiresAt, end)
                contexts.append(try states.context(name, states.record(name)))
            }
            let grant = Grant(
                client: registration, scope: scope, expiresAt: expiresAt, user: try states.activeUser(), checks: [:])
            return .granted((grant, contexts, plan))
        }
        switch found {
        case .refused(let refusal): return .refused(refusal)
        case .unknownScope: return .unknownScope
        case .notGranted: return .notGranted
        case .granted(let (grant, contexts, plan)):
            var data: [String: [String: JSONValue]] = [:]
            for context in contexts {
                let described = plan.checks[context.name]?.introspectionData(context) ?? [:]
                if !described.isEmpty { data[context.name] = described }
            }
            return .granted(
                Grant(
                    client: grant.client, scope: grant.scope, expiresAt: grant.expiresAt, user: grant.user,
                    checks: data))
        }
    }

    /// Ends the successes of all checks for a client, and forgets the remembered users. False where there is no such
    /// client.
    public func logoutOfAll(_ id: RegisteredClientID, by client: ClientContext) async throws -> Bool {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let found = try await realm.store.read { transaction -> [String]? in
            guard let states = try Self.states(id, catalogue, realm, now, transaction) else { return nil }
            let remembered = states.client.registration.context.registeredUser?.authenticatedBy
            return try states.plan.checks.keys.sorted().filter { try $0 == remembered || states.stored($0) != nil }
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
        guard let client = try transaction.client(id, sealer: realm.sealer, at: now),
            let version = try transaction.version(of: client.registration.application),
            let plan = CheckPlan([], for: version, in: catalogue)
        else { return nil }
        return try CheckStates(id, plan, realm, at: now, in: transaction)
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
