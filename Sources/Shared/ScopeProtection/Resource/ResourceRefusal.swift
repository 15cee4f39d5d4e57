/// Why a request is not let in, as HTTP says it.
public struct ResourceRefusal: Sendable, Equatable {
    /// The HTTP status: 400 for a malformed request, 401 where another token or proof may do, 403 for too little scope,
    /// 409 during a change at the issuer, 503 where the token could not be judged.
    public var status: Int
    /// The value of `WWW-Authenticate`; nil for a status that asks for no credentials.
    public var challenge: String?
    /// The value of `DPoP-Nonce`, where the next proof needs one.
    public var nonce: String?
    /// Seconds after which the same request may be let in: `Retry-After`.
    public var retryAfter: Int?

    init(_ status: Int, challenge: Challenge? = nil, nonce: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.challenge = challenge?.text
        self.nonce = nonce
        self.retryAfter = retryAfter
    }
}

/// A challenge as `WWW-Authenticate` has it (RFC 9110, section 11.6.1).
struct Challenge: Sendable {
    let scheme: TokenScheme
    private var parameters: [String] = []

    init(_ scheme: TokenScheme, error: String? = nil) {
        self.scheme = scheme
        add("error", error)
    }

    /// Adds a parameter where there is a value. What would end the quoted text is removed: no value that is sent needs it (RFC 6749,
    /// section 3.3; RFC 3986).
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        let plain = value.unicodeScalars.filter { $0.value > 0x1F && $0.value < 0x7F && $0 != "\"" && $0 != "\\" }
        parameters.append("\(name)=\"\(String(String.UnicodeScalarView(plain)))\"")
    }

    var text: String {
        parameters.isEmpty ? scheme.rawValue : "\(scheme.rawValue) \(parameters.joined(separator: ", "))"
    }
}
