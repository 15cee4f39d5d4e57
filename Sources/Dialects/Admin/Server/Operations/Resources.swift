import CountersignCore

/// An API as administrators see it.
public struct ResourceSummary: Codable, Sendable, Equatable {
    public struct Scope: Codable, Sendable, Equatable {
        public let name: String
        /// What the consent page says of it.
        public let text: String?
        /// The same by language.
        public let texts: [String: String]?
        /// `aal1` or `aal2`; nil where any session will do.
        public let minimumACR: String?
        /// What it opens of the user's custom claims and attributes; nil where that is nothing.
        public let claims: [String]?
    }

    public let uri: String
    public let name: String?
    public let scopes: [Scope]
    /// The application that asks about its tokens.
    public let owner: String?
    /// Seconds.
    public let lifetime: Int?
    /// `opaque`; nil for JWTs.
    public let tokenFormat: String?
    /// What access tokens are signed with, where it was chosen.
    public let tokenAlgorithm: String?
    /// For `expecting` of `resources:put`. Nil from a server of before.
    public let revision: String?

    init(_ resource: Resource) throws {
        revision = try RecordRevision.text(of: resource)
        uri = resource.uri
        name = resource.name
        scopes = resource.scopes.map {
            Scope(
                name: $0.name, text: $0.text, texts: $0.texts, minimumACR: $0.minimumACR?.rawValue,
                claims: $0.claims)
        }
        owner = resource.owner?.rawValue
        lifetime = resource.lifetime
        tokenFormat = resource.tokenFormat == .opaque ? Resource.TokenFormat.opaque.rawValue : nil
        tokenAlgorithm = resource.algorithm?.rawValue
    }
}

/// Adds an API that access tokens are issued for, or replaces the one with its identifier.
public struct PutResource: RehearsedOperation {
    public static let name = "resources:put"
    public static let right = AdministrationRight.changeApplications

    /// An absolute URI without fragment: what tokens have as `aud`.
    public var uri: String
    public var displayName: String?
    public var scopes: [String]?
    /// What the consent page says of scopes, by scope and language: `{"read": {"": "Read your notes", "de": "Ihre Notizen lesen"}}`. The
    /// empty language stands for those without a text of their own.
    public var scopeTexts: [String: [String: String]]?
    /// What scopes open of the user's custom claims (`plan`) and attributes (`attributes.city`), by scope: in access tokens for the API,
    /// at the user info endpoint, and in ID tokens that ask for them.
    public var scopeClaims: [String: [String]]?
    /// `aal1` or `aal2`: the least assurance of a session that gets one of the scopes; of those that `scopeACRs` does not name.
    public var minimumACR: String?
    /// The same by scope: `{"pay": "aal2"}`.
    public var scopeACRs: [String: String]?
    /// The application that asks about its tokens.
    public var owner: String?
    /// Seconds that access tokens live: 60 to 86,400.
    public var lifetime: Int?
    /// What access tokens are: `jwt`, or `opaque` for introspection alone.
    public var tokenFormat: String?
    /// What they are signed with: `ES256` or `RS256`; left out for what all tokens are.
    public var tokenAlgorithm: String?
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?
    /// The `revision` that the API is to have still (``ResourceSummary/revision``), or an empty text where there is to be none so far;
    /// otherwise nothing is changed.
    public var expecting: String?

    public init(
        uri: String, displayName: String? = nil, scopes: [String]? = nil,
        scopeTexts: [String: [String: String]]? = nil, scopeClaims: [String: [String]]? = nil,
        minimumACR: String? = nil, scopeACRs: [String: String]? = nil, owner: String? = nil, lifetime: Int? = nil,
        tokenFormat: String? = nil,
        tokenAlgorithm: String? = nil,
        dryRun: Bool? = nil, expecting: String? = nil
    ) {
        self.expecting = expecting
        self.uri = uri
        self.displayName = displayName
        self.scopes = scopes
        self.scopeTexts = scopeTexts
        self.scopeClaims = scopeClaims
        self.minimumACR = minimumACR
        self.scopeACRs = scopeACRs
        self.owner = owner
        self.lifetime = lifetime
        self.tokenFormat = tokenFormat
        self.tokenAlgorithm = tokenAlgorithm
        self.dryRun = dryRun
    }

