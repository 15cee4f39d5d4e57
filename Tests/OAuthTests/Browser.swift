import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

/// A proof key of a client (RFC 7636).
struct ProofKey {
    let verifier = String(repeating: "verifier-", count: 5)

    var challenge: String { Array(SHA256.hash(data: Data(verifier.utf8))).base64URL }
}

/// A browser of a test: its cookies, and the requests that a person's clicks make.
struct Browser: Sendable {
    let server: TestServer
    var cookies: [String: String] = [:]
    var session: CountersignCore.Session?

    static let callback = "http://127.0.0.1/callback"
    static let proofKey = ProofKey()

    init(_ server: TestServer) {
        self.server = server
    }

    /// Signs in as the pages do, and has the session's cookie afterwards.
    mutating func signIn(_ email: String = "ada@example.org") async throws {
        let client = ClientContext(
            clientID: ClientID(rawValue: "account"), dialect: .oauth, limitedSource: nil, source: "192.0.2.9")
        let address = try #require(EmailAddress(email))
        let verdict = try await server.realm.authenticator.answer(
            .password(Secret(TestServer.password)),
            to: .opening(FlowOpening(subject: .email(address), terms: GrantTerms())), by: client)
        guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw Unexpected(what: "\(verdict)") }
        let begun = try #require(await server.realm.sessions.begin(inBrowser: signedIn))
        cookies["__Host-cs_session"] = begun.token.reveal()
        session = begun.session
    }

    mutating func get(_ uri: String) async throws -> Reply {
        let reply = try await server.send(.get, uri, headers: headers)
        keep(reply)
        return reply
    }

    private var headers: HTTPFields {
        cookies.isEmpty
            ? [:]
            : [.cookie: cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")]
    }

    private mutating func keep(_ reply: Reply) {
        for header in reply.headers[values: .setCookie] {
            let pair = header.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
            if pair.count == 1, let name = pair.first { cookies[String(name)] = nil }
        }
    }

    // MARK: Requests for authorization

    /// What a client of the samples asks for; a change of nil leaves a parameter out.
    static func parameters(_ client: String = "dev-native", _ changes: [String: String?] = [:]) -> [String: String] {
        var parameters: [String: String] = [
            "client_id": client, "redirect_uri": callback, "response_type": "code", "scope": "openid offline_access",
            "state": "st/at+e=&", "nonce": "n-1", "code_challenge": proofKey.challenge,
            "code_challenge_method": "S256",
        ]
        for (name, value) in changes { parameters[name] = value }
        return parameters
    }

    static func query(_ parameters: [String: String]) -> String {
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return parameters.sorted { $0.key < $1.key }.map {
            "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }.joined(separator: "&")
    }

    mutating func authorize(
        _ client: String = "dev-native", _ changes: [String: String?] = [:]
    ) async throws -> Reply {
        try await get("/authorize?\(Self.query(Self.parameters(client, changes)))")
    }

    /// The code that an authorization ends in.
    mutating func code(_ client: String = "dev-native", _ changes: [String: String?] = [:]) async throws -> String {
        let reply = try await authorize(client, changes)
        return try #require(reply.answer["code"], "\(reply.status) \(reply.headers[.location] ?? reply.text)")
    }
}

extension Reply {
    var location: String? { headers[.location] }

    /// The members of the answer in a redirect's query or fragment.
    var answer: [String: String] {
        guard let location, let mark = location.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return [:] }
        var members: [String: String] = [:]
        for pair in location[location.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            if parts.count == 2 { members[parts[0]] = parts[1] }
        }
        return members
    }
}

