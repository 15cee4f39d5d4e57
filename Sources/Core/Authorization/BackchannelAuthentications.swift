import Foundation

/// Sign-ins that an application begins by itself, and that a user's device allows (OpenID Connect Client-Initiated Backchannel
/// Authentication Core 1.0, poll mode).
///
/// A user who does not exist, is disabled, has no device or has to give two factors gets an attempt like all others: it waits until its
/// time is over, as that of a user does who does not answer. The application learns nothing of whom it asked for.
public struct BackchannelAuthentications: Sendable {
    let realm: Realm

    /// Seconds between two questions of the application, to begin with.
    public static let interval = Int(PollIntervals.first)
    /// Seconds that an attempt lives at most.
    public static let longest = Int(FlowLifetime.approval)
    /// Bytes of a hint.
    public static let longestHint = 320

    /// What an application asks for.
    public struct Request: Sendable {
        /// Whom an application means.
        public enum Hint: Sendable {
            /// An address, or a user's id.
            case identifier(String)
            /// The subject of an ID token of this server.
            case user(UserID)
        }

        /// The user whom the application means.
        public var hint: Hint
        /// The scopes that tokens are to have.
        public var scopes: [String]
        /// The identifiers of the APIs that tokens are to be for (RFC 8707).
        public var resources: [String]
        /// The authentication contexts that the application asks for, in the order of preference.
        public var acrValues: [String]
        /// What both screens show.
        public var bindingMessage: String?
        /// Seconds: 1 to ``BackchannelAuthentications/longest``.
        public var lifetime: Int

        /// A request of that lifetime in seconds, by default the longest.
        public init(
            _ hint: Hint, scopes: [String], resources: [String] = [], acrValues: [String] = [],
            bindingMessage: String? = nil, lifetime: Int = BackchannelAuthentications.longest
        ) {
            self.hint = hint
            self.scopes = scopes
            self.resources = resources
            self.acrValues = acrValues
            self.bindingMessage = bindingMessage
            self.lifetime = lifetime
        }

        /// What limits count by.
        fileprivate var name: String {
            switch hint {
            case .identifier(let text): "identifier \(EmailAddress(text)?.canonical ?? text)"
            case .user(let id): "user \(id)"
            }
        }
    }

    /// What came of asking for a sign-in.
    public enum Beginning: Sendable {
        /// The attempt goes on under this handle, whether there is such a user or not. The application polls with it.
        case begun(FlowHandle)
        /// The user, or whom the hint means, was asked for too often.
        case limited(until: Date)
    }

    /// Asks the devices of the user, where there is one who has some.
    /// - Parameters:
    ///   - audience: what the device shows that the tokens are for, where the request names no API.
    ///   - client: the application, which was authenticated and may use the grant.
    public func begin(
        _ request: Request, audience: String, by client: ClientContext
    ) async throws -> Beginning {
        let realm = realm
        let now = realm.clock.now
        // By the hint, whether there is such a user or not.
        let refusal: Date? = try await realm.store.write { transaction in
            let digest = try realm.sealer.digest(request.name, for: Self.context, in: transaction)
            return try transaction.charge(.pushesPerUser, key: CounterKey.backchannel(to: digest), at: now)
        }
        if let refusal { return .limited(until: refusal) }
        var details: [String: JSONValue] = [:]
        if !request.acrValues.isEmpty {
            details[GrantDetail.acrValues] = .array(request.acrValues.map { .string($0) })
        }
        let terms = GrantTerms(scopes: request.scopes, details: details, audiences: request.resources)
        let shown = request.resources.isEmpty ? audience : request.resources.joined(separator: " ")
        if let user = try await user(request.hint), try await isOneFactorEnough(for: user, by: client) {
            let asked = Approvals.Backchannel(
                terms: terms, audience: shown, bindingMessage: request.bindingMessage,
                lifetime: TimeInterval(request.lifetime))
            let (handle, outcome) = try await realm.approvals.begin(for: user, asked, by: client)
            if case .asked = outcome { return .begun(handle) }
        }
        return .begun(try await decoy(terms, lifetime: request.lifetime, by: client))
    }

