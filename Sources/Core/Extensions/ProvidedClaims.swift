/// What a service provides for tokens, and what of it goes into which.
public struct ProvidedClaims: Sendable, Equatable {
    /// Bytes of all names and values together (Microsoft Learn, Custom claims provider reference).
    static let sizeLimit = 3072

    /// By the names that tokens have. Texts and lists of texts.
    public let claims: [String: JSONValue]
    /// All names that the mapping has, also of claims that the service did not provide: nothing else may use them.
    public let names: Set<String>
    /// The kinds of tokens that the claims go into.
    public let tokens: Set<CustomExtension.TokenKind>

    /// Nothing is asked, and nothing added.
    public static let none = ProvidedClaims(claims: [:], names: [], tokens: [])

    private init(claims: [String: JSONValue], names: Set<String>, tokens: Set<CustomExtension.TokenKind>) {
        self.claims = claims
        self.names = names
        self.tokens = tokens
    }

    /// What an action brings: only claims that the mapping lists are used, all are judged.
    init(_ action: ExtensionAction, for listener: CustomExtension) throws(ExtensionFailure) {
        guard case .provideClaims(let given) = action.effect else { throw ExtensionFailure(.invalidActionType) }
        var provided: [String: JSONValue]
        switch given {
        case .object(let object)?: provided = object
        case nil, .null?: throw ExtensionFailure(.nullClaimsResponse)
        default: throw ExtensionFailure(.invalidResponseBody, "claims is no object")
        }
        var size = 0
        for (name, value) in provided {
            if name.isEmpty { throw ExtensionFailure(.nullOrEmptyClaimKeyNotSupported) }
            switch value {
            case .string(let text):
                try Self.judge(text)
                size += text.utf8.count
            case .array(let values):
                for value in values {
                    guard let text = value.stringValue else { throw Self.wrongType }
                    try Self.judge(text)
                    size += text.utf8.count
                }
            case .null:
                // The vendor's .NET library writes null for what a service has no value for: it is left out.
                provided[name] = nil
                continue
            default: throw Self.wrongType
            }
            size += name.utf8.count
        }
        guard size <= Self.sizeLimit else { throw ExtensionFailure(.responseClaimsSizeExceeded, "\(size) bytes") }
        var claims: [String: JSONValue] = [:]
        // What was registered was judged; what is reserved since is not let through either.
        let mappings = listener.claims.filter { !CustomExtension.reservedClaims.contains($0.jwtClaimType) }
        for mapping in mappings {
            claims[mapping.jwtClaimType] = mapping.value.map { .string($0) } ?? mapping.id.flatMap { provided[$0] }
        }
        self.init(claims: claims, names: Set(mappings.map(\.jwtClaimType)), tokens: Set(listener.tokens))
    }

    /// Applications show what tokens say: no value writes over the text around it, or turns it round.
    private static func judge(_ text: String) throws(ExtensionFailure) {
        if PlainText.hasControls(text) {
            throw ExtensionFailure(.invalidResponseBody, "a claim has control characters")
        }
    }

    private static let wrongType = ExtensionFailure(.invalidResponseBody, "a claim is no text and no list of texts")

    /// Puts the claims into those that an account brings, for one kind of token. A name of the mapping means what the
    /// service says it does, and nothing where the service says nothing.
    public func merge(into claims: inout [String: JSONValue], for token: CustomExtension.TokenKind) {
        guard tokens.contains(token) else { return }
        for name in names { claims[name] = nil }
        claims.merge(self.claims) { _, provided in provided }
    }
}
