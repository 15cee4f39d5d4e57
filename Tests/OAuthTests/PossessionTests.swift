import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Tokens that are bound to a key (RFC 9449).
@Suite("Proofs of possession")
struct PossessionTests {
    private static let token = "http://127.0.0.1:8080/oauth/token"
    private static let info = "http://127.0.0.1:8080/userinfo"

    private func nonce(_ server: TestServer, _ key: ClientKey) async throws -> String {
        let proof = try key.proof("POST", Self.token, at: server.now)
        let reply = try await server.form(
            "/oauth/token", ["grant_type": "refresh_token", "client_id": "dev-native", "refresh_token": "x"],
            headers: [.dpop: proof])
        #expect(reply.status == 400 && reply.json["error"] == "use_dpop_nonce", "\(reply.text)")
        return try #require(reply.headers[.dpopNonce])
    }

    private func bound(_ server: TestServer, _ key: ClientKey, _ changes: [String: String?] = [:]) async throws -> JSON
    {
        _ = try await server.addUser()
        var browser = Browser(server)
        try await browser.signIn()
        let nonce = try await nonce(server, key)
        let proof = try key.proof("POST", Self.token, at: server.now, nonce: nonce)
        let reply = try await server.redeem(browser.code("dev-native", changes), headers: [.dpop: proof])
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.json["token_type"] == "DPoP")
        #expect(reply.json["access_token"].claims["cnf"]["jkt"] == .string(key.thumbprint))
        return reply.json
    }

    @Test
    func `A bound token opens userinfo with its key's proof, and not as a bearer`() async throws {
        try await TestServer.with(.development) { server in
            let key = ClientKey()
            let tokens = try await bound(server, key)
            let access = tokens["access_token"]
            let bearer = try await server.userInfo(access)
            #expect(bearer.status == 401 && bearer.headers[.wwwAuthenticate]?.hasPrefix("DPoP") == true)
            #expect(bearer.json["error_description"].text?.contains("send it as DPoP") == true, "\(bearer.text)")
            var browser = Browser(server)
            try await browser.signIn()
            let free = try await server.userInfo(
                server.redeem(browser.code()).json["access_token"], scheme: "DPoP")
            #expect(free.status == 401 && free.json["error"] == "invalid_token")
            #expect(free.json["error_description"].text?.contains("send it as Bearer") == true, "\(free.text)")
            let without = try await server.userInfo(access, scheme: "DPoP")
            #expect(without.status == 401)
            let nonce = try #require(without.headers[.dpopNonce])
            func ask(_ proof: String) async throws -> Int {
                try await server.userInfo(access, scheme: "DPoP", headers: [.dpop: proof]).status
            }
            let right = try key.proof("GET", Self.info, at: server.now, nonce: nonce, token: access.text)
            #expect(try await ask(right) == 200)
            #expect(try await ask(right) == 401, "It was used before.")
            #expect(
                try await ask(ClientKey().proof("GET", Self.info, at: server.now, nonce: nonce, token: access.text))
                    == 401)
            #expect(try await ask(key.proof("GET", Self.info, at: server.now, nonce: nonce)) == 401)
            #expect(try await ask(key.proof("GET", Self.info, at: server.now, nonce: nonce, token: "x")) == 401)
            #expect(
                try await ask(key.proof("POST", Self.info, at: server.now, nonce: nonce, token: access.text)) == 401)
            #expect(
                try await ask(key.proof("GET", Self.token, at: server.now, nonce: nonce, token: access.text)) == 401)
            let spelled = try key.proof(
                "GET", "HTTP://127.0.0.1:8080/userinfo", at: server.now, nonce: nonce, token: access.text)
            #expect(try await ask(spelled) == 200, "Schemes have no case.")
        }
    }

    @Test
    func `Every answer to a request with a proof tells the nonce of the next one`() async throws {
        try await TestServer.with(.development) { server in
            let key = ClientKey()
            let tokens = try await bound(server, key)
            let access = try #require(tokens["access_token"].text)
            var nonce = try await nonce(server, key)
            let base = "http://127.0.0.1:8080"
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let requests: [(HTTPRequest.Method, String, [String: String]?, Int)] = [
                (.get, "/userinfo", nil, 200), (.post, "/oauth/par", Browser.parameters(), 201),
                (.post, "/oauth/device/code", ["client_id": "dev-native", "scope": "openid"], 200),
                (
                    .post, "/oauth/token",
                    ["grant_type": "authorization_code", "client_id": "dev-native", "code": "x"],
                    400
                ),
                (.get, "/me/v1/authentication-methods", nil, 403), (.get, "/account/v1/profile", nil, 403),
                (.post, "/admin/v1/users:list", nil, 403),
            ]
            for (method, path, fields, status) in requests {
                // Two minutes later the nonce of before would be refused.
                try await server.advance(60)
                var headers = fields == nil ? [:] : form
                if fields == nil { headers[.authorization] = "DPoP \(access)" }
                headers[.dpop] = try key.proof(
                    method.rawValue, base + path, at: server.now, nonce: nonce, token: fields == nil ? access : nil)
                let reply = try await server.send(
                    method, path, headers: headers, body: fields.map { Array(Browser.query($0).utf8) })
                #expect(reply.status == status, "\(path): \(reply.text)")
                nonce = try #require(reply.headers[.dpopNonce], "\(path)")
            }
            let plain = try await server.form(
                "/oauth/par", Browser.parameters("dev-native", ["redirect_uri": "https://evil.example"]))
            #expect(plain.status == 400 && plain.headers[.dpopNonce] == nil)
        }
    }

    @Test
    func `A refresh token of a public application goes with its key alone`() async throws {
        try await TestServer.with(.development) { server in
            let key = ClientKey()
            let tokens = try await bound(server, key)
            #expect(try await server.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant")
            let nonce = try await nonce(server, key)
            let other = try ClientKey().proof("POST", Self.token, at: server.now, nonce: nonce)
            #expect(
                try await server.refresh(tokens["refresh_token"], headers: [.dpop: other]).json["error"]
                    == "invalid_grant")
            let own = try key.proof("POST", Self.token, at: server.now, nonce: nonce)
            #expect(
                try await server.refresh(tokens["refresh_token"], headers: [.dpop: own]).json["token_type"] == "DPoP")
        }
    }

    @Test
    func `A code that was asked for with dpop_jkt needs that key`() async throws {
        try await TestServer.with(.development) { server in
            let key = ClientKey()
            _ = try await bound(server, key, ["dpop_jkt": key.thumbprint])
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code("dev-native", ["dpop_jkt": key.thumbprint])
            #expect(try await server.redeem(code).json["error"] == "invalid_grant")
        }
    }

    private static let wrong: [(String, [String: JSON?], [String: JSON?])] = [
        ("another type", ["typ": "JWT"], [:]), ("no type", ["typ": nil], [:]), ("no key", ["jwk": nil], [:]),
        ("an algorithm that is none", ["alg": "none"], [:]), ("an HMAC", ["alg": "HS256"], [:]),
        ("a critical header", ["crit": ["x"]], [:]), ("no jti", [:], ["jti": nil]),
        ("a long jti", [:], ["jti": .string(String(repeating: "j", count: 257))]), ("no htm", [:], ["htm": nil]),
        ("another method", [:], ["htm": "GET"]), ("no htu", [:], ["htu": nil]),
        ("another server", [:], ["htu": "https://evil.example/oauth/token"]), ("no iat", [:], ["iat": nil]),
        ("an iat of a minute ago", [:], ["iat": .integer(1_790_244_672 - 61)]),
        ("an iat of the future", [:], ["iat": .integer(1_790_244_672 + 20)]),
        ("an exp of the past", [:], ["exp": .integer(1_790_244_672 - 1)]), ("an exp of text", [:], ["exp": "soon"]),
        ("an nbf of the future", [:], ["nbf": .integer(1_790_244_672 + 20)]),
        ("a nonce that is none", [:], ["nonce": "abc"]),
    ]

    @Test
    func `A proof that is not one is refused, whatever is wrong with it`() async throws {
        try await TestServer.with { server in
            try await server.add("public", ApplicationRegistration(scopes: ["openid"]))
            let key = ClientKey()
            let url = "http://127.0.0.1:8080/oauth/token"
            let first = try await server.form(
                "/oauth/token", ["grant_type": "authorization_code", "client_id": "public", "code": "x"],
                headers: [.dpop: key.proof("POST", url, at: server.now)])
            let nonce = try #require(first.headers[.dpopNonce])
            for (name, header, claims) in Self.wrong {
                let proof = try key.proof("POST", url, at: server.now, nonce: nonce, header: header, claims: claims)
                let reply = try await server.form(
                    "/oauth/token", ["grant_type": "authorization_code", "client_id": "public", "code": "x"],
                    headers: [.dpop: proof])
                let error = reply.json["error"]
                #expect(error == "invalid_dpop_proof" || error == "use_dpop_nonce", "\(name): \(reply.text)")
            }
            let good = try key.proof("POST", url, at: server.now, nonce: nonce)
            let reply = try await server.form(
                "/oauth/token", ["grant_type": "authorization_code", "client_id": "public", "code": "x"],
                headers: [.dpop: good])
            #expect(reply.json["error"] == "invalid_grant")
            var twice: HTTPFields = [:]
            for id in ["one", "other"] {
                let proof = try key.proof("POST", url, at: server.now, id: id, nonce: nonce)
                twice.append(HTTPField(name: .dpop, value: proof))
            }
            let both = try await server.form(
                "/oauth/token", ["grant_type": "authorization_code", "client_id": "public", "code": "x"],
                headers: twice)
            #expect(both.json["error"] == "invalid_dpop_proof", "\(both.text)")
            // Two minutes later the nonce is over.
            try await server.advance(121)
            let late = try key.proof("POST", url, at: server.now, nonce: nonce)
            let refused = try await server.form(
                "/oauth/token", ["grant_type": "authorization_code", "client_id": "public", "code": "x"],
                headers: [.dpop: late])
            #expect(refused.json["error"] == "use_dpop_nonce")
        }
    }

    @Test(arguments: [OAuthSettings.NonceDemand.never, .public, .always])
    func `The setting says which applications put a nonce of the server into proofs`(
        _ demand: OAuthSettings.NonceDemand
    ) async throws {
        try await TestServer.with(.development) { server in
            try await server.realm.changeSettings(by: .testAdministrator) { $0.oauth.dpopNonce = demand }
            let key = ClientKey()
            func fault(_ fields: [String: String], _ credentials: HTTPFields = [:]) async throws -> String? {
                var headers = credentials
                headers[.dpop] = try key.proof("POST", Self.token, at: server.now)
                return try await server.form("/oauth/token", fields, headers: headers).json["error"].text
            }
            let grant = ["grant_type": "refresh_token", "client_id": "dev-native", "refresh_token": "x"]
            let ofPublic = try await fault(grant)
            #expect(ofPublic == (demand == .never ? "invalid_grant" : "use_dpop_nonce"))
            let ofConfidential = try await fault(["grant_type": "client_credentials"], TestServer.devWeb)
            #expect(ofConfidential == (demand == .always ? "use_dpop_nonce" : nil))
        }
    }

    @Test
    func `A header that came with a right proof opens nothing to another key`() async throws {
        try await TestServer.with(.development) { server in
            let (owner, thief) = (ClientKey(), ClientKey())
            let access = try await bound(server, owner)["access_token"]
            let nonce = try await nonce(server, owner)
            func ask(_ proof: String) async throws -> Int {
                try await server.userInfo(access, scheme: "DPoP", headers: [.dpop: proof]).status
            }
            func proof(of key: ClientKey, naming jwk: JSON) throws -> String {
                try key.proof(
                    "GET", Self.info, at: server.now, nonce: nonce, token: access.text, header: ["jwk": jwk])
            }
            #expect(try await ask(proof(of: owner, naming: owner.jwk)) == 200)
            #expect(try await ask(proof(of: thief, naming: owner.jwk)) == 401)
            #expect(try await ask(proof(of: thief, naming: thief.jwk)) == 401)
            #expect(try await ask(proof(of: owner, naming: thief.jwk)) == 401)
            #expect(try await ask(proof(of: owner, naming: owner.jwk)) == 200, "Known, and judged again.")
        }
    }

    @Test
    func `One proof sent twenty times at once counts once`() async throws {
        try await TestServer.with(.development) { server in
            let key = ClientKey()
            let tokens = try await bound(server, key)
            let access = tokens["access_token"]
            let nonce = try #require(await server.userInfo(access, scheme: "DPoP").headers[.dpopNonce])
            let proof = try key.proof("GET", Self.info, at: server.now, nonce: nonce, token: access.text)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await server.userInfo(access, scheme: "DPoP", headers: [.dpop: proof]).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1)
        }
    }

    @Test
    func `An address has so many proofs remembered without credentials, and an application that shows some goes on`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let (key, source) = (ClientKey(), "198.51.100.78")
            let nonce = try await nonce(server, key)
            for _ in 1..<RateLimit.possessionProofsPerSource.count { server.realm.tokens.countProof(from: source) }
            func ask(
                _ path: String, _ fields: [String: String], from address: String, as headers: HTTPFields = [:]
            ) async throws -> Reply {
                var headers = headers
                headers[.xForwardedFor] = address
                headers[.dpop] = try key.proof("POST", "http://127.0.0.1:8080\(path)", at: server.now, nonce: nonce)
                return try await server.form(path, fields, headers: headers)
            }
            let grant = ["grant_type": "refresh_token", "client_id": "dev-native", "refresh_token": "x"]
            let last = try await ask("/oauth/token", grant, from: source)
            #expect(last.json["error"] == "invalid_grant", "\(last.text)")
            let limited = try await ask("/oauth/token", grant, from: source)
            #expect(limited.status == 429 && limited.headers[.retryAfter] == "60", "\(limited.text)")
            #expect(try await ask("/oauth/par", Browser.parameters(), from: source).status == 429)
            let elsewhere = try await ask("/oauth/token", grant, from: "198.51.100.79")
            #expect(elsewhere.json["error"] == "invalid_grant", "\(elsewhere.text)")
            let confidential = try await ask(
                "/oauth/par", Browser.parameters("dev-web"), from: source, as: TestServer.devWeb)
            #expect(confidential.status == 201, "\(confidential.text)")
            try await server.advance(601)
            let later = try await ask("/oauth/token", grant, from: source)
            #expect(later.json["error"] == "use_dpop_nonce", "\(later.text)")
        }
    }

    @Test
    func `An application that has to prove a key gets nothing without`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.oauth.requiresDPoP = true
            }
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            #expect(try await server.redeem(browser.code()).json["error"] == "invalid_dpop_proof")
        }
    }
}
