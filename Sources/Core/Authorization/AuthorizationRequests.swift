import Crypto
import Foundation
import JSON

/// Requests for authorization that browsers bring: kept while a user signs in and decides, judged, and answered with a code.
///
/// **How the files of this folder meet.** An `AuthorizationRequest` is what an application asked for, a `BrowserKey` binds it to a
/// browser. This type keeps it, `+Judge` says what is missing (`AuthorizationStanding`), and its end is an `AuthorizationCode`
/// (`Sessions`). `PushedRequests` keeps parameters that applications send ahead. `Consents` remembers what users allowed.
/// `DeviceAuthorizations` is the same for devices without a browser, whose pace `PollIntervals` keeps. `ContextClass` compares what a
/// session was proven with.
public struct AuthorizationRequests: Sendable {
    let realm: Realm

    static let purpose = "authorization"
    /// Bytes of a row that count as one request of its source.
    static let countedBytes = 2048
    /// Seconds for which a user may take up a request again.
    static let lifetime: TimeInterval = 86_400
    /// Seconds for which one may be taken up that came from a browser without a session: anyone can send it.
    static let signedOutLifetime: TimeInterval = 7200
    /// Seconds for which such a request still leads back to its application when it is over.
    static let signedOutRemembered: TimeInterval = 3600