extension TestServer {
    /// A fresh user who is signed in to a browser by the password alone, after a change of what `dev-native` is registered with.
    func userInBrowser(
        _ change: @escaping @Sendable (inout ApplicationRegistration) -> Void
    ) async throws -> (id: UserID, browser: Browser) {
        let id = UserID(rawValue: try await addUser().replacing("auth0|", with: ""))
        _ = try await realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator, change)
        var browser = Browser(self)
        try await browser.signIn()
        return (id, browser)
    }

    /// Posts a form.
    func form(
        _ path: String, _ fields: [String: String], headers: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await send(.post, path, headers: headers, body: Array(Browser.query(fields).utf8))
    }

    static let devWeb: HTTPFields = [
        .authorization: "Basic \(Data("dev-web:dev-web-secret".utf8).base64EncodedString())"
    ]

    /// Exchanges a code as the application of a test.
    func redeem(
        _ code: String, client: String = "dev-native", _ changes: [String: String?] = [:], headers: HTTPFields = [:]
    ) async throws -> Reply {
        var fields: [String: String] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Browser.callback,
            "code_verifier": Browser.proofKey.verifier,
        ]
        var headers = headers
        if client == "dev-web" {
            headers[.authorization] = Self.devWeb[.authorization]
        } else {
            fields["client_id"] = client
        }
        for (name, value) in changes { fields[name] = value }
        return try await form("/oauth/token", fields, headers: headers)
    }

    func refresh(
        _ token: JSON, _ changes: [String: String?] = [:], headers: HTTPFields = [:]
    ) async throws -> Reply {
        var fields = ["grant_type": "refresh_token", "refresh_token": token.text ?? "", "client_id": "dev-native"]
        for (name, value) in changes { fields[name] = value }
        return try await form("/oauth/token", fields, headers: headers)
    }

    func userInfo(_ token: JSON, scheme: String = "Bearer", headers: HTTPFields = [:]) async throws -> Reply {
        var headers = headers
        headers[.authorization] = "\(scheme) \(token.text ?? "")"
        return try await send(.get, "/userinfo", headers: headers)
    }

    /// Registers an application.
    func add(_ id: String, _ registration: ApplicationRegistration) async throws {
        let added = try await realm.applications.add(id: ClientID(rawValue: id), registration, by: .testAdministrator)
        #expect(added != nil)
    }
}

extension JSON {
    /// The claims of a JWT, unverified; and its header.
    var claims: JSON { part(1) }
    var header: JSON { part(0) }

    private func part(_ index: Int) -> JSON {
        guard let parts = text?.split(separator: "."), parts.count == 3,
            let bytes = [UInt8](base64URL: String(parts[index])), let value = try? JSON(parsing: bytes)
        else { return .null }
        return value
    }
}

/// The key of a client that proves its possession (RFC 9449).
struct ClientKey {
    let key = P256.Signing.PrivateKey()

    var jwk: JSON {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "x": .string(point[..<32].base64URL), "y": .string(point[32...].base64URL),
        ]
    }

    var thumbprint: String {
        let point = Array(key.publicKey.rawRepresentation)
        let text =
            #"{"crv":"P-256","kty":"EC","x":"\#(point[..<32].base64URL)","y":"\#(point[32...].base64URL)"}"#
        return Array(SHA256.hash(data: Data(text.utf8))).base64URL
    }

    func proof(
        _ method: String, _ url: String, at now: Date, id: String = UUID().uuidString, nonce: String? = nil,
        token: String? = nil, header changes: [String: JSON?] = [:], claims more: [String: JSON?] = [:]
    ) throws -> String {
        let header: JSON = JSON.object(["typ": "dpop+jwt", "alg": "ES256", "jwk": jwk]).with(changes)
        var claims: JSON = [
            "jti": .string(id), "htm": .string(method), "htu": .string(url),
            "iat": .integer(Int(now.timeIntervalSince1970)),
        ]
        claims = claims.with([
            "nonce": nonce.map { .string($0) },
            "ath": token.map { .string(Array(SHA256.hash(data: Data($0.utf8))).base64URL) },
        ]).with(more)
        let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
        return "\(input).\(Array(try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL)"
    }
}

extension HTTPField.Name {
    static var dpop: Self { known("DPoP") }
    static var dpopNonce: Self { known("DPoP-Nonce") }
}
