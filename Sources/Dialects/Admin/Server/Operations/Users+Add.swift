import CountersignCore

/// Makes an account.
public struct AddUser: AdministrationOperation {
    public static let name = "users:add"
    public static let right = AdministrationRight.changeUsers

    public var email: String
    /// Nil makes an account without password, unless ``generatesPassword``.
    public var password: SecretText?
    /// A random password, given back once.
    public var generatesPassword: Bool?
    public var displayName: String?
    /// The user's language (BCP 47): pages and mails are in it.
    public var locale: String?
    /// Whether the administrator knows that the address is the user's.
    public var emailVerified: Bool?
    /// Nil makes a fresh one.
    public var id: String?

    public init(
        email: String, password: SecretText? = nil, generatesPassword: Bool = false, displayName: String? = nil,
        locale: String? = nil, emailVerified: Bool = false, id: String? = nil
    ) {
        self.email = email
        self.password = password
        self.generatesPassword = generatesPassword
        self.displayName = displayName
        self.locale = locale
        self.emailVerified = emailVerified
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// The generated password; it is nowhere else.
        public let password: SecretText?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let address = try EmailAddress.judged(email)
        if password != nil && generatesPassword == true {
            throw AdministrationError(.invalid, "Give a password or have one generated, not both.")
        }
        try AdministrationError.check(displayName: displayName)
        if let locale { try AdministrationError.check(locale: locale) }
        let userID = try id.map(Self.userID)
        let shownName = displayName.flatMap { $0.isEmpty ? nil : $0 }
        let generated: SecretText? =
            if generatesPassword == true {
                .password(for: try await realm.settings().passwords, random: realm.random)
            } else { nil }
        let result = try await realm.accounts.create(
            id: userID, email: address, password: (generated ?? password)?.secret,
            profile: UserProfile(emailVerified: emailVerified ?? false, displayName: shownName, locale: locale),
            by: client)
        switch result {
        case .success(let user): return Answer(user: UserSummary(user), password: generated)
        case .failure(let refusal): throw AdministrationError(refusal, email: address, id: userID)
        }
    }

    private static func userID(_ text: String) throws -> UserID {
        guard UserID.isPlain(text) else {
            throw AdministrationError(
                .invalid,
                "\"\(text)\" is no user id: it has 1 to 128 letters, digits, hyphens, underscores and dots, and is not . or .."
            )
        }
        guard text != AdministratorToken.actor else {
            throw AdministrationError(.invalid, "No user has the id \(text): the log calls the first token so.")
        }
        return UserID(rawValue: text)
    }
}

extension EmailAddress {
    /// - Throws: ``AdministrationError`` of code `invalid` where the text is no address.
    static func judged(_ text: String) throws -> EmailAddress {
        guard let address = EmailAddress(text) else {
            throw AdministrationError(.invalid, "\"\(text)\" is no e-mail address.")
        }
        return address
    }
}
