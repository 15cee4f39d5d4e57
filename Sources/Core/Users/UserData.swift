import Foundation

/// What is kept about a person beside the log, in words that the person understands.
public struct UserData: Codable, Sendable {
    public struct Profile: Codable, Sendable {
        public let id: String
        public let email: String?
        public let emailVerified: Bool
        public let displayName: String?
        public let photoURL: String?
        public let phoneNumber: String?
        /// The user's language.
        public let locale: String?
        /// The terms of use that the user has agreed to, and when.
        public let acceptedTerms: [Terms]
        public let isDisabled: Bool
        /// The ways in: `password`, `emailLink`, `anonymous`, `custom`.
        public let signsInWith: [String]
        public let createdAt: Timestamp
        public let lastSignInAt: Timestamp?
        public let lastRefreshAt: Timestamp?
        public let passwordSetAt: Timestamp?
        /// Tokens from before count no more.
        public let tokensValidAfter: Timestamp
        /// What the application's back end put on the account.
        public let claims: [String: JSONValue]
        /// What the application asked for.
        public let attributes: [String: JSONValue]
    }

    /// A version of the terms of use, and when the user agreed to it.
    public struct Terms: Codable, Sendable {
        public let version: String
        public let at: Timestamp
    }

    /// A sign-in, with what applications got of it.
    public struct Session: Codable, Sendable {
        /// The protocol in which it began.
        public let protocolName: String
        public let createdAt: Timestamp
        public let expiresAt: Timestamp
        public let endedAt: Timestamp?
        /// The network address of the sign-in, and what the client called itself.
        public let address: String?
        public let userAgent: String?
        /// What was shown at the sign-in, and when.
        public let provenWith: [Proof]
        public let grants: [Grant]

        private enum CodingKeys: String, CodingKey {
            case protocolName = "protocol"
            case createdAt, expiresAt, endedAt, address, userAgent, provenWith, grants
        }
    }

    /// What one application got of a session.
    public struct Grant: Codable, Sendable {
        public let application: String
        public let createdAt: Timestamp
        public let expiresAt: Timestamp
        public let endedAt: Timestamp?
        public let refreshedAt: Timestamp?
        public let scopes: [String]
        /// What its access tokens are for; nil where the protocol has a rule of its own.
        public let audiences: [String]?
        public let details: [String: JSONValue]
    }

    public struct Proof: Codable, Sendable {
        public let kind: String
        public let at: Timestamp
    }

    public struct Attempt: Codable, Sendable {
        /// `sign-in`, `reset-password`, …
        public let purpose: String
        public let answers: Int
        public let createdAt: Timestamp
        public let expiresAt: Timestamp
        public let finishedAt: Timestamp?
    }

    public struct Message: Codable, Sendable {
        public let kind: String
        public let to: String
        public let about: String
        public let writtenAt: Timestamp
        public let deliveredAt: Timestamp?
    }

    public struct Counter: Codable, Sendable {
        public let counts: String
        public let count: Int
        public let since: Timestamp
    }

    /// What the person may administer.
    public struct Role: Codable, Sendable {
        public let role: String
        public let since: Timestamp
    }

    public let profile: Profile
    /// The groups that the person is in, which applications may be told.
    public let groups: [String]
    /// Nil where the person administers nothing.
    public let role: Role?
    /// What the person signs in with; their secrets are not shown.
    public let factors: [FactorSummary]
    public let sessions: [Session]
    /// Sign-ins, resets and enrolments that were begun.
    public let attempts: [Attempt]
    /// Mails and pushes; what stood in them is not shown, as it opens the account.
    public let messages: [Message]
    public let counters: [Counter]
    /// Days that entries of the log are kept.
    public let logKeptForDays: Int
    /// Whether there are more sessions, attempts or messages than are listed.
    public let isIncomplete: Bool