    public struct Answer: Codable, Sendable {
        public let resource: ResourceSummary
    }

    /// What OpenID Connect or this server has a meaning for.
    private static let reservedScopes = AdministrationRoutes.accountScopes.union([
        "openid", "profile", "email", "phone", "address", "offline_access", "groups", "roles",
        AdministrationRoutes.scope,
        // Reads as all of them, where it is the name of one.
        "*",
    ])

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard Resource.isIdentifier(uri) else {
            throw AdministrationError(
                .invalid, "\"\(uri)\" is no identifier of an API: it is an absolute URI without fragment.")
        }
        let least = try minimumACR.flatMap { try $0.isEmpty ? nil : Self.level($0) }
        let levels = try (scopeACRs ?? [:]).mapValues(Self.level)
        for scope in scopes ?? [] {
            let isText = scope.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
            guard !scope.isEmpty, scope.utf8.count <= 128, isText, !Self.reservedScopes.contains(scope) else {
                throw AdministrationError(.invalid, "\"\(scope)\" cannot be a scope of an API.")
            }
        }
        try checkTexts()
        try checkClaims()
        for scope in levels.keys.sorted() where scopes?.contains(scope) != true {
            throw AdministrationError(.invalid, "There is a level of \"\(scope)\", which is no scope of the API.")
        }
        if let lifetime, !(60...86_400).contains(lifetime) {
            throw AdministrationError(.invalid, "Access tokens live 60 to 86400 seconds.")
        }
        let format = try tokenFormat.map { text -> Resource.TokenFormat in
            guard let known = Resource.TokenFormat(rawValue: text) else {
                throw AdministrationError(.invalid, "\"\(text)\" is no format of tokens. There are jwt, opaque.")
            }
            return known
        }
        let algorithm = try tokenAlgorithm.map { text -> SigningAlgorithm in
            guard let known = SigningAlgorithm(rawValue: text) else {
                throw AdministrationError(.invalid, "\"\(text)\" is no algorithm of tokens. There are ES256, RS256.")
            }
            return known
        }
        try AdministrationError.check(displayName: displayName)
        if let owner, try await realm.applications.registered(ClientID(rawValue: owner)) == nil {
            throw AdministrationError.noApplication(owner)
        }
        let resource = Resource(
            uri: uri, name: displayName.flatMap { $0.isEmpty ? nil : $0 },
            scopes: (scopes ?? []).map { name in
                var texts = scopeTexts?[name] ?? [:]
                let text = texts.removeValue(forKey: "")
                return Resource.Scope(
                    name: name, text: text, texts: texts.isEmpty ? nil : texts, minimumACR: levels[name] ?? least,
                    claims: scopeClaims?[name].flatMap { $0.isEmpty ? nil : Set($0).sorted() })
            },
            owner: owner.map(ClientID.init(rawValue:)), lifetime: lifetime,
            tokenFormat: format == .jwt ? nil : format, algorithm: algorithm)
        if dryRun == true { return Answer(resource: try ResourceSummary(resource)) }
        let expecting = expecting
        let outcome = try await realm.resources.put(resource, by: client) { present in
            try RecordRevision.require(expecting, present.map { try RecordRevision.text(of: $0) })
        }
        switch outcome {
        case .done: return Answer(resource: try ResourceSummary(resource))
        case .scopeTaken(let scope):
            throw AdministrationError(.conflict, "Another API has the scope \(scope): a scope belongs to one.")
        case .tooMany: throw AdministrationError(.conflict, "There are \(Resource.most) APIs already.")
        case .notFound: throw AdministrationError.noResource(uri)
        }
    }
}

