import ClientHTTP
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import JSON
import Testing

@testable import CountersignClient

/// The client against the server itself: pages, endpoints and tokens are the real ones.
@Suite("The client at the server")
struct RealServerTests {
    @Test
    func `A user signs in by pages, calls an API with renewed tokens, and signs out`() async throws {
        try await TestServer.with(.development) { server in
            let id = try await server.addUser().replacing("auth0|", with: "")
            let client = ClientOfServer(server)
            #expect(try await !client.session.isSignedIn())
            let user = try #require(await client.session.signIn(by: PersonAtBrowser(server)))
            #expect(user.id == id && user.acr == "aal1" && user.sessionID != nil && user.authenticatedAt != nil)
            let first = try await client.session.accessToken()
            #expect(!first.isBound && first.scopes == ["openid", "email", "offline_access"])
            let info = try await client.userInfo()
            #expect(info.status == 200 && String(decoding: info.body, as: UTF8.self).contains("ada@example.org"))
            // It is kept: another start of the app needs no sign-in, and no request.
            let sent = client.transport.requests.count
            #expect(try await client.restarted().accessToken() == first)
            #expect(try await client.restarted().user() == user)
            #expect(client.transport.requests.count == sent)
            // Ten minutes later it has expired.
            try await server.advance(590)
            let second = try await client.session.accessToken()
            #expect(second != first)
            #expect(try await client.userInfo().status == 200)
            #expect(try await client.session.signOut())
            #expect(client.kept == nil)
            #expect(try await !client.session.isSignedIn())
            await #expect { try await client.session.accessToken() } throws: {
                ($0 as? ClientFailure)?.code == .notSignedIn
            }
            let headers = ["Authorization": "Bearer \(second.text)"]
            let dead = try await client.transport.send(
                HTTPClientRequest(method: "GET", url: try ClientOfServer.url("/userinfo"), headers: headers))
            #expect(dead.status == 401)
        }
    }

    @Test
    func `The request has PKCE, state and nonce, and none of them twice`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let (client, person) = (ClientOfServer(server), PersonAtBrowser(server))
            for _ in 0..<2 {
                try await client.session.signIn(by: person, SignInRequest(loginHint: "ada@example.org", maxAge: 3600))
            }
            let asked = try person.pages.map { try #require(CallbackParameters($0)) }
            for parameters in asked {
                #expect(parameters["code_challenge_method"] == "S256" && parameters["max_age"] == "3600")
                for name in ["state", "nonce", "code_challenge"] {
                    #expect(parameters[name]?.utf8.count == 43)
                }
            }
            for name in ["state", "nonce", "code_challenge"] { #expect(asked[0][name] != asked[1][name]) }
            let forms = client.transport.forms("/oauth/token")
            #expect(forms.allSatisfy { $0.contains("code_verifier=") && !$0.contains("client_secret") })
            // The sign-in of before is revoked where another takes its place.
            #expect(client.transport.forms("/oauth/revoke").count == 1)
        }
    }

    @Test
    func `A request that is pushed shows the browser nothing but its name`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let (client, person) = (ClientOfServer(server, pushesRequests: true), PersonAtBrowser(server))
            #expect(try await client.session.signIn(by: person) != nil)
            let query = try #require(person.pages.first?.query)
            #expect(query.hasPrefix("client_id=dev-native&request_uri=urn"))
            #expect(client.transport.forms("/oauth/par").count == 1)
        }
    }

    @Test
    func `Bound tokens count with the proofs that the client makes, nonces included, and without them never`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let client = ClientOfServer(server, bindsTokens: true)
            try await client.session.signIn(by: PersonAtBrowser(server))
            let token = try await client.session.accessToken()
            #expect(token.isBound)
            let info = try await client.userInfo()
            #expect(info.status == 200, "\(info.headers)")
            // The nonce of minutes ago is over, and another one is fetched by the way.
            try await server.advance(180)
            #expect(try await client.userInfo().status == 200)
            try await server.advance(600)
            #expect(try await client.userInfo().status == 200)
            let proofs = client.transport.requests.compactMap { $0.headers["DPoP"] }
            #expect(Set(proofs).count == proofs.count)
            let thief = HTTPClientRequest(
                method: "GET", url: try ClientOfServer.url("/userinfo"),
                headers: ["Authorization": "Bearer \(try await client.session.accessToken().text)"])
            #expect(try await client.transport.send(thief).status == 401)
            // A refresh token without the key is worth nothing either.
            let stolen = try #require(client.kept?.refreshToken)
            let refused = try await HTTPClient(transport: client.transport).post(
                form: [("grant_type", "refresh_token"), ("refresh_token", stolen), ("client_id", "dev-native")],
                to: try ClientOfServer.url("/oauth/token"))
            #expect(refused.status == 400)
            #expect(try await client.restarted().accessToken(isFresh: true).isBound)
        }
    }

    @Test
    func `A token for an API has the API for its audience`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let client = ClientOfServer(
                server, scopes: ["openid", "offline_access", "api"], resources: ["http://127.0.0.1/api"])
            try await client.session.signIn(by: PersonAtBrowser(server))
            let token = try await client.session.accessToken()
            let claims = try #require(JWTPayload.claims(of: token.text))
            #expect(claims["aud"] == "http://127.0.0.1/api" && token.scopes.contains("api"))
            #expect(try await client.session.accessToken(for: "http://127.0.0.1/api") == token)
            await #expect { try await client.session.accessToken(for: "http://127.0.0.1/other") } throws: {
                ($0 as? ClientFailure)?.code == .refused("invalid_target")
            }
            #expect(try await client.session.accessToken() == token)
        }
    }

    @Test
    func `Twenty requests that need a fresh token share one renewal`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let client = ClientOfServer(server)
            try await client.session.signIn(by: PersonAtBrowser(server))
            let before = client.transport.forms("/oauth/token").count
            try await server.advance(700)
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await client.session.accessToken().text } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(client.transport.forms("/oauth/token").count == before + 1)
        }
    }

    @Test
    func `A refresh token that was used elsewhere ends the sign-in, and the client forgets it`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let client = ClientOfServer(server)
            try await client.session.signIn(by: PersonAtBrowser(server))
            let stolen = try #require(client.kept?.refreshToken)
            _ = try await client.session.accessToken(isFresh: true)
            #expect(client.kept?.refreshToken != stolen)
            try await server.advance(11)
            let reuse = try await HTTPClient(transport: client.transport).post(
                form: [("grant_type", "refresh_token"), ("refresh_token", stolen), ("client_id", "dev-native")],
                to: try ClientOfServer.url("/oauth/token"))
            #expect(reuse.status == 400)
            await #expect { try await client.session.accessToken(isFresh: true) } throws: {
                ($0 as? ClientFailure)?.code == .notSignedIn
            }
            #expect(client.kept == nil)
        }
    }

    @Test(arguments: [false, true])
    func `What a renewal brings does not come in the place of a sign-out, or of another sign-in`(
        isBefore: Bool
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let client = ClientOfServer(server)
            let session = client.session
            func renewIsRefused() async {
                await #expect { try await session.accessToken(isFresh: true) } throws: {
                    ($0 as? ClientFailure)?.code == .notSignedIn
                }
            }
            try await session.signIn(by: PersonAtBrowser(server))
            client.transport.interrupt(before: isBefore) {
                let isSignedOut = try await session.signOut()
                #expect(isSignedOut)
            }
            await renewIsRefused()
            #expect(client.kept == nil)
            #expect(try await !session.isSignedIn())

            try await session.signIn(by: PersonAtBrowser(server))
            let former = try #require(client.kept?.user)
            client.transport.interrupt(before: isBefore) { try await session.signIn(by: PersonAtBrowser(server)) }
            await renewIsRefused()
            let kept = try #require(client.kept)
            #expect(kept.user?.sessionID != former.sessionID)
            #expect(try await session.accessToken() == kept.accessTokens[""])
            #expect(try await client.userInfo().status == 200)
            _ = try await session.accessToken(isFresh: true)
        }
    }

    // MARK: Devices

    private func decide(_ server: TestServer, _ prompt: DevicePrompt, _ isAllowed: Bool) async throws {
        let address = try #require(EmailAddress(PersonAtBrowser.address))
        let by = ClientContext(
            clientID: ClientID(rawValue: "account"), dialect: .oauth, limitedSource: nil, source: "192.0.2.9")
        let verdict = try await server.realm.authenticator.answer(
            .password(Secret(TestServer.password)),
            to: .opening(FlowOpening(subject: .email(address), terms: GrantTerms())), by: by)
        guard case .accomplished(.signedIn(let signedIn)) = verdict else {
            return #expect(Bool(false), "\(verdict)")
        }
        let session = try #require(await server.realm.sessions.begin(inBrowser: signedIn)).session
        let lookup = try await server.realm.deviceAuthorizations.pending(
            userCode: prompt.userCode, of: session.userID, by: .testAdministrator)
        guard case .found(let pending) = lookup else { return #expect(Bool(false), "\(lookup)") }
        #expect(
            try await server.realm.deviceAuthorizations.decide(
                isAllowed, pending.id, session: session.id, of: session.userID, by: .testAdministrator) == .done)
    }

    @Test(arguments: [false, true])
    func `A user signs this device in on another one`(bindsTokens: Bool) async throws {
        try await TestServer.with(.development) { server in
            let id = try await server.addUser().replacing("auth0|", with: "")
            let client = ClientOfServer(server, bindsTokens: bindsTokens)
            let user = try await client.session.signInOnOtherDevice { prompt in
                #expect(prompt.verificationURI == ServerTransport.base + "/activate")
                do { try await decide(server, prompt, true) } catch { Issue.record(error) }
            }
            #expect(user?.id == id)
            #expect(try await client.session.accessToken().isBound == bindsTokens)
            #expect(try await client.userInfo().status == 200)
        }
    }

    @Test
    func `Another device signs in for several APIs, and each gets a token of its own`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let uris = ["http://127.0.0.1/api", "https://other.example"]
            let other = Resource(uri: uris[1], scopes: [.init(name: "secrets")])
            #expect(try await server.realm.resources.put(other, by: .testAdministrator) == .done)
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .commandLine) {
                $0.oauth.resources.append(uris[1])
                $0.scopes.append("secrets")
            }
            let client = ClientOfServer(
                server, scopes: ["openid", "offline_access", "api", "secrets"], resources: uris)
            try await client.session.signInOnOtherDevice { prompt in
                do { try await decide(server, prompt, true) } catch { Issue.record(error) }
            }
            for uri in uris {
                let token = try await client.session.accessToken(for: uri)
                #expect(try #require(JWTPayload.claims(of: token.text))["aud"] == .string(uri))
            }
        }
    }

    @Test
    func `A user who says no on another device, or nothing, signs nothing in`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let client = ClientOfServer(server)
            await #expect {
                try await client.session.signInOnOtherDevice { prompt in
                    do { try await decide(server, prompt, false) } catch { Issue.record(error) }
                }
            } throws: {
                ($0 as? ClientFailure)?.code == .cancelled
            }
            await #expect { try await client.session.signInOnOtherDevice { _ in } } throws: {
                ($0 as? ClientFailure)?.code == .timedOut
            }
            #expect(client.kept == nil)
        }
    }

    // MARK: Answers that are not the server's

    @Test
    func `An answer that was changed on its way signs nobody in`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let changes: [@Sendable (String) -> String] = [
                { $0.replacing(/state=[^&]*/, with: "state=made-up") },
                { $0.replacing(/&?iss=[^&]*/, with: "") },
                { $0.replacing(/iss=[^&]*/, with: "iss=https%3A%2F%2Fauth.example.com") },
                { $0.replacing(/&?code=[^&]*/, with: "") },
                { $0 + "&code=another" },
            ]
            for (place, change) in changes.enumerated() {
                let client = ClientOfServer(server)
                let person = PersonAtBrowser(server) { URL(string: change($0.absoluteString)) ?? $0 }
                await #expect("\(place)") { try await client.session.signIn(by: person) } throws: {
                    ($0 as? ClientFailure)?.code == .untrusted
                }
                #expect(client.transport.forms("/oauth/token").isEmpty && client.kept == nil)
            }
            // A code of another sign-in does not fit this verifier.
            let other = PersonAtBrowser(server) {
                URL(string: $0.absoluteString.replacing(/code=[^&]*/, with: "code=another")) ?? $0
            }
            let client = ClientOfServer(server)
            await #expect { try await client.session.signIn(by: other) } throws: {
                ($0 as? ClientFailure)?.code == .refused("invalid_grant")
            }
        }
    }

    @Test
    func `The server's page signs out of the server too`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let (client, person) = (ClientOfServer(server), PersonAtBrowser(server))
            try await client.session.signIn(by: person)
            let page = try #require(await client.session.signOutPage())
            #expect(page.path == "/oidc/logout")
            let reply = try await person.send(.get, page.absoluteString)
            #expect(reply.status == 303 && reply.headers[.location] == "/signed-out")
            await #expect { try await client.session.signIn(by: person, SignInRequest(prompt: "none")) } throws: {
                ($0 as? ClientFailure)?.code == .refused("login_required")
            }
        }
    }
}