    public init(_ data: PersonalData, logDays: Int) {
        let user = data.user
        profile = Profile(
            id: user.id.rawValue, email: user.email?.canonical, emailVerified: user.profile.emailVerified,
            displayName: user.profile.displayName, photoURL: user.profile.photoURL,
            phoneNumber: user.profile.phoneNumber, locale: user.profile.locale,
            acceptedTerms: user.profile.acceptedTerms.map { Terms(version: $0.version, at: Timestamp($0.at)) },
            isDisabled: user.isDisabled,
            signsInWith: user.profile.providers.sorted(), createdAt: Timestamp(user.createdAt),
            lastSignInAt: user.lastSignInAt.map(Timestamp.init), lastRefreshAt: user.lastRefreshAt.map(Timestamp.init),
            passwordSetAt: user.passwordChangedAt.map(Timestamp.init),
            tokensValidAfter: Timestamp(user.tokensValidAfter), claims: user.profile.customClaims,
            attributes: user.profile.attributes)
        groups = data.groups.map(\.rawValue)
        role = data.administrator.map { Role(role: $0.role.rawValue, since: Timestamp($0.createdAt)) }
        factors = data.factors.map(FactorSummary.init)
        sessions = data.sessions.map { listing in
            let session = listing.session
            return Session(
                protocolName: session.dialect.rawValue, createdAt: Timestamp(session.createdAt),
                expiresAt: Timestamp(session.expiresAt), endedAt: session.revokedAt.map(Timestamp.init),
                address: session.origin.address, userAgent: session.origin.userAgent,
                provenWith: session.proofs.map { Proof(kind: $0.kind.rawValue, at: Timestamp($0.at)) },
                grants: listing.grants.map(Grant.init))
        }
        attempts =
            data.flows.map {
                Attempt(
                    purpose: $0.purpose, answers: $0.attempts, createdAt: Timestamp($0.createdAt),
                    expiresAt: Timestamp($0.expiresAt), finishedAt: $0.finishedAt.map(Timestamp.init))
            }
            + data.clientRecords.map {
                Attempt(
                    purpose: $0.kind.purpose, answers: 0, createdAt: Timestamp($0.createdAt),
                    expiresAt: Timestamp($0.expiresAt), finishedAt: nil)
            }
        messages = data.messages.map {
            Message(
                kind: $0.message.channel.rawValue, to: $0.message.recipient, about: $0.content.template,
                writtenAt: Timestamp($0.message.createdAt), deliveredAt: $0.message.deliveredAt.map(Timestamp.init))
        }
        counters = data.limits.map { limit in
            let counts =
                switch limit.subject {
                case .mailsToAddress: "mails to the address"
                case .requestsToDevices: "requests to the devices"
                case .enrolmentsBegun: "enrolments of second factors that were begun"
                case .newPasswords: "new passwords that were refused"
                case .noticesOfChanges: "mails about changes of the account"
                case .wrongPasswordsBeforeTheAccount: "wrong passwords for the address before there was an account"
                }
            return Counter(counts: counts, count: limit.counter.count, since: Timestamp(limit.counter.since))
        }
        logKeptForDays = logDays
        isIncomplete = data.isCut
    }
}

extension ClientRecord.Kind {
    /// What the export calls it, since the first version of it.
    fileprivate var purpose: String {
        switch self {
        case .registration: "client-registration"
        case .checkState: "security-check"
        case .refreshFamily: "client-refresh"
        }
    }
}

extension UserData.Grant {
    fileprivate init(_ grant: CountersignCore.Grant) {
        self.init(
            application: grant.clientID.rawValue, createdAt: Timestamp(grant.createdAt),
            expiresAt: Timestamp(grant.expiresAt), endedAt: grant.revokedAt.map(Timestamp.init),
            refreshedAt: grant.refresh.rotatedAt.map(Timestamp.init), scopes: grant.terms.scopes,
            audiences: grant.terms.audiences.isEmpty ? nil : grant.terms.audiences, details: grant.terms.details)
    }
}
