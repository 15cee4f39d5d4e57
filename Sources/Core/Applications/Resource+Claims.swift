/// What scopes of APIs open of what operators keep about a user: custom claims, and attributes (`docs/decisions/0432`).
extension Resource.Scope {
    /// Claims that a scope opens at most.
    public static let mostClaims = 20
    /// Bytes of names and values that one token, or one answer, has of such claims at most. What has no room is left out.
    static let claimsSize = 3072
    /// How the names of attributes begin: `attributes.city` is the member `city` of the claim `attributes`. So no attribute, which users
    /// may have typed themselves, is taken for a claim of the operator's.
    static let attributePrefix = "attributes."
    /// The claim that attributes are members of.
    public static let attributesClaim = "attributes"

    /// The names of the claims that ``claims`` come to in tokens.
    public var tokenClaims: Set<String> {
        Set((claims ?? []).map { $0.hasPrefix(Self.attributePrefix) ? Self.attributesClaim : $0 })
    }

    /// ``CustomClaims/serverClaims``, and what else OpenID Connect says of a person (Core 1.0, section 5.1), which is the scopes' of OpenID
    /// Connect to open.
    private static let registeredClaims: Set<String> = CustomClaims.serverClaims.union([
        "address", "birthdate", "gender", "locale", "middle_name", "nickname", "profile", "website", "zoneinfo",
    ])

    /// Whether a text can be one of ``claims``: a name of 1 to 128 letters, digits and `_ - . : /` that no standard and no protocol of
    /// this server has a meaning for, or `attributes.` and the name of an attribute.
    public static func isClaim(_ text: String) -> Bool {
        let name = text.hasPrefix(attributePrefix) ? Substring(text.dropFirst(attributePrefix.count)) : text[...]
        let isSpelled =
            (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case 0x2D, 0x2E, 0x2F, 0x3A, 0x5F: true
                default: false
                }
            }
        return isSpelled && (text.hasPrefix(attributePrefix) || !registeredClaims.contains(text))
    }
}

extension [Resource] {
    /// What these APIs' scopes open of a user.
    public func claims(of user: User, openedBy scopes: [String]) -> [String: JSONValue] {
        var names: Set<String> = []
        for scope in flatMap(\.scopes) where scopes.contains(scope.name) { names.formUnion(scope.claims ?? []) }
        var claims: [String: JSONValue] = [:]
        var attributes: [String: JSONValue] = [:]
        var room = Resource.Scope.claimsSize
        func takes(_ name: String, _ value: JSONValue) -> Bool {
            guard value != .null, let text = try? value.jsonText(), name.utf8.count + text.count <= room else {
                return false
            }
            room -= name.utf8.count + text.count
            return true
        }
        // What was registered was judged; what is reserved since is not let through either.
        for name in names.sorted() where Resource.Scope.isClaim(name) {
            if name.hasPrefix(Resource.Scope.attributePrefix) {
                let short = String(name.dropFirst(Resource.Scope.attributePrefix.count))
                if let value = user.profile.attributes[short], takes(short, value) { attributes[short] = value }
            } else if let value = user.profile.customClaims[name], takes(name, value) {
                claims[name] = value
            }
        }
        if !attributes.isEmpty { claims[Resource.Scope.attributesClaim] = .object(attributes) }
        return claims
    }
}