extension PutResource {
    private static func level(_ text: String) throws -> ContextClass {
        guard let known = ContextClass(rawValue: text) else {
            throw AdministrationError(.invalid, "\"\(text)\" is no level. There are aal1, aal2.")
        }
        return known
    }

    /// The two members that say which scope has which level, as they are said shortest: the one level of all, or those of each. What is
    /// not said is empty, so that it takes the place of what was said before.
    public static func assurance(of levels: [String: String], among scopes: [String]) -> (String, [String: String]) {
        let all = Set(scopes.map { levels[$0] ?? "" })
        if all.count <= 1 { return (all.first ?? "", [:]) }
        return ("", levels.filter { scopes.contains($0.key) && !$0.value.isEmpty })
    }
}

extension ResourceSummary {
    /// The level that all scopes have; nil where they have none, or different ones.
    public var commonACR: String? {
        let level = PutResource.assurance(of: scopeACRs, among: scopes.map(\.name)).0
        return level.isEmpty ? nil : level
    }

    /// The levels of scopes that have one.
    public var scopeACRs: [String: String] { scopes.reduce(into: [:]) { $0[$1.name] = $1.minimumACR } }
}

extension PutResource {
    /// Refuses texts of scopes that the API does not have, in what is no language, or that a page has no room for.
    private func checkTexts() throws {
        for (scope, texts) in scopeTexts ?? [:] {
            guard scopes?.contains(scope) == true else {
                throw AdministrationError(.invalid, "There is a text of \"\(scope)\", which is no scope of the API.")
            }
            for (language, text) in texts {
                let isLanguage =
                    language.isEmpty
                    || (2...3).contains(language.utf8.count) && language.utf8.allSatisfy { (0x61...0x7A).contains($0) }
                guard isLanguage else {
                    throw AdministrationError(.invalid, "\"\(language)\" is no language: write it as en, de or ja.")
                }
                guard PlainText(text, bytes: 1...1000) != nil, text.count <= Resource.Scope.longestText else {
                    throw AdministrationError(
                        .invalid, "The text of a scope has 1 to \(Resource.Scope.longestText) characters.")
                }
            }
        }
    }
}

extension PutResource {
    /// Refuses claims of scopes that the API does not have, and names that mean something else.
    private func checkClaims() throws {
        for (scope, claims) in scopeClaims ?? [:] {
            guard scopes?.contains(scope) == true else {
                throw AdministrationError(.invalid, "There are claims of \"\(scope)\", which is no scope of the API.")
            }
            guard claims.count <= Resource.Scope.mostClaims else {
                throw AdministrationError(
                    .invalid, "A scope opens \(Resource.Scope.mostClaims) claims at most.")
            }
            for claim in claims where !Resource.Scope.isClaim(claim) {
                throw AdministrationError(
                    .invalid, "\"\(claim)\" cannot be a claim of a scope: it is no name, or has a meaning already.")
            }
        }
    }
}

/// Lists the APIs that access tokens are issued for, by identifier.
public struct ListResources: AdministrationOperation {
    public static let name = "resources:list"
    public static let right = AdministrationRight.readApplications

    public init() {}

    public struct Answer: Codable, Sendable {
        public let resources: [ResourceSummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        Answer(resources: try await realm.resources.list().map(ResourceSummary.init))
    }
}

/// Removes an API: no tokens are issued for it any more.
public struct RemoveResource: AdministrationOperation {
    public static let name = "resources:remove"
    public static let right = AdministrationRight.changeApplications

    public var uri: String

    public init(uri: String) {
        self.uri = uri
    }

    public struct Answer: Codable, Sendable {
        public let uri: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard try await realm.resources.remove(uri, by: client) == .done else {
            throw AdministrationError.noResource(uri)
        }
        return Answer(uri: uri)
    }
}

extension AdministrationError {
    static func noResource(_ uri: String) -> AdministrationError {
        AdministrationError(.notFound, "There is no API \(uri). `countersign resource list` shows all of them.")
    }
}
