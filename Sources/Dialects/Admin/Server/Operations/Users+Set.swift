import CountersignCore

/// Changes what is known about a user: address, name, language, picture, attributes and claims. The members that are left out stay as they
/// are.
public struct SetUser: RehearsedOperation {
    public static let name = "users:set"
    public static let right = AdministrationRight.changeUsers

    /// Id or address.
    public var user: String
    /// Another address. The former one is told, all sessions end, and the user confirms the new one unless ``emailVerified`` says otherwise.
    public var email: String?
    /// Whether the address is known to be the user's. Where the user has got another address meanwhile, nothing is changed.
    public var emailVerified: Bool?
    /// One line of up to 200 characters; an empty text clears.
    public var displayName: String?
    /// A language tag (BCP 47); an empty text clears.
    public var locale: String?
    /// The https address of a picture, which the server does not fetch; an empty text clears.
    public var picture: String?
    /// What applications asked for, by name: a text, a number or a truth value; `null` removes.
    public var attributes: [String: JSONValue]?
    /// The claims that every token of the user has, in place of all others; up to 1,000 characters as JSON.
    public var claims: [String: JSONValue]?
    /// The `revision` that the user is to have still (``ShowUser/Answer/revision``); otherwise nothing is changed.
    public var expecting: String?
    /// Whether what is said here is judged alone, by the same rules, and nothing is changed. The answer has the user as before.
    public var dryRun: Bool?

    public init(
        user: String, email: String? = nil, emailVerified: Bool? = nil, displayName: String? = nil,
        locale: String? = nil, picture: String? = nil, attributes: [String: JSONValue]? = nil,
        claims: [String: JSONValue]? = nil, expecting: String? = nil, dryRun: Bool? = nil
    ) {
        self.email = email
        self.emailVerified = emailVerified
        self.dryRun = dryRun
        self.picture = picture
        self.expecting = expecting
        self.user = user
        self.displayName = displayName
        self.locale = locale
        self.attributes = attributes
        self.claims = claims
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        public let attributes: [String: JSONValue]
        public let claims: [String: JSONValue]
    }

    /// Attributes that a user may have.
    static let mostAttributes = 100

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        var change = AccountChange()
        let address = try email.map(EmailAddress.judged)
        // The same one in other letters ends no session.
        if let address, address != found.email { change.email = .some(address) }
        guard emailVerified == nil || address != nil || found.email != nil else {
            throw AdministrationError(.invalid, "The user has no e-mail address.")
        }
        change.emailVerified = emailVerified
        if let displayName {
            try AdministrationError.check(displayName: displayName)
            change.displayName = .some(displayName.isEmpty ? nil : displayName)
        }
        if let locale {
            if !locale.isEmpty { try AdministrationError.check(locale: locale) }
            change.locale = .some(locale.isEmpty ? nil : locale)
        }
        if let picture {
            guard picture.isEmpty || UserProfile.isPictureAddress(picture) else {
                throw AdministrationError(
                    .invalid, "picture is an https address of at most \(UserProfile.longestPictureAddress) bytes.")
            }
            change.photoURL = .some(picture.isEmpty ? nil : picture)
        }
        for (name, value) in attributes ?? [:] {
            guard OwnProfile.isAttributeName(name) else {
                throw AdministrationError(
                    .invalid, "\"\(name.prefix(64))\" is no name of an attribute: 1 to 64 characters without spaces.")
            }
            guard value == .null || ProfileChange.isScalar(value) else {
                throw AdministrationError(
                    .invalid,
                    "The attribute \(name) is a line of at most \(ProfileChange.longestAttribute) characters, a number, true or false."
                )
            }
            change.attributes[name] = value
        }
        if let claims { change.customClaims = try Self.judged(claims) }
        if dryRun == true {
            try await permit.changing(found, of: realm) { try require(found, as: found, change) }
            if let address, let holder = try await realm.accounts.user(email: address), holder.id != found.id {
                throw AdministrationError(AccountRefusal.addressTaken, email: address)
            }
            return Answer(
                user: UserSummary(found), attributes: found.profile.attributes, claims: found.profile.customClaims)
        }
        let outcome = try await permit.changing(found, of: realm) { [self, change] in
            try await realm.accounts.change(found.id, change, by: client) { try require($0, as: found, change) }
        }
        switch outcome {
        case .changed(let user, _):
            return Answer(
                user: UserSummary(user), attributes: user.profile.attributes, claims: user.profile.customClaims)
        case .refused(let refusal): throw AdministrationError(refusal, email: address, id: found.id)
        }
    }

    /// Whether the change can be made to the user as the transaction sees it.
    /// - Parameter found: the user as the rest was judged by.
    private func require(_ present: User, as found: User, _ change: AccountChange) throws {
        try RecordRevision.require(expecting, RecordRevision.text(of: ChangeableProfile(present)))
        // What is said of an address is said of the one that was looked at.
        if email != nil || emailVerified != nil, change.email == nil {
            guard present.email?.canonical == found.email?.canonical else { throw AdministrationError.changedMeanwhile }
        }
        let names = Set(present.profile.attributes.keys).union(change.attributes.filter { $0.value != .null }.keys)
        guard names.count <= Self.mostAttributes else {
            throw AdministrationError(.invalid, "A user has at most \(Self.mostAttributes) attributes.")
        }
    }

    private static func text(_ members: [String: JSONValue]) -> String {
        String(decoding: (try? JSONValue.object(members).jsonText()) ?? [], as: UTF8.self)
    }

    private static func judged(_ claims: [String: JSONValue]) throws -> [String: JSONValue] {
        do throws(CustomClaims.Fault) {
            return try CustomClaims.judge(Self.text(claims)) { _ in .object(claims) }
        } catch {
            throw switch error {
            case .malformed: AdministrationError(.invalid, "claims is a JSON object.")
            case .tooLarge:
                AdministrationError(
                    .invalid, "claims may have \(CustomClaims.maximumLength) characters as JSON.")
            case .reserved(let name):
                AdministrationError(.invalid, "The claim \(name.prefix(60)) has a meaning of its own in tokens.")
            }
        }
    }
}

extension SetUser: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("user", "set").option("email", email).flag("email-verified", if: emailVerified)
            .flag("no-email-verified", if: emailVerified.map { !$0 }).option("name", displayName)
            .option("language", locale)
            .option("picture", picture).option("attributes", attributes.map(Self.text))
            .option("claims", claims.map(Self.text)).arguments(user)
    }
}
