import Foundation

/// An API that access tokens are issued for (RFC 8707).
public struct Resource: Sendable, Equatable, Codable {
    /// A scope of the API.
    public struct Scope: Sendable, Equatable, Codable {
        /// The scope as requests and tokens spell it; unique among the realm's APIs.
        public var name: String
        /// What it allows, in the words of the consent page; nil shows the name.
        public var text: String?
        /// The same in the languages of ``text(in:)``: by language tag, of two or three letters in lower case.
        public var texts: [String: String]?
        /// The least assurance of a session that gets it; nil where any will do.
        public var minimumACR: ContextClass?
        /// What it opens of the user's custom claims and attributes (``isClaim(_:)``): in access tokens for the API, at the user info
        /// endpoint, and in ID tokens that ask for them by name. Nil opens nothing.
        public var claims: [String]?

        /// Describes a scope. Nothing is judged here.
        public init(
            name: String, text: String? = nil, texts: [String: String]? = nil, minimumACR: ContextClass? = nil,
            claims: [String]? = nil
        ) {
            self.claims = claims
            self.name = name
            self.text = text
            self.texts = texts
            self.minimumACR = minimumACR
        }

        /// What it allows, in the language where it was said in that one; nil where nothing was said.
        public func text(in language: String) -> String? { texts?[language] ?? text }

        /// Characters of a text.
        public static let longestText = 200
    }

    /// What its access tokens look like.
    public enum TokenFormat: String, Sendable, Codable, CaseIterable {
        /// A JWT, which the API verifies by itself (RFC 9068).
        case jwt
        /// A random text, about which the API asks (RFC 7662).
        case opaque
    }

    /// Its identifier, an absolute URI: what tokens have as `aud`.
    public var uri: String
    /// What people are shown.
    public var name: String?
    /// The scopes that the API has. An application gets those that it may request and that the user allows.
    public var scopes: [Scope]
    /// The application that asks about its tokens (RFC 7662, section 2.1).
    public var owner: ClientID?
    /// Seconds that its access tokens live; nil is the server's default.
    public var lifetime: Int?
    /// Nil is ``TokenFormat/jwt``.
    public var tokenFormat: TokenFormat?
    /// What its access tokens are signed with; nil for what the protocol signs with. For APIs whose libraries read no other.
    public var algorithm: SigningAlgorithm?

    /// Describes an API. Nothing is judged here.
    public init(
        uri: String, name: String? = nil, scopes: [Scope] = [], owner: ClientID? = nil, lifetime: Int? = nil,
        tokenFormat: TokenFormat? = nil, algorithm: SigningAlgorithm? = nil
    ) {
        self.uri = uri
        self.name = name
        self.scopes = scopes
        self.owner = owner
        self.lifetime = lifetime
        self.tokenFormat = tokenFormat
        self.algorithm = algorithm
    }

    /// Whether one of the scopes is only for sessions that were proven with two factors.
    public func wantsTwoFactors(forSome names: [String]) -> Bool {
        scopes.contains { $0.minimumACR == .aal2 && names.contains($0.name) }
    }

    /// Bytes that an identifier has at most.
    public static let longestURI = 512
    /// Resources that a realm has at most: they are one document, which every token request reads.
    public static let most = 500

    /// Whether a text can be an identifier: absolute and without fragment (RFC 8707, section 2).
    public static func isIdentifier(_ text: String) -> Bool {
        guard (1...longestURI).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.contains("#"), let components = URLComponents(string: text), components.scheme != nil
        else { return false }
        return components.host?.isEmpty == false || text.hasPrefix("urn:")
    }

    func defines(_ scope: String) -> Bool { scopes.contains { $0.name == scope } }
}

extension [Resource] {
    /// What a user is asked about scopes of that names, with the words of the API that each belongs to.
    func questions(about names: [String]) -> [ConsentQuestion.Scope] {
        let scopes = flatMap(\.scopes)
        return names.map { name in
            ConsentQuestion.Scope(name: name, definition: scopes.first { $0.name == name })
        }
    }
}

/// The realm's APIs.
public struct Resources: Sendable {
    let realm: Realm

    /// By identifier.
    public func list() async throws -> [Resource] { try await realm.store.read { try $0.resources() } }

    /// The same for what verifiers elsewhere depend on: those of before where the store does not answer.
    public func published() async throws -> [Resource] {
        let store = realm.store
        return try await realm.rememberedResources.value { try await store.read { try $0.resources() } }
    }

    /// The API of this identifier; nil where there is none.
    public func resource(_ uri: String) async throws -> Resource? { try await list().first { $0.uri == uri } }

    /// What came of a change of the list.
    public enum Change: Sendable, Equatable {
        /// The list is as was asked.
        case done
        /// There is no API of the identifier.
        case notFound
        /// The realm has ``Resource/most`` already.
        case tooMany
        /// Another API has a scope of that name: a scope belongs to one.
        case scopeTaken(String)
    }

    /// Adds an API, or replaces the one with its identifier.
    /// - Parameter present: sees the one that is there before, and throws where it is not what the caller knows; then nothing changes.
    public func put(
        _ resource: Resource, by client: ClientContext,
        judging present: @escaping @Sendable (Resource?) throws -> Void = { _ in }
    ) async throws -> Change {
        try await change(resource.uri, by: client) { all in
            try present(all.first { $0.uri == resource.uri })
            let others = all.filter { $0.uri != resource.uri }
            for scope in resource.scopes where others.contains(where: { $0.defines(scope.name) }) {
                return .scopeTaken(scope.name)
            }
            guard others.count < Resource.most else { return .tooMany }
            all = (others + [resource]).sorted { $0.uri < $1.uri }
            return .done
        }
    }

    /// Removes an API: no further access token is issued for it.
    public func remove(_ uri: String, by client: ClientContext) async throws -> Change {
        try await change(uri, by: client) { all in
            let rest = all.filter { $0.uri != uri }
            if rest.count == all.count { return .notFound }
            all = rest
            return .done
        }
    }

    private func change(
        _ uri: String, by client: ClientContext, _ change: @escaping @Sendable (inout [Resource]) throws -> Change
    ) async throws -> Change {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            var all = try transaction.resources()
            let before = all.first { $0.uri == uri }
            let outcome = try change(&all)
            guard outcome == .done else { return outcome }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try transaction.putDocument(Self.document, encoder.encode(all))
            let difference = try AuditDifference(from: before, to: all.first { $0.uri == uri }, .resource)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .resourceChanged, userID: nil, context: client,
                    details: difference.details.merging(["resource": .string(uri)]) { $1 }))
            return .done
        }
    }

    static let document = "resources"
}

extension StoreTransaction {
    /// By identifier.
    package func resources() throws -> [Resource] {
        let resources = try decodedDocument(Resources.document) { document in
            do {
                return try JSONDecoder().decode([Resource].self, from: document)
            } catch {
                throw StoreError(.corrupt, "The document of resources cannot be read: \(error)")
            }
        }
        return resources ?? []
    }
}

extension AuditEvent.Kind {
    /// An API was added, changed or removed.
    public static let resourceChanged = Self(rawValue: "resource.changed")
    /// A user allowed an application something.
    public static let consentGiven = Self(rawValue: "consent.given")
    /// A user took back what an application was allowed.
    public static let consentRevoked = Self(rawValue: "consent.revoked")
    /// A user allowed or denied a device that waits for it.
    public static let deviceDecided = Self(rawValue: "device-authorization.decided")
}
