import CountersignCore
import HummingbirdCore

extension Request {
    /// The token of the header `Authorization: Bearer …` (RFC 6750, section 2.1); nil where there is none.
    /// One space stands before it; what comes after that is the token, to the letter.
    public var bearerToken: Secret<String>? { Authorization(of: self).credentials("Bearer").map { Secret($0) } }
}