    /// Whether the user is bothered at all: a device's answer is one factor, and where two are required it would come to nothing.
    private func isOneFactorEnough(for user: UserID, by client: ClientContext) async throws -> Bool {
        if client.requiresSecondFactor { return false }
        let settings = try await realm.settings().secondFactors
        return try await !realm.accounts.requiresSecondFactor(of: user, settings)
    }

    private static let context = "backchannel-hint"

    private func user(_ hint: Request.Hint) async throws -> UserID? {
        switch hint {
        case .user(let id): return try await realm.accounts.user(id)?.id
        case .identifier(let text):
            if let email = EmailAddress(text), let user = try await realm.accounts.user(email: email) { return user.id }
            return try await realm.accounts.user(UserID(rawValue: text))?.id
        }
    }

    /// An attempt that no device decides about.
    private func decoy(
        _ terms: GrantTerms, lifetime: Int, by client: ClientContext
    ) async throws -> FlowHandle {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        try await realm.store.write { transaction in
            let body = FlowBody(purpose: .backchannel, client: client, challenge: .approval, terms: terms)
            _ = try transaction.insert(
                FlowRecord(
                    digest: handle.digest, userID: nil, purpose: FlowPurpose.backchannel.rawValue, createdAt: now,
                    expiresAt: now + TimeInterval(lifetime),
                    body: body.sealed(by: realm.sealer, digest: handle.digest, in: transaction)))
        }
        return handle
    }

    /// What an application gets that polls.
    public enum Redemption: Sendable {
        /// The user allowed it: a session with what the device proved. It is given once.
        case granted(SignedIn)
        /// There is nothing to get, or not yet.
        case refused(Refusal)
    }

    /// Why a poll got nothing.
    public enum Refusal: Sendable {
        /// Unknown, another application's, or used before.
        case unknown
        /// An attempt that another protocol began for the application.
        case foreign
        /// No device has answered yet.
        case pending
        /// No device has answered yet, and the application polls too often: it has to wait longer each time.
        case slowDown
        /// The user's device denied it, it was taken back since, or the user may not sign in any more.
        case denied
        /// Nothing was answered in time.
        case expired
    }

    /// Opens the session that a device allowed, once. Whether the user may sign in is judged anew: the account may have been disabled
    /// since the device answered.
    /// - Parameter judge: is asked about what a device allowed before it is used up; what it throws leaves the attempt as it is.
    public func redeem(
        _ text: Secret<String>, by client: ClientContext, judging judge: (GrantTerms) async throws -> Void = { _ in }
    ) async throws -> Redemption {
        let handle = FlowHandle(text.reveal())
        let expectation = FlowExpectation(
            [.backchannel], at: [.backchannel], of: [.application(client.clientID, of: client.dialect)])
        switch try await realm.authenticator.status(of: handle, expecting: expectation) {
        case .unknown:
            let other = FlowExpectation(
                [.backchannel], at: [.backchannel], of: [.application(client.clientID, of: .guardian)])
            if case .unknown = try await realm.authenticator.status(of: handle, expecting: other) {
                return .refused(.unknown)
            }
            return .refused(.foreign)
        case .finished, .exhausted: return .refused(.unknown)
        case .expired: return .refused(.expired)
        case .open(let summary):
            switch summary.approval {
            case nil, .pending, .expired:
                let isInTime = realm.pollIntervals.admits(handle.publicName, at: realm.clock.now)
                return .refused(isInTime ? .pending : .slowDown)
            case .decided(_, let decision) where !decision.isAllowed: return .refused(.denied)
            case .decided: try await judge(summary.terms)
            }
        }
        let verdict = try await realm.authenticator.answer(.approval, to: .flow(handle, expectation), by: client)
        realm.pollIntervals.forget(handle.publicName)
        switch verdict {
        case .accomplished(.signedIn(let signedIn)): return .granted(signedIn)
        case .refused(let refusal)
        where [.userDisabled, .lockedOut, .approvalRejected, .secondFactorRequired].contains(refusal.reason):
            return .refused(.denied)
        default: return .refused(.unknown)
        }
    }
}

extension Realm {
    /// Sign-ins that applications begin by themselves.
    public var backchannelAuthentications: BackchannelAuthentications { BackchannelAuthentications(realm: self) }
}

extension CounterKey {
    fileprivate static func backchannel(to digest: Data) -> String { "backchannel/\(digest.hex)" }
}
