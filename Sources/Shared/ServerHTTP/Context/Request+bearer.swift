import CountersignCore
import HTTPTypes
import HummingbirdCore

extension Request {
    /// The token of the header `Authorization: Bearer …` (RFC 6750, section 2.1); nil where there is none.
    /// One space stands before it; what comes after that is the token, to the letter.
    public var bearerToken: Secret<String>? {
        guard let value = headers[.authorization], value.lowercased().hasPrefix("bearer ") else { return nil }
        let token = value.dropFirst("bearer ".count)
        return token.isEmpty ? nil : Secret(String(token))
    }
}