    /// Keeps a request while its user is asked.
    /// - Parameters:
    ///   - browser: who may go on with it.
    ///   - isSignedIn: whether the browser has a session. Without one the request is kept for hours and not for days, until a user
    ///     who is signed in answers to it.
    public func begin(
        _ request: AuthorizationRequest, in browser: BrowserKey, isSignedIn: Bool = false, by client: ClientContext
    ) async throws -> AuthorizationBeginning {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        let end = now + (isSignedIn ? Self.lifetime : Self.signedOutLifetime)
        let body = AuthorizationBody(request: request, browser: browser.digest, expiresAt: end)
        // Rows are removed so long after they expired.
        let expiresAt = isSignedIn ? end : end + Self.signedOutRemembered - FlowLifetime.remembered
        return try await realm.store.write { transaction in
            let sealed = try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction)
            if let source = client.limitedSource,
                let until = try transaction.chargeRow(of: source, bytes: sealed.count, at: now)
            {
                return .limited(until: until)
            }
            _ = try transaction.insert(
                FlowRecord(
                    digest: handle.digest, userID: nil, purpose: Self.purpose, createdAt: now, expiresAt: expiresAt,
                    body: sealed))
            return .begun(handle)
        }
    }

    /// A request that waits; nil where it is unknown, over, or of another browser.
    public func pending(_ handle: FlowHandle, in browser: BrowserKey) async throws -> PendingAuthorization? {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try transaction.pendingAuthorization(handle, in: browser, at: now, sealer: realm.sealer)
        }
    }

    /// Whose request it is or was, for a link that leads back to the application: also where it is over, or of another browser. Nothing
    /// else is told of it.
    public func application(of handle: FlowHandle) async throws -> Application? {
        let realm = realm
        return try await realm.store.read { transaction in
            guard let record = try transaction.flow(digest: handle.digest), record.purpose == Self.purpose else {
                return nil
            }
            let body = try JSONDecoder().decode(
                AuthorizationBody.self, from: realm.sealer.open(record.body, for: .flow(record.digest)))
            return try transaction.application(body.request.client)
        }
    }

    /// What is missing of a request that waits.
    /// - Parameter session: the browser's session; nil where there is none.
    public func standing(of pending: PendingAuthorization, session: Session?) async throws -> AuthorizationStanding {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try AuthorizationJudge(
                realm: realm, request: pending.request, body: pending.body, application: pending.application,
                since: pending.createdAt, now: now
            ).standing(for: session, in: transaction)
        }
    }

    // MARK: What the user says

    /// What a user says to a request on a page.
    public enum UserAnswer: Sendable, Equatable {
        /// The user allows the application what was asked.
        case allow
        /// The user denies it: the application is told, and gets nothing.
        case deny
        /// The account of the present session is the one.
        case accountChosen
        /// The user has no second factor and cannot or will not enrol one.
        case secondFactorUnavailable
        /// The user cannot use the passkey that was asked for.
        case passkeyUnavailable
    }

    /// Notes what the user said. The next look at the request (``standing(of:session:)``) goes by it.
    /// - Parameter session: the browser's session; only denying needs none.
    /// - Returns: false where the request is over, or of another browser, or the session is over.
    public func answer(
        _ answer: UserAnswer, to handle: FlowHandle, in browser: BrowserKey, session id: SessionID?,
        by client: ClientContext
    ) async throws -> Bool {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard
                let pending = try transaction.pendingAuthorization(handle, in: browser, at: now, sealer: realm.sealer)
            else { return false }
            var body = pending.body
            let session = try id.flatMap { try transaction.session($0) }
            let user = try session.flatMap { try transaction.user($0.userID) }
            let present = session.flatMap { session in
                user.flatMap { session.isLiving(of: $0, at: now) && !$0.isDisabled ? session : nil }
            }
            switch answer {
            case .deny: body.isDenied = true
            case .allow:
                guard let present else { return false }
                try transaction.reserve([
                    .user(present.userID), .flow(pending.record.digest),
                    .flow(Consents.digest(of: present.userID, pending.request.client)),
                ])
                body.consentedBy = present.userID
                body.consentBasis = try transaction.basis(of: present.userID, to: pending.request.client)
                try transaction.remember(
                    Consent(
                        client: pending.request.client, scopes: pending.request.scopes,
                        resources: pending.request.resources, createdAt: now),
                    of: present.userID, at: now, sealer: realm.sealer)
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .consentGiven, userID: present.userID, context: client,
                        details: [
                            "application": .string(pending.request.client.rawValue),
                            "scopes": .array(pending.request.scopes.map { .string($0) }),
                        ]))
            case .accountChosen:
                guard let present else { return false }
                body.chosenSession = present.id
            case .secondFactorUnavailable:
                guard let present else { return false }
                body.withoutSecondFactor = present.userID
            case .passkeyUnavailable:
                guard let present else { return false }
                body.withoutPasskey = present.userID
            }
            var record = pending.record
            if present != nil {
                record.expiresAt = record.createdAt + Self.lifetime
                body.expiresAt = record.expiresAt
            }
            return try transaction.put(body, in: record, sealer: realm.sealer)
        }
    }

    // MARK: The end

    /// What came of asking for a code.
    public enum Outcome: Sendable {
        /// The authorization code, to be sent to the redirect URI. It is good once.
        case code(Secret<String>)
        /// A user has to do something first, or the application is told why it gets none.
        case missing(AuthorizationStanding)
        /// The request is over, or its pushed request was used before.
        case over
    }

    /// Issues the code of a request that nothing is missing of.
    /// - Parameters:
    ///   - handle: nil for a request that was not kept, as nothing was missing from the beginning.
    ///   - browser: the browser that shows the handle.
    ///   - id: the browser's session.
    public func finish(
        _ request: AuthorizationRequest, application: Application, handle: FlowHandle? = nil,
        in browser: BrowserKey? = nil, session id: SessionID?, by client: ClientContext
    ) async throws -> Outcome {
        let realm = realm
        let now = realm.clock.now
        let draft = AuthorizationCodeDraft(random: realm.random)
        return try await realm.store.write { transaction in
            var pending: PendingAuthorization?
            if let handle {
                guard let browser,
                    let found = try transaction.pendingAuthorization(
                        handle, in: browser, at: now, sealer: realm.sealer)
                else { return .over }
                pending = found
            }
            let session = try id.flatMap { try transaction.session($0) }
            let judge = AuthorizationJudge(
                realm: realm, request: pending?.request ?? request,
                body: pending?.body ?? AuthorizationBody(request: request, browser: Data()),
                application: pending?.application ?? application, since: pending?.createdAt ?? now, now: now)
            let standing = try judge.standing(for: session, in: transaction)
            guard case .ready = standing, let session else { return .missing(standing) }
            let request = judge.request
            var rows: Set<ReservedRow> = [.user(session.userID)]
            if let pending { rows.insert(.flow(pending.record.digest)) }
            if let pushed = request.pushed { rows.insert(.flow(pushed)) }
            try transaction.reserve(rows)
            if let pushed = request.pushed {
                guard var row = try transaction.flow(digest: pushed), row.finishedAt == nil else { return .over }
                row.finishedAt = now
                guard try transaction.update(row) else { return .over }
            }
            if let pending {
                guard var row = try transaction.flow(digest: pending.record.digest), row.finishedAt == nil else {
                    return .over
                }
                row.finishedAt = now
                guard try transaction.update(row) else { return .over }
            }
            guard
                let text = try draft.issue(
                    request.code(on: session), of: session.userID, at: now, sealer: realm.sealer, in: transaction)
            else { return .over }
            return .code(text)
        }
    }
}

