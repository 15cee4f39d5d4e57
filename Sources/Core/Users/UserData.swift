import Foundation

/// What is kept about a person beside the log, in words that the person understands.
public struct UserData: Codable, Sendable {
    /// The account itself.
    public struct Profile: Codable, Sendable {
        /// The user's id.
        public let id: String
        /// The address; nil where there is none.
        public let email: String?
        /// Whether the person has proven to read its mail.
        public let emailVerified: Bool
        /// What people call the person.
        public let displayName: String?
        /// The address of a picture.
        public let photoURL: String?
        /// The phone number.
        public let phoneNumber: String?
        /// The user's language.
        public let locale: String?
        /// The terms of use that the user has agreed to, and when.
        public let acceptedTerms: [Terms]
        /// How often enrolling a second factor was put off; nil where it never was.
        public let enrolmentPutOffTimes: Int?
        /// When it was put off last.
        public let enrolmentPutOffAt: Timestamp?
        /// Whether no sign-in succeeds.
        public let isDisabled: Bool
        /// The ways in: `password`, `emailLink`, `anonymous`, `custom`.
        public let signsInWith: [String]
        /// When the account was made.
        public let createdAt: Timestamp
        /// When a sign-in last succeeded.
        public let lastSignInAt: Timestamp?
        /// When an application last traded a refresh token.
        public let lastRefreshAt: Timestamp?
        /// When the password was last set.
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
        /// The version, as the operator calls it.
        public let version: String
        /// When the person agreed.
        public let at: Timestamp
    }

    /// A sign-in, with what applications got of it.
    public struct Session: Codable, Sendable {
        /// The protocol in which it began.
        public let protocolName: String
        /// When it began.
        public let createdAt: Timestamp
        /// When it is over at the latest.
        public let expiresAt: Timestamp
        /// When it was ended before that; nil where it was not.
        public let endedAt: Timestamp?
        /// The network address of the sign-in, and what the client called itself.
        public let address: String?
        /// What the client called itself.
        public let userAgent: String?
        /// What was shown at the sign-in, and when.
        public let provenWith: [Proof]
        /// What applications got of it.
        public let grants: [Grant]

        private enum CodingKeys: String, CodingKey {
            case protocolName = "protocol"
            case createdAt, expiresAt, endedAt, address, userAgent, provenWith, grants
        }
    }

    /// What one application got of a session.
    public struct Grant: Codable, Sendable {
        /// The application's id.
        public let application: String
        /// When the application got it.
        public let createdAt: Timestamp
        /// When it is over at the latest.
        public let expiresAt: Timestamp
        /// When it was ended before that; nil where it was not.
        public let endedAt: Timestamp?
        /// When the application last traded a refresh token of it; nil where it never did.
        public let refreshedAt: Timestamp?
        /// The scopes that the application got.
        public let scopes: [String]
        /// What its access tokens are for; nil where the protocol has a rule of its own.
        public let audiences: [String]?
        /// What else the protocol keeps with it.
        public let details: [String: JSONValue]
    }

    /// One thing that was shown at a sign-in.
    public struct Proof: Codable, Sendable {
        /// The kind of the proof: `password`, `totp`, …
        public let kind: String
        /// When it was shown.
        public let at: Timestamp
    }

    /// An attempt to sign in, to reset or to enrol.
    public struct Attempt: Codable, Sendable {
        /// `sign-in`, `reset-password`, …
        public let purpose: String
        /// Answers that were given so far.
        public let answers: Int
        /// When it began.
        public let createdAt: Timestamp
        /// Until when it could be completed.
        public let expiresAt: Timestamp
        /// When it was completed; nil where it was not.
        public let finishedAt: Timestamp?
    }

    /// What the person allowed an application, until it is taken back.
    public struct Consent: Codable, Sendable {
        /// The application's id.
        public let application: String
        /// The scopes that it was allowed.
        public let scopes: [String]
        /// The APIs that it was allowed.
        public let resources: [String]
        /// When the person first allowed it something.
        public let since: Timestamp
    }

    /// A mail or a push.
    public struct Message: Codable, Sendable {
        /// How it is delivered.
        public let kind: String
        /// The recipient: an address, or the id of a device.
        public let to: String
        /// The template of its words.
        public let about: String
        /// When it was written.
        public let writtenAt: Timestamp
        /// When it was delivered; nil while it waits.
        public let deliveredAt: Timestamp?
    }

    /// A limit, and how far it is used.
    public struct Counter: Codable, Sendable {
        /// What is counted.
        public let counts: String
        /// How often it was.
        public let count: Int
        /// Since when it is counted.
        public let since: Timestamp
    }

    /// What the person may administer.
    public struct Role: Codable, Sendable {
        /// The role's word.
        public let role: String
        /// Since when the person has it.
        public let since: Timestamp
    }

    /// The account itself.
    public let profile: Profile
    /// The groups that the person is in, which applications may be told.
    public let groups: [String]
    /// Nil where the person administers nothing.
    public let role: Role?
    /// What the person signs in with; their secrets are not shown.
    public let factors: [FactorSummary]
    /// The newest sessions, also those that are over and not yet removed.
    public let sessions: [Session]
    /// Sign-ins, resets and enrolments that were begun.
    public let attempts: [Attempt]
    /// What the person allowed applications. Nil from a server of before.
    public let consents: [Consent]?
    /// Mails and pushes; what stood in them is not shown, as it opens the account.
    public let messages: [Message]
    /// How often something was tried with the address.
    public let counters: [Counter]
    /// Days that entries of the log are kept.
    public let logKeptForDays: Int
    /// Whether there are more sessions, attempts or messages than are listed.
    public let isIncomplete: Bool

    /// Puts what is kept into words.
    /// - Parameter logDays: days that entries of the log are kept.
    public init(_ data: PersonalData, logDays: Int) {
        let user = data.user
        profile = Profile(
            id: user.id.rawValue, email: user.email?.canonical, emailVerified: user.profile.emailVerified,
            displayName: user.profile.displayName, photoURL: user.profile.photoURL,
            phoneNumber: user.profile.phoneNumber, locale: user.profile.locale,
            acceptedTerms: user.profile.acceptedTerms.map { Terms(version: $0.version, at: Timestamp($0.at)) },
            enrolmentPutOffTimes: user.profile.putOffEnrolment?.times,
            enrolmentPutOffAt: user.profile.putOffEnrolment.map { Timestamp($0.at) },
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
        consents = data.consents.map {
            Consent(
                application: $0.client.rawValue, scopes: $0.scopes, resources: $0.resources,
                since: Timestamp($0.createdAt))
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
