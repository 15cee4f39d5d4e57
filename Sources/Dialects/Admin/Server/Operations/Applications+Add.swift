import CountersignCore

/// Registers an application.
public struct AddApplication: RehearsedOperation {
    public static let name = "applications:add"
    public static let right = AdministrationRight.changeApplications

    /// Nil makes one in the form of an API key.
    public var id: String?
    public var registration: RegistrationChange?
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?

    public init(
        id: String? = nil, registration: RegistrationChange = RegistrationChange(), dryRun: Bool? = nil
    ) {
        self.id = id
        self.registration = registration
        self.dryRun = dryRun
    }

    public struct Answer: Codable, Sendable, WarningAnswer {
        public let application: ApplicationSummary
        /// The generated client secret; it is nowhere else.
        public let secret: SecretText?
        public let warnings: [String]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let clientID = try id.map { try Self.clientID($0, on: realm) }
        let change = registration ?? RegistrationChange()
        try change.validate()
        let secret = change.secret(random: realm.random)
        var registration = ApplicationRegistration()
        // Of sites: most libraries of theirs verify nothing else unless they are told to (`docs/decisions/0443`).
        if change.kind == OAuthRegistration.Kind.web.rawValue, change.idTokenAlgorithm == nil {
            registration.oauth.idTokenAlgorithm = OAuthRegistration.standardIDTokenAlgorithm
        }
        change.apply(to: &registration, secret: secret, at: realm.clock.now)
        try permit.requireChanging(nil, to: registration)
        try registration.judgeOAuth()
        if dryRun == true {
            let judged = Application(
                id: clientID ?? ClientID(rawValue: ""), createdAt: realm.clock.now, registration: registration)
            return Answer(
                application: try await realm.summary(of: judged, uses: [], for: permit), secret: nil,
                warnings: change.warnings(for: judged.id, among: try await realm.resources.list()))
        }
        guard let added = try await realm.applications.add(id: clientID, registration, by: client) else {
            throw try await Self.conflict(clientID ?? ClientID(rawValue: ""), on: realm)
        }
        return Answer(
            application: try await realm.summary(of: added, uses: [], for: permit), secret: secret.generated,
            warnings: change.warnings(for: added.id, among: try await realm.resources.list()))
    }

    private static func conflict(_ id: ClientID, on realm: Realm) async throws -> AdministrationError {
        guard try await realm.applications.registered(id) == nil else {
            return AdministrationError(
                .conflict, "There is an application \(id.rawValue) already. Change it with `countersign app set`.")
        }
        return AdministrationError(
            .conflict,
            "A user has the id \(id.rawValue). Choose another: an application's tokens would pass for the user's.")
    }

    private static func clientID(_ text: String, on realm: Realm) throws -> ClientID {
        guard ClientID.isPlain(text) else {
            throw AdministrationError(
                .invalid,
                "\"\(text)\" is no client id: it has 1 to 128 letters, digits, hyphens, underscores and dots, and is not . or .."
            )
        }
        // Services tell by this id that it is the server who calls.
        guard text.lowercased() != realm.extensionFormat.caller else {
            throw AdministrationError(
                .invalid, "\"\(text)\" is the server itself to custom extensions. Choose another.")
        }
        return ClientID(rawValue: text)
    }
}
