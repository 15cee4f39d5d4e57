import JSON

extension SignatureKey {
    /// The keys of a JSON Web Key Set by their names (RFC 7517, section 5); nil where it is none. Keys of other kinds, without names, and
    /// after the hundredth are passed over.
    package static func keys(ofJWKS jwks: JSONValue) -> [String: SignatureKey]? {
        guard case .array(let entries)? = jwks["keys"] else { return nil }
        var keys: [String: SignatureKey] = [:]
        for entry in entries.prefix(100) {
            guard let name = entry["kid"]?.stringValue, let key = try? SignatureKey(jwk: entry) else { continue }
            keys[name] = key
        }
        return keys
    }
}
