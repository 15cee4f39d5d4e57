import Crypto
import Foundation

/// Devices without a browser that wait until a user allows them elsewhere (RFC 8628).
public struct DeviceAuthorizations: Sendable {
    let realm: Realm

    static let purpose = "device-authorization"
    static let codePurpose = "device-user-code"
    /// Seconds for which the codes count (RFC 8628, section 3.2).
    public static let lifetime: TimeInterval = 600
    /// Seconds between two questions of the device, to begin with.
    public static let interval = Int(PollIntervals.first)

    /// What a device asks for.
    public struct Request: Codable, Sendable, Equatable {
        /// The application that the device runs.
        public var client: ClientID
        /// The scopes that tokens are to have.
        public var scopes: [String]
        /// The identifiers of the APIs that tokens are to be for (RFC 8707).
        public var resources: [String]
        /// The authentication contexts that the application asks for, in the order of preference.
        public var acrValues: [String]
        /// Where the device proves later that it is the one that asked.
        public var challenge: PKCEChallenge?
        /// The key that the request came with a proof of (RFC 9449).
        public var keyThumbprint: String?
        /// Where it asks from.
        public var address: String?
        /// What the device calls itself, cut to the length that sessions keep. Anyone can claim any text.
        public var userAgent: String?
        /// The browser that waits to be signed in, where it is no device of an application (``WaitingBrowser``).
        var browser: WaitingBrowser?

        /// A request of a device; the application was authenticated before.
        public init(
            client: ClientID, scopes: [String], resources: [String] = [], acrValues: [String] = [],
            challenge: PKCEChallenge? = nil, keyThumbprint: String? = nil, address: String? = nil,
            userAgent: String? = nil
        ) {
            self.client = client
            self.scopes = scopes
            self.resources = resources
            self.acrValues = acrValues
            self.challenge = challenge
            self.keyThumbprint = keyThumbprint
            self.address = address
            self.userAgent = userAgent.map { String($0.prefix(SessionOrigin.longestUserAgent)) }
        }
    }

    struct Body: Codable {
        enum Decision: Codable, Equatable {
            case allowed(SessionID)
            case denied
        }

        var request: Request
        var decision: Decision?
        /// What the decision hangs on, where it allows; nil where a server of an earlier version wrote it.
        var basis: GrantBasis?
        /// Whether it was made in a browser's session: then it is over once the user has signed out there.
        var isOfBrowser: Bool?
    }

    private struct CodeBody: Codable {
        let device: Data
    }

    // MARK: The device

    /// What a device gets that begins to wait.
    public struct Begun: Sendable {
        /// What the device polls with (`device_code`). A secret, which the user does not see.
        public let deviceCode: Secret<String>
        /// `BCDF-GHJK`.
        public let userCode: String
    }

    /// What came of a device's request.
    public enum Beginning: Sendable {
        /// The device waits.
        case begun(Begun)
        /// The requester's address began too many.
        case limited(until: Date)
    }

    /// Begins to wait for a user.
    public func begin(_ request: Request, by client: ClientContext) async throws -> Beginning {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        let code = UserCode(random: realm.random)
        var request = request
        request.browser?.userCode = code.shown
        let (asked, lifetime) = (request, request.browser == nil ? Self.lifetime : WaitingBrowser.lifetime)
        return try await realm.store.write { transaction in
            if let source = client.limitedSource,
                let until = try transaction.charge(
                    .attemptsPerSource, key: CounterKey.attempts(from: source), at: now)
            {
                return .limited(until: until)
            }
            let codeDigest = code.digest(realm)
            let body = try realm.sealer.seal(
                JSONEncoder().encode(Body(request: asked)), for: .flow(handle.digest), in: transaction)
            let codeBody = try realm.sealer.seal(
                JSONEncoder().encode(CodeBody(device: handle.digest)), for: .flow(codeDigest), in: transaction)
            guard
                try transaction.insert(
                    FlowRecord(
                        digest: codeDigest, userID: nil, purpose: Self.codePurpose, createdAt: now,
                        expiresAt: now + lifetime, body: codeBody)),
                try transaction.insert(
                    FlowRecord(
                        digest: handle.digest, userID: nil, purpose: Self.purpose, createdAt: now,
                        expiresAt: now + lifetime, body: body))
            else { throw StoreError(.overloaded, "A user code came up twice.") }
            return .begun(Begun(deviceCode: handle.token, userCode: code.shown))
        }
    }

    /// What a device gets that polls.
    public enum Redemption: Sendable {
        /// The user allowed it: a session, and what was asked for. It is given once.
        case granted(SignedIn, Request)
        /// There is nothing to get, or not yet.
        case refused(Refusal)
    }

