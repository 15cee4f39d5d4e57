import Crypto
import Foundation
import JSON
import NIOCore

/// Requests of the application.
enum WebRequest {
    static let verifier = String(repeating: "verifier-", count: 5)
    static let challenge = Array(SHA256.hash(data: Data(verifier.utf8))).base64URL
    private static let credentials = Data("\(WebBrowsers.application.id):\(WebBrowsers.application.secret)".utf8)
        .base64EncodedString()

    static func authorize(_ cookie: String, source: String) -> ByteBuffer {
        let query =
            "client_id=\(WebBrowsers.application.id)&response_type=code&scope=openid%20email%20offline_access"
            + "&redirect_uri=https%3A%2F%2Fapp.bench.example%2Fcallback&state=s&nonce=n&code_challenge=\(challenge)"
            + "&code_challenge_method=S256"
        return ByteBuffer(
            string: "GET /authorize?\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: \(source)\r\n"
                + "Cookie: __Host-cs_session=\(cookie); cs_session=\(cookie)\r\n\r\n")
    }

    static func post(_ path: String, _ form: String, source: String, proof: String? = nil) -> ByteBuffer {
        ByteBuffer(
            string: "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: \(source)\r\n"
                + "Authorization: Basic \(credentials)\r\n" + (proof.map { "DPoP: \($0)\r\n" } ?? "")
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n\(form)"
        )
    }

    static func redeem(_ code: String, source: String) -> ByteBuffer {
        post(
            "/oauth/token",
            "grant_type=authorization_code&code=\(code)&code_verifier=\(verifier)"
                + "&redirect_uri=https%3A%2F%2Fapp.bench.example%2Fcallback", source: source)
    }
}

/// From the authorization endpoint, where the browser is signed in, to what the user information endpoint tells.
struct GettingCodes: Script {
    let cookie: String
    let source: String
    let refreshTokens: Collected<String>
    /// Whether it is done after the tokens, for a load that prepares another.
    var isShort = false
    var remaining = Int.max
    private var step = 0

    init(cookie: String, source: String, refreshTokens: Collected<String> = Collected(), times: Int? = nil) {
        self.cookie = cookie
        self.source = source
        self.refreshTokens = refreshTokens
        if let times {
            isShort = true
            remaining = times
        }
    }

    mutating func begin() -> ByteBuffer? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        step = 0
        return WebRequest.authorize(cookie, source: source)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        step += 1
        switch step {
        case 1:
            try answer.expect(303)
            guard let code = answer.location?.split(separator: "code=").last?.prefix(while: { $0 != "&" }),
                answer.location?.hasPrefix(WebBrowsers.redirectURI) == true
            else { throw UnexpectedAnswer(status: 303, body: answer.location ?? "no address") }
            return WebRequest.redeem(String(code), source: source)
        case 2:
            try answer.expect(200)
            refreshTokens.add(try answer.text("refresh_token"))
            return isShort ? nil : RequestText.get("/userinfo", source: source, bearer: try answer.text("access_token"))
        default:
            try answer.expect(200, containing: "\"sub\"")
            return nil
        }
    }
}

/// Trades a refresh token, then what came back, and so on.
struct RefreshingWeb: Script {
    let source: String
    var token: String

    mutating func begin() -> ByteBuffer? {
        WebRequest.post("/oauth/token", "grant_type=refresh_token&refresh_token=\(token)", source: source)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        token = try answer.text("refresh_token")
        return nil
    }
}

/// Tokens of an application for itself, with a proof of a key in each request or without.
struct AskingForItself: Script {
    let source: String
    /// The address that proofs are about, and the key; nil for Bearer tokens.
    let proving: (url: String, key: ProvingKey)?
    var tokens = Collected<String>()
    var remaining = Int.max

    mutating func begin() throws -> ByteBuffer? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        let proof = try proving.map { try $0.key.proof(of: $0.url) }
        return WebRequest.post(
            "/oauth/token", "grant_type=client_credentials&scope=bench", source: source, proof: proof)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        if remaining < 1_000_000 { tokens.add(try answer.text("access_token")) }
        return nil
    }
}

/// Asks about a token again and again.
struct Introspecting: Script {
    let source: String
    let token: String

    mutating func begin() -> ByteBuffer? {
        WebRequest.post("/oauth/introspect", "token=\(token)", source: source)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200, containing: "\"active\":true")
        return nil
    }
}

/// The key of an application (RFC 9449).
struct ProvingKey: Sendable {
    private let key = P256.Signing.PrivateKey()

    func proof(of url: String) throws -> String {
        let point = Array(key.publicKey.rawRepresentation)
        let header =
            #"{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"\#(point[..<32].base64URL)","#
            + #""y":"\#(point[32...].base64URL)"}}"#
        let now = Int(Date().timeIntervalSince1970)
        let claims = #"{"jti":"\#(UUID().uuidString)","htm":"POST","htu":"\#(url)","iat":\#(now)}"#
        let input = "\(Array(header.utf8).base64URL).\(Array(claims.utf8).base64URL)"
        return "\(input).\(Array(try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL)"
    }
}
