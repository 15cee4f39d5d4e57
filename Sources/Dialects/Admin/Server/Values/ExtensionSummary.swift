import CountersignCore

/// A custom authentication extension as administrators see it.
public struct ExtensionSummary: Codable, Sendable, Equatable {
    public struct Claim: Codable, Sendable, Equatable {
        /// What the service calls it; nil for a constant.
        public let id: String?
        /// The constant; `<secret>` for callers who may not change extensions.
        public let value: String?
        /// What tokens call it; as the service does where it is left out.
        public let jwtClaimType: String?

        /// What tokens call it, where that is not what the service calls it; nil where both say the same.
        public var renamed: String? { jwtClaimType == id ? nil : jwtClaimType }

        public init(id: String? = nil, value: String? = nil, jwtClaimType: String? = nil) {
            self.id = id
            self.value = value
            self.jwtClaimType = jwtClaimType
        }
    }

    public let id: String
    public let listenerID: String
    /// `token-issuance-start`, `otp-send`, `attribute-collection-start`, `attribute-collection-submit`.
    public let event: String
    public let displayName: String?
    public let targetURL: String
    public let resourceID: String
    /// Empty for all that have none of their own.
    public let applications: [String]
    /// Milliseconds.
    public let timeout: Int
    public let retries: Int
    /// `refuse`, or `fallback` to mail.
    public let onError: String
    public let claims: [Claim]
    /// Of `id`, `access`.
    public let tokens: [String]
    public let createdAt: Timestamp

    /// - Parameter permit: of the caller who is shown it.
    init(_ made: CustomExtension, for permit: AdministrationPermit) {
        let isShown = permit.has(AddExtension.right)
        id = made.id
        listenerID = made.listenerID
        event = made.event.rawValue
        displayName = made.displayName
        targetURL = made.targetURL
        resourceID = made.resourceID
        applications = made.clients
        timeout = made.timeout
        retries = made.retries
        onError = made.fallsBack ? "fallback" : "refuse"
        // A constant may be a secret between the operator and an API.
        claims = made.claims.map { claim in
            let value = claim.value.map { isShown ? $0 : ConcealedValue.mark }
            return Claim(id: claim.id, value: value, jwtClaimType: claim.jwtClaimType)
        }
        tokens = made.tokens.map(\.rawValue)
        createdAt = Timestamp(made.createdAt)
    }
}

extension AdministrationError {
    static func noExtension(_ id: String) -> AdministrationError {
        AdministrationError(.notFound, "There is no extension \(id). `countersign extension list` shows all of them.")
    }
}