    /// Why a poll got nothing (RFC 8628, section 3.5).
    public enum Refusal: String, Sendable {
        /// Unknown, another client's, used before, or without the right proof.
        case unknown
        /// The user has not decided yet.
        case pending
        /// The user has not decided yet, and the device polls too often: it has to wait longer each time.
        case slowDown
        /// The user denied it, or took it back since.
        case denied
        /// The codes' time is over.
        case expired
    }

    /// What a device shows beside its code.
    public struct Presented: Sendable {
        /// The application that polls. It has to be the one that asked.
        public var client: ClientID
        /// The verifier of the request's challenge (RFC 7636); nil where the poll has none.
        public var verifier: String?
        /// The key that the poll came with a proof of (RFC 9449); nil where it has none.
        public var keyThumbprint: String?
        /// What the grant keeps beside what was asked for.
        public var details: [String: JSONValue]

        /// What a poll shows.
        public init(
            client: ClientID, verifier: String? = nil, keyThumbprint: String? = nil,
            details: [String: JSONValue] = [:]
        ) {
            self.client = client
            self.verifier = verifier
            self.keyThumbprint = keyThumbprint
            self.details = details
        }
    }

    /// What was asked for with a code that a user allowed, for a protocol that has to judge the rest of a request before the code is
    /// redeemed. Nothing is used up by it.
    /// - Returns: nil where ``redeem(_:presented:by:)`` brings nothing yet, or would refuse what the device shows.
    public func allowed(_ code: Secret<String>, presented: Presented) async throws -> Request? {
        let (realm, now) = (realm, realm.clock.now)
        let handle = FlowHandle(code.reveal())
        return try await realm.store.read { transaction in
            guard let record = try transaction.flow(digest: handle.digest), record.purpose == Self.purpose,
                record.finishedAt == nil, record.expiresAt > now
            else { return nil }
            let body = try JSONDecoder().decode(
                Body.self, from: realm.sealer.open(record.body, for: .flow(record.digest)))
            guard Self.admits(presented, body.request), case .allowed? = body.decision else { return nil }
            return body.request
        }
    }

    /// Whether what the device shows is what its request was made with.
    private static func admits(_ presented: Presented, _ request: Request) -> Bool {
        request.client == presented.client && request.browser == nil
            && PKCEChallenge.admits(presented.verifier, request.challenge)
            && (request.keyThumbprint == nil || request.keyThumbprint == presented.keyThumbprint)
    }

    /// Opens the grant that a user allowed, once.
    public func redeem(
        _ code: Secret<String>, presented: Presented, by client: ClientContext
    ) async throws -> Redemption {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(code.reveal())
        let draft = GrantDraft(random: realm.random)
        let redemption: Redemption = try await realm.store.write { transaction in
            guard let record = try transaction.flow(digest: handle.digest), record.purpose == Self.purpose,
                record.finishedAt == nil
            else { return .refused(.unknown) }
            let body = try JSONDecoder().decode(
                Body.self, from: realm.sealer.open(record.body, for: .flow(record.digest)))
            guard Self.admits(presented, body.request) else { return .refused(.unknown) }
            if record.expiresAt <= now { return .refused(.expired) }
            switch body.decision {
            case nil: return .refused(.pending)
            case .denied: return .refused(.denied)
            case .allowed(let id):
                var record = record
                record.finishedAt = now
                guard let session = try transaction.session(id),
                    try transaction.stands(body, in: session, since: record.createdAt)
                else { return .refused(.denied) }
                try transaction.reserve([.user(session.userID), .flow(record.digest), .session(id)])
                guard try transaction.update(record) else { return .refused(.unknown) }
                var details = presented.details
                if !body.request.acrValues.isEmpty {
                    details[GrantDetail.acrValues] = .array(body.request.acrValues.map { .string($0) })
                }
                let terms = GrantTerms(
                    scopes: body.request.scopes, details: details, audiences: body.request.resources)
                switch try draft.open(
                    on: session, terms: terms, for: presented.client, dialect: client.dialect,
                    secondFactor: .whereRequired, realm.proofs, at: now, by: client, in: transaction)
                {
                case .refused: return .refused(.denied)
                case .granted(let signedIn): return .granted(signedIn, body.request)
                }
            }
        }
        // After the transaction, which may happen twice.
        switch redemption {
        case .refused(.pending):
            return realm.pollIntervals.admits(handle.publicName, at: now) ? redemption : .refused(.slowDown)
        case .granted: realm.pollIntervals.forget(handle.publicName)
        case .refused: break
        }
        return redemption
    }

    // MARK: The user

