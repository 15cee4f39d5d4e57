import SignedTokens

/// What of a request says whether it is let in. A server of any framework fills it in.
public struct ResourceRequest: Sendable, Equatable {
    /// The HTTP method as the request line has it. A proof of possession has to name the same (RFC 9449, section 4.3).
    public var method: String
    /// As the request line has it, without the query.
    public var path: String
    /// The value of each `Authorization` header.
    public var authorization: [String]
    /// The value of each `DPoP` header.
    public var proofs: [String]
    /// Whether there is an `access_token` in the query or in a form (RFC 6750, sections 2.2 and 2.3). One there is never read: it
    /// would stand in logs and histories. Beside one in the header it makes the request ambiguous, which is refused.
    public var hasTokenElsewhere: Bool

    /// - Parameters:
    ///   - target: path and query as the request line has them.
    ///   - form: the body, where its type is `application/x-www-form-urlencoded`.
    public init(
        method: String, target: String, authorization: [String], proofs: [String] = [], form: String? = nil
    ) {
        self.method = method
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        self.authorization = authorization
        self.proofs = proofs
        hasTokenElsewhere =
            AccessTokenParameter.isPresent(in: parts.dropFirst().first ?? "")
            || AccessTokenParameter.isPresent(in: (form ?? "")[...])
    }
}
