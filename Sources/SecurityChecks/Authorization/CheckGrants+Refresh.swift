import CountersignCore
import Foundation
import OneTimePassword

/// Refresh tokens: off unless an application's version says so (RFC 6749, section 6).
extension CheckGrants {
    /// A grant by a refresh token.
    public struct Refreshed: Sendable {
        /// What the client is granted now.
        public let grant: Grant
        /// Names the family in access tokens; no secret.
        public let family: String
        /// Good once.
        public let token: Secret<String>
    }

    /// Begins a family for what is granted now; nil where the application has none, a check is no more in success, or the
    /// client has begun a hundred in a day: then it goes without, as its checks can be asked again.
    public func beginRefreshing(_ grant: Grant) async throws -> Secret<String>? {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let id = realm.random.bytes(16).base64URL
        let part = realm.random.bytes(32).base64URL
        return try await realm.store.write { transaction in
            guard
                let (states, version) = try Self.states(
                    grant.client.id, grant.scope, catalogue, realm, now, transaction),
                version.refreshTokens, let passed = try states.passed(states.plan.order),
                try transaction.charge(
                    ClientLimits.refreshFamilies, key: CounterKey.refreshFamilies(of: grant.client.id), at: now) == nil
            else { return nil }
            let digest = CheckRow.refresh(id)
            let family = RefreshFamily(
                client: grant.client.id, scope: grant.scope, passed: passed, user: try states.activeUser(),
                checks: grant.checks, current: part)
            let row = ClientRecord(
                kind: .refreshFamily, digest: digest, userID: family.user?.account, createdAt: now,
                expiresAt: now + RefreshFamily.lifetime,
                body: try family.sealed(digest, by: realm.sealer, in: transaction))
            return try transaction.insert(row) ? family.text(id) : nil
        }
    }

    /// Trades a refresh token for the next and a grant; nil where it is unknown, used, too old or another client's, or what it
    /// stands for was ended.
    ///
    /// A token that comes again gets the same successor, for a minute (`RefreshGrace`) and until that successor was used;
    /// later it has been stolen, or its successor has: the family ends for both (RFC 9700, section 4.14.2).
    public func refresh(
        _ token: Secret<String>, by id: RegisteredClientID, from client: ClientContext
    ) async throws -> Outcome<Refreshed>? {
        guard let (name, part) = RefreshFamily.parts(of: token) else { return nil }
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        let successor = realm.random.bytes(32).base64URL
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction -> Outcome<Refreshed>? in
            guard var (family, row) = try transaction.refreshFamily(name, sealer: realm.sealer, at: now),
                ConstantTime.equal(Array(family.client.rawValue.utf8), Array(id.rawValue.utf8))
            else { return nil }
            let given = RefreshFamily.digest(part)
            let isCurrent = ConstantTime.equal(given, RefreshFamily.digest(family.current))
            let sharedNow = try transaction.sharedTime(realm.clock)
            let isPrevious =
                if let previous = family.previousDigest {
                    ConstantTime.equal(given, previous)
                        && RefreshGrace.covers(sharedNow, since: family.rotatedAt)
                } else { false }
            guard isCurrent || isPrevious else {
                // Only holders of one of its tokens know the family's id.
                _ = try transaction.deleteClientRecord(.refreshFamily, digest: row.digest)
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .refreshTokenReused, userID: family.user?.account, context: client,
                        reason: "reused"))
                return nil
            }
            let granted: Grant
            switch try Self.grant(by: family, row.expiresAt, catalogue, realm, now, transaction) {
            case .granted(let grant): granted = grant
            case .refused(let refusal): return .refused(refusal)
            case .unknownScope: return .unknownScope
            case .notGranted:
                _ = try transaction.deleteClientRecord(.refreshFamily, digest: row.digest)
                return nil
            }
            if isCurrent {
                family.previousDigest = given
                family.rotatedAt = sharedNow
                family.current = successor
                row.expiresAt = now + RefreshFamily.lifetime
                row.body = try family.sealed(row.digest, by: realm.sealer, in: transaction)
                guard try transaction.update(row) else { return nil }
            }
            var grant = granted
            grant.tokenSettings = try transaction.settings().tokens
            return .granted(Refreshed(grant: grant, family: name, token: family.text(name)))
        }
    }

    /// What a token of a family allows now.
    public func grant(
        to id: RegisteredClientID, scope: Set<String>, family name: String
    ) async throws -> Outcome<Grant> {
        let (realm, catalogue) = (realm, catalogue)
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard
                let (family, row) = try transaction.refreshFamily(
                    name, sealer: realm.sealer, at: now, catalogue.memory),
                family.client == id, family.scope == scope
            else { return .notGranted }
            return try Self.grant(by: family, row.expiresAt, catalogue, realm, now, transaction)
        }
    }

    private static func grant(
        by family: RefreshFamily, _ end: Date, _ catalogue: SecurityCheckCatalogue, _ realm: Realm, _ now: Date,
        _ transaction: any StoreTransaction
    ) throws -> Outcome<Grant> {
        let memory = catalogue.memory
        guard let client = try transaction.client(family.client, sealer: realm.sealer, at: now, memory) else {
            return .refused(.unknownClient)
        }
        let version = try transaction.version(of: client.registration.application, memory)
        if let refusal = transaction.refusal(of: client.registration, by: version) { return .refused(refusal) }
        guard let version,
            let plan = memory.plan(family.scope, of: client.registration.application, version, in: catalogue)
        else { return .unknownScope }
        let states = CheckStates(client, plan, realm, at: now, in: transaction)
        guard version.refreshTokens, try states.covers(family) else { return .notGranted }
        return .granted(
            Grant(
                client: client.registration, scope: family.scope, expiresAt: min(version.longestToken(from: now), end),
                user: family.user, checks: family.checks))
    }

    private static func states(
        _ id: RegisteredClientID, _ scope: Set<String>, _ catalogue: SecurityCheckCatalogue, _ realm: Realm,
        _ now: Date, _ transaction: any StoreTransaction
    ) throws -> (CheckStates, ApplicationVersion)? {
        let memory = catalogue.memory
        guard let client = try transaction.client(id, sealer: realm.sealer, at: now, memory),
            let version = try transaction.version(of: client.registration.application, memory),
            let plan = memory.plan(scope, of: client.registration.application, version, in: catalogue)
        else { return nil }
        return (CheckStates(client, plan, realm, at: now, in: transaction), version)
    }
}