    /// A device that waits, as the pages show it.
    public struct Pending: Sendable {
        /// Names it in the form that decides.
        public let id: FlowHandle
        /// What the device asked for.
        public let request: Request
        /// The application, as it is registered now.
        public let application: Application
        /// The code as the device shows it: `BCDF-GHJK`.
        public let userCode: String
        /// Until when the code counts.
        public let expiresAt: Date
        /// What the application would get, for the user to read.
        public let scopes: [ConsentQuestion.Scope]
        /// The APIs that it would get tokens for.
        public let resources: [Resource]
        /// Whether a session with one factor is not enough.
        public let needsTwoFactors: Bool
    }

    /// What came of a user code that was typed.
    public enum Lookup: Sendable {
        /// A device waits with the code.
        case found(Pending)
        /// No device waits with the code.
        case unknown
        /// The user or the source has tried too many wrong codes. Others are looked at from that instant on.
        case limited(until: Date)
    }

    /// Wrong user codes: few can be tried before it takes longer (RFC 8628, section 5.1).
    static let wrongCodes = RateLimit(count: 5, window: 600)

    /// What limits the guessing of codes.
    static func limits(ofCodesBy user: UserID, _ client: ClientContext) -> [Allowance] {
        [Allowance(wrongCodes, CounterKey.userCodes(of: user))]
            + (client.limitedSource.map { [Allowance(wrongCodes, CounterKey.userCodes(from: $0))] } ?? [])
    }

    /// The device of a code that a user typed, in any case, with or without dashes and spaces. Wrong ones count against the user and
    /// the requester's address.
    public func pending(userCode text: String, of user: UserID, by client: ClientContext) async throws -> Lookup {
        let realm = realm
        let now = realm.clock.now
        let code = UserCode(typed: text)
        let digest = code?.digest(realm)
        return try await realm.store.write { transaction in
            let counters: [AttemptCounter]
            switch try transaction.ask(Self.limits(ofCodesBy: user, client), at: now) {
            case .admitted(let admitted): counters = admitted
            case .refused(_, let refusal): return .limited(until: refusal.instant)
            }
            guard let code, let digest,
                let found = try transaction.deviceAuthorization(userCode: digest, at: now, sealer: realm.sealer),
                found.body.request.browser == nil,
                let application = try transaction.application(found.body.request.client)
            else {
                // The code of a device that was decided is no guess: the same form comes again.
                let isDecided =
                    try digest.map {
                        try transaction.decision(userCode: $0, at: now, sealer: realm.sealer) != nil
                    } ?? false
                if !isDecided { try transaction.count(counters) }
                return .unknown
            }
            let resources = try transaction.resources()
            let request = found.body.request
            let settings = try transaction.settings().secondFactors
            let isRequired =
                try application.registration.requiresSecondFactor
                || transaction.requiresSecondFactor(of: user, settings)
            let needsTwo =
                try isRequired && !transaction.putsOffEnrolment(user, settings, at: now, realm.proofs)
                || request.acrValues.compactMap(ContextClass.init(requested:)).first == .aal2
                || resources.contains { $0.wantsTwoFactors(forSome: request.scopes) }
            return .found(
                Pending(
                    id: FlowHandle(code.text), request: request, application: application, userCode: code.shown,
                    expiresAt: found.record.expiresAt, scopes: resources.questions(about: request.scopes),
                    resources: resources.filter { request.resources.contains($0.uri) },
                    needsTwoFactors: needsTwo))
        }
    }

    /// What came of a decision about a device.
    public enum Decision: Sendable, Equatable {
        /// The decision is made.
        case done
        /// The code is unknown, too old, or was decided before.
        case unknown
        /// The session has one factor, and two are asked for.
        case needsSecondFactor
        /// Too many wrong codes came before.
        case limited(until: Date)
    }

    /// Allows or denies a device, once, in the name of a session's user. The same decision of the same session, sent again as by a double
    /// click, is made already.
    /// - Parameter id: of ``Pending``, or the user code as it was typed.
    public func decide(
        _ isAllowed: Bool, _ id: FlowHandle, session sessionID: SessionID, of user: UserID, by client: ClientContext
    ) async throws -> Decision {
        guard let code = UserCode(typed: id.token.reveal()) else { return .unknown }
        let realm = realm
        let now = realm.clock.now
        let digest = code.digest(realm)
        let wanted: Body.Decision = isAllowed ? .allowed(sessionID) : .denied
        let made: @Sendable (any StoreTransaction) throws -> Decision = { transaction in
            try transaction.decision(userCode: digest, at: now, sealer: realm.sealer) == wanted ? .done : .unknown
        }
        let pending: Pending
        switch try await self.pending(userCode: id.token.reveal(), of: user, by: client) {
        case .found(let found): pending = found
        case .limited(let until): return .limited(until: until)
        case .unknown: return try await realm.store.read(made)
        }
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let found = try transaction.deviceAuthorization(userCode: digest, at: now, sealer: realm.sealer)
            else {
                return try made(transaction)
            }
            guard let session = try transaction.session(sessionID), session.userID == user,
                let person = try transaction.user(user), !person.isDisabled, session.isLiving(of: person, at: now)
            else { return .unknown }
            if isAllowed, pending.needsTwoFactors, realm.proofs.contextClass(of: session.proofs) < .aal2 {
                return .needsSecondFactor
            }
            guard try transaction.settle(found, wanted, in: session, at: now, sealer: realm.sealer) else {
                return .unknown
            }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .deviceDecided, userID: user, context: client,
                    details: [
                        "application": .string(found.body.request.client.rawValue), "allowed": .bool(isAllowed),
                    ]))
            return .done
        }
    }

    static func device(of record: FlowRecord, sealer: Sealer) throws -> Data {
        try JSONDecoder().decode(CodeBody.self, from: sealer.open(record.body, for: .flow(record.digest))).device
    }
}

