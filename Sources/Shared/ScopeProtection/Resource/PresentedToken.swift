import JSON

/// How an access token is sent.
enum TokenScheme: String, Sendable {
    /// RFC 6750: the token alone is enough.
    case bearer = "Bearer"
    /// RFC 9449, section 7.1: with a proof of its key.
    case dpop = "DPoP"
}

/// What the `Authorization` header of a request says (RFC 6750, section 2.1; RFC 9449, section 7.1).
enum PresentedToken: Sendable, Equatable {
    /// No header, or one of another scheme, which is no token.
    case none
    /// Twice, or not in the form of its scheme.
    case malformed
    case token(TokenScheme, String)

    /// - Parameter values: of each header of that name.
    init(_ values: [String], schemes: [TokenScheme]) {
        guard let value = values.first else {
            self = .none
            return
        }
        guard values.count == 1 else {
            self = .malformed
            return
        }
        let name = value.prefix { $0 != " " }
        guard let scheme = schemes.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
            self = .none
            return
        }
        let token = value.dropFirst(name.count).drop { $0 == " " }
        guard !token.isEmpty, token.utf8.count <= CompactJWS.longestUntrusted,
            token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") })
        else {
            self = .malformed
            return
        }
        self = .token(scheme, String(token))
    }
}
