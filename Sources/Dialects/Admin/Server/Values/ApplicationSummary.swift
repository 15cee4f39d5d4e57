import CountersignCore
import SecurityChecks

/// An application as administrators see it.
public struct ApplicationSummary: Codable, Sendable, Equatable {
    public struct Attribute: Codable, Sendable, Equatable {
        public let name: String
        /// `string`, `integer` or `boolean`.
        public let type: String
        public let isRequired: Bool
        /// A regular expression that a text has to match; nil where any will do.
        public let pattern: String?

        public init(name: String, type: String, isRequired: Bool, pattern: String? = nil) {
            self.name = name
            self.type = type
            self.isRequired = isRequired
            self.pattern = pattern
        }
    }

    public let id: String
    public let displayName: String?
    /// Whether it has a client secret or keys.
    public let isConfidential: Bool
    /// The `kid` of each key with which the application signs assertions, empty for a key without one; nil where there are none.
    public let keyIDs: [String]?
    public let redirectURIs: [String]
    public let challengeTypes: [String]
    public let scopes: [String]
    /// What access tokens may be issued for, beside the server's own APIs. Nil where none was ever set, and any is issued.
    public let audiences: [String]?
    public let attributes: [Attribute]
    public let requiresSecondFactor: Bool
    public let revealsAddresses: Bool
    public let versions: [ApplicationVersion]
    public let createdAt: Timestamp

    init(_ application: Application) {
        let registration = application.registration
        id = application.id.rawValue
        displayName = registration.displayName
        isConfidential = registration.isConfidential
        keyIDs = registration.assertionKeys.isEmpty ? nil : registration.assertionKeys.map { $0.id ?? "" }
        redirectURIs = registration.redirectURIs
        challengeTypes = registration.challengeTypes
        scopes = registration.scopes
        audiences = registration.audiences
        attributes = registration.attributes.map {
            Attribute(name: $0.name, type: $0.type, isRequired: $0.isRequired, pattern: $0.pattern)
        }
        requiresSecondFactor = registration.requiresSecondFactor
        revealsAddresses = registration.revealsAddresses
        versions = registration.versions
        createdAt = Timestamp(application.createdAt)
    }
}

extension AdministrationError {
    static func noApplication(_ id: String) -> AdministrationError {
        AdministrationError(.notFound, "There is no application \(id). `countersign app list` shows all of them.")
    }
}