extension StoreTransaction {
    /// What was decided by a user code that is not too old; nil where nothing was.
    func decision(
        userCode digest: Data, at now: Date, sealer: Sealer
    ) throws -> DeviceAuthorizations.Body.Decision? {
        guard let codeRecord = try flow(digest: digest), codeRecord.purpose == DeviceAuthorizations.codePurpose,
            codeRecord.finishedAt != nil, codeRecord.expiresAt > now,
            let record = try flow(digest: DeviceAuthorizations.device(of: codeRecord, sealer: sealer))
        else { return nil }
        return try JSONDecoder().decode(
            DeviceAuthorizations.Body.self, from: sealer.open(record.body, for: .flow(record.digest))
        ).decision
    }

    func deviceAuthorization(
        userCode digest: Data, at now: Date, sealer: Sealer
    ) throws -> (codeRecord: FlowRecord, record: FlowRecord, body: DeviceAuthorizations.Body)? {
        guard let codeRecord = try flow(digest: digest), codeRecord.purpose == DeviceAuthorizations.codePurpose,
            codeRecord.finishedAt == nil, codeRecord.expiresAt > now,
            let record = try flow(digest: DeviceAuthorizations.device(of: codeRecord, sealer: sealer)),
            record.finishedAt == nil, record.expiresAt > now
        else { return nil }
        let body = try JSONDecoder().decode(
            DeviceAuthorizations.Body.self, from: sealer.open(record.body, for: .flow(record.digest)))
        return body.decision == nil ? (codeRecord, record, body) : nil
    }

    /// Writes down what was decided, and uses the code up.
    /// - Parameter session: of the user who decides.
    /// - Returns: false where another decision came before.
    func settle(
        _ found: (codeRecord: FlowRecord, record: FlowRecord, body: DeviceAuthorizations.Body),
        _ decision: DeviceAuthorizations.Body.Decision, in session: Session, at now: Date, sealer: Sealer
    ) throws -> Bool {
        var (codeRecord, record, body) = found
        try reserve([.flow(codeRecord.digest), .flow(record.digest)])
        body.decision = decision
        if case .allowed = decision {
            body.basis = try basis(of: session.userID, to: body.request.client)
            body.isOfBrowser = session.browserDigest != nil
        }
        record.body = try sealer.seal(JSONEncoder().encode(body), for: .flow(record.digest), in: self)
        codeRecord.finishedAt = now
        guard try update(codeRecord) && update(record) else { return false }
        noteDecision(of: record.digest)
        return true
    }
}

extension StoreTransaction {
    /// Whether what a user allowed in a session still counts, as far as the session itself does not say.
    /// - Parameter instant: when the device, or the browser, began to wait.
    func stands(_ body: DeviceAuthorizations.Body, in session: Session, since instant: Date) throws -> Bool {
        try (body.isOfBrowser != true || session.browserDigest != nil)
            && stands(body.basis, of: session.userID, to: body.request.client, since: instant)
    }
}

/// The code that a user types: eight letters without vowels, so that they make no words, and none that look alike (RFC 8628, section
/// 6.1).
struct UserCode: Sendable, Equatable {
    static let length = 8

    let text: String

    init(random: any RandomSource) {
        text = random.string(Self.length, of: .userCode)
    }

    /// Nil where the text is none.
    init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.uppercased().filter { $0 != "-" && $0 != " " }
        guard letters.count == Self.length, letters.utf8.allSatisfy(StaticAlphabet.userCode.symbols.contains) else {
            return nil
        }
        text = letters
    }

    /// `BCDF-GHJK`.
    var shown: String { "\(text.prefix(4))-\(text.suffix(4))" }

    /// The key of its row. It starts with a byte that no text has, so that it is no handle's digest.
    func digest(_ realm: Realm) -> Data {
        Data(SHA256.hash(data: Data([0xFF]) + Data("\(DeviceAuthorizations.codePurpose)\u{0}\(text)".utf8)))
    }
}