extension StoreTransaction {
    /// Counts a row that a source has kept before anyone signed in, by its size: a long one stands for several.
    /// - Returns: the instant to wait for where the source had too many; then nothing is counted.
    func chargeRow(of source: String, bytes: Int, at now: Date) throws -> Date? {
        let key = CounterKey.attempts(from: source)
        var counter = try self.counter(key)
        for _ in 0...(bytes / AuthorizationRequests.countedBytes) {
            switch RateLimit.attemptsPerSource.charge(counter, key: key, at: now) {
            case .admitted(let counted): counter = counted
            case .blocked(let until): return until
            case .disabled: return .distantFuture
            }
        }
        if let counter { try put(counter) }
        return nil
    }
}

/// Whether a request is kept.
public enum AuthorizationBeginning: Sendable {
    /// The request is kept under this handle.
    case begun(FlowHandle)
    /// The requester's address began too many.
    case limited(until: Date)
}

extension AuthorizationRequest {
    /// What a code for the request stands for.
    fileprivate func code(on session: Session) -> AuthorizationCode {
        var details: [String: JSONValue] = [:]
        if !acrValues.isEmpty { details[GrantDetail.acrValues] = .array(acrValues.map { .string($0) }) }
        if isACREssential, !acrValues.isEmpty { details[GrantDetail.isACREssential] = .bool(true) }
        if !idTokenClaims.isEmpty { details[GrantDetail.idTokenClaims] = .array(idTokenClaims.map { .string($0) }) }
        if !userInfoClaims.isEmpty {
            details[GrantDetail.userInfoClaims] = .array(userInfoClaims.map { .string($0) })
        }
        var code = AuthorizationCode(
            client: client.rawValue, redirectURI: redirectURI, challenge: challenge, nonce: nonce, scopes: scopes,
            details: details, audiences: resources, keyThumbprint: keyThumbprint, session: session.id)
        code.namesRedirectURI = namesRedirectURI
        code.isOfBrowser = true
        return code
    }
}

/// Names of what grants of this protocol keep beside scopes and audiences.
public enum GrantDetail {
    /// The `acr` values that were asked for, so that tokens say the same word.
    public static let acrValues = "acr_values"
    /// Whether ID tokens have to say one of ``acrValues``: there where they have to.
    public static let isACREssential = "acr_essential"
    /// Names of single claims that ID tokens of the grant carry.
    public static let idTokenClaims = "id_token_claims"
    /// Names of single claims that the user info endpoint tells of the grant.
    public static let userInfoClaims = "userinfo_claims"
    /// The thumbprint of the key that refresh tokens of a public client are bound to (RFC 9449, section 5).
    public static let keyThumbprint = "jkt"
}

extension AuthorizationBody {
    fileprivate func sealed(by sealer: Sealer, digest: Data, in transaction: any StoreTransaction) throws -> Data {
        try sealer.seal(JSONEncoder().encode(self), for: .flow(digest), in: transaction)
    }
}

extension StoreTransaction {
    fileprivate func pendingAuthorization(
        _ handle: FlowHandle, in browser: BrowserKey, at now: Date, sealer: Sealer
    ) throws -> PendingAuthorization? {
        guard let record = try flow(digest: handle.digest), record.purpose == AuthorizationRequests.purpose,
            record.finishedAt == nil
        else { return nil }
        let body = try JSONDecoder().decode(
            AuthorizationBody.self, from: sealer.open(record.body, for: .flow(record.digest)))
        let end = body.expiresAt ?? record.expiresAt
        guard end > now, browser.admits(digest: body.browser),
            let application = try application(body.request.client)
        else { return nil }
        return PendingAuthorization(
            handle: handle, request: body.request, application: application, createdAt: record.createdAt,
            expiresAt: end, body: body, record: record)
    }

    fileprivate func put(_ body: AuthorizationBody, in record: FlowRecord, sealer: Sealer) throws -> Bool {
        var record = record
        record.body = try body.sealed(by: sealer, digest: record.digest, in: self)
        return try update(record)
    }
}
