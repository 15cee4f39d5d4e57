import JSON

/// How an access token is sent.
enum TokenScheme: String, Sendable {
    /// RFC 6750: the token alone is enough.
    case bearer = "Bearer"
    /// RFC 9449, section 7.1: with a proof of its key.
    case dpop = "DPoP"

    /// Whether that is the scheme's name, in whatever case (RFC 9110, section 11.1). Its own name has nothing but letters.
    fileprivate func isNamed(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let own = rawValue.utf8
        return own.count == name.count && zip(own, name).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
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
        guard var value = values.first else {
            self = .none
            return
        }
        guard values.count == 1 else {
            self = .malformed
            return
        }
        // By bytes: schemes and tokens are ASCII, and a token of a thousand characters comes with each request.
        self = value.withUTF8 { bytes -> PresentedToken in
            let name = bytes.prefix { $0 != UInt8(ascii: " ") }
            guard let scheme = schemes.first(where: { $0.isNamed(name) }) else { return .none }
            let token = bytes[name.endIndex...].drop { $0 == UInt8(ascii: " ") }
            guard !token.isEmpty, token.count <= CompactJWS.longestUntrusted,
                token.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") })
            else { return .malformed }
            return .token(scheme, String(decoding: token, as: UTF8.self))
        }
    }
}
