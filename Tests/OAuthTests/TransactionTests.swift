import CoreTestSupport
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OAuthServer
import ServerHTTP
import TestSupport
import Testing
import WebPages

/// How many transactions a request of an application with a secret of this server takes. Each read changes threads, and each write waits
/// for the disk.
@Suite("Transactions of OAuth's endpoints")
struct TransactionTests {
    private static let base = "http://localhost"

    private struct Stage {
        let store: CountingStore
        let realm: Realm
        let client: any TestClientProtocol
        let secret: String

        func post(
            _ path: String, _ fields: [String: String], as id: String = "service", secret: String? = nil,
            proof: String? = nil
        ) async throws -> (status: Int, json: JSON) {
            var headers = HTTPFields.basic(id, secret ?? self.secret)
            headers[.contentType] = "application/x-www-form-urlencoded"
            headers[.dpop] = proof
            let response = try await client.executeRequest(
                uri: path, method: .post, headers: headers, body: ByteBuffer(string: Browser.query(fields)))
            return (response.status.code, (try? JSON(parsing: Array(response.body.readableBytesView))) ?? .null)
        }

        /// Reads and writes of the body.
        func counted(_ body: () async throws -> Void) async throws -> [Int] {
            let before = (store.reads, store.writes)
            try await body()
            return [store.reads - before.0, store.writes - before.1]
        }
    }

    private func stage(_ test: @escaping @Sendable (Stage) async throws -> Void) async throws {
        let store = CountingStore(try await TestStore.sqlite.open())
        let made = try TestRealm.make(keptIn: store)
        try await made.realm.keyring.prepare()
        var registration = ApplicationRegistration(redirectURIs: [], scopes: ["read"])
        registration.oauth = OAuthRegistration(kind: .service)
        let secret = ApplicationRegistration.drawnSecret(random: SystemRandom())
        registration.setSecret(secret, isDrawn: true)
        let added = try await made.realm.applications.add(
            id: ClientID(rawValue: "service"), registration, by: made.client)
        #expect(added != nil)
        let site = try PageSite(addresses: PageAddresses(published: { [Self.base] }, takesLoopback: true))
        let router = Router(context: CountersignRequestContext.self)
        router.add(middleware: FailureMiddleware())
        OAuth(
            realm: made.realm,
            options: OAuth.Options(publicURLs: { [Self.base] }, isDevelopment: false, site: site)
        ).addRoutes(to: router)
        try await Application(router: router).test(.router) { client in
            try await test(Stage(store: store, realm: made.realm, client: client, secret: secret.reveal()))
        }
    }

    private static let grant = ["grant_type": "client_credentials"]

    @Test
    func `A token that was asked about before takes one read, with the credentials of the one who asks`() async throws {
        try await stage { stage in
            let token = try await stage.post("/oauth/token", Self.grant).json["access_token"].text ?? ""
            for expected in [[2, 0], [1, 0], [1, 0]] {
                let counted = try await stage.counted {
                    let told = try await stage.post("/oauth/introspect", ["token": token])
                    #expect(told.json["active"] == true && told.json["scope"] == "read", "\(told)")
                }
                #expect(counted == expected)
            }
            // Whoever does not know the secret learns nothing, and is told nothing else than before.
            let wrong = ApplicationRegistration.drawnSecret(random: SystemRandom()).reveal()
            for secret in [wrong, "short"] {
                let refused = try await stage.post("/oauth/introspect", ["token": token], secret: secret)
                #expect(refused.status == 401 && refused.json["error"] == "invalid_client", "\(refused)")
                #expect(refused.json["active"] == .null)
            }
            #expect(try await stage.post("/oauth/introspect", [:]).json["error"] == "invalid_request")
            // A token that is revoked is known to be signed all the same.
            #expect(try await stage.post("/oauth/revoke", ["token": token]).status == 200)
            #expect(try await stage.post("/oauth/introspect", ["token": token]).json == ["active": false])
        }
    }

    @Test
    func `A proof of a key is remembered in the transaction that knows the application`() async throws {
        try await stage { stage in
            let key = ClientKey()
            func proof() throws -> String {
                try key.proof("POST", Self.base + "/oauth/token", at: stage.realm.clock.now)
            }
            // The nonce of the minute is made for the first answer.
            #expect(try await stage.post("/oauth/token", Self.grant, proof: proof()).status == 200)
            let bound = try await stage.counted {
                let answer = try await stage.post("/oauth/token", Self.grant, proof: proof())
                #expect(answer.json["token_type"] == "DPoP", "\(answer)")
            }
            #expect(bound == [0, 1])
            let bearer = try await stage.counted {
                let answer = try await stage.post("/oauth/token", Self.grant)
                #expect(answer.json["token_type"] == "Bearer", "\(answer)")
            }
            #expect(bearer == [1, 0])
            // Wrong credentials are told before a wrong proof, and use no right one up.
            let wrong = ApplicationRegistration.drawnSecret(random: SystemRandom()).reveal()
            let shown = [try proof(), "x"]
            for proof in shown {
                let refused = try await stage.post("/oauth/token", Self.grant, secret: wrong, proof: proof)
                #expect(refused.status == 401 && refused.json["error"] == "invalid_client", "\(refused)")
                let right = try await stage.post("/oauth/token", Self.grant, proof: proof)
                #expect(right.status == (proof == "x" ? 400 : 200), "\(right)")
                let again = try await stage.post("/oauth/token", Self.grant, proof: proof)
                #expect(again.status == 400 && again.json["error"] == "invalid_dpop_proof", "\(again)")
            }
        }
    }

    @Test
    func `A refresh token is looked at in the transaction that knows the application, and traded in the next`()
        async throws
    {
        try await stage { stage in
            var registration = ApplicationRegistration(
                redirectURIs: ["https://app.example/callback"], scopes: ["openid", "offline_access"])
            registration.oauth = OAuthRegistration(kind: .web)
            registration.oauth.grantTypes = ["authorization_code", "refresh_token"]
            registration.setSecret(Secret(stage.secret), isDrawn: true)
            let id = ClientID(rawValue: "web")
            let client = ClientContext(clientID: id, dialect: .oauth, limitedSource: nil, source: nil)
            let added = try await stage.realm.applications.add(id: id, registration, by: client)
            #expect(added != nil)
            let (email, password) = (TestRealm.email, Secret(TestRealm.password))
            _ = try await stage.realm.accounts.create(
                email: email, password: password, profile: UserProfile(emailVerified: true), by: client
            ).get()
            let opening = FlowOpening(
                subject: .email(email), terms: GrantTerms(scopes: ["openid", "offline_access"]))
            let verdict = try await stage.realm.authenticator.answer(
                .password(password), to: .opening(opening), by: client)
            guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw TestFailure() }
            var token = signedIn.refreshToken.reveal()
            var used = token
            for number in 0..<3 {
                used = token
                let counted = try await stage.counted {
                    let answer = try await stage.post(
                        "/oauth/token", ["grant_type": "refresh_token", "refresh_token": token], as: "web")
                    #expect(answer.status == 200, "\(answer)")
                    token = answer.json["refresh_token"].text ?? ""
                }
                // The first answer of a server may have to read what the others find in memory.
                if number > 0 { #expect(counted == [1, 1]) }
            }
            // Wrong credentials are told before a wrong token, and another application's token is none.
            let wrong = ApplicationRegistration.drawnSecret(random: SystemRandom()).reveal()
            let refresh = ["grant_type": "refresh_token", "refresh_token": token]
            let refused = try await stage.post("/oauth/token", refresh, as: "web", secret: wrong)
            #expect(refused.status == 401 && refused.json["error"] == "invalid_client", "\(refused)")
            for text in ["x", used + "x"] {
                let unknown = try await stage.post(
                    "/oauth/token", ["grant_type": "refresh_token", "refresh_token": text], as: "web")
                #expect(unknown.json["error"] == "invalid_grant", "\(unknown)")
            }
            #expect(try await stage.post("/oauth/token", refresh).json["error"] == "invalid_grant")
            let key = ClientKey()
            let bound = try await stage.post(
                "/oauth/token", refresh, as: "web",
                proof: key.proof("POST", Self.base + "/oauth/token", at: stage.realm.clock.now))
            #expect(bound.status == 200 && bound.json["token_type"] == "DPoP", "\(bound)")
            let access = bound.json["access_token"].text ?? ""
            // The proof of a key at this server's own API asks for no application: the token's own read has seen it.
            for number in 0..<2 {
                let counted = try await stage.counted {
                    let proof = try key.proof("GET", Self.base + "/userinfo", at: stage.realm.clock.now, token: access)
                    let response = try await stage.client.executeRequest(
                        uri: "/userinfo", method: .get,
                        headers: [.authorization: "DPoP \(access)", .dpop: proof], body: nil)
                    #expect(response.status == .ok, "\(response)")
                }
                if number > 0 { #expect(counted == [2, 1]) }
            }
        }
    }
}
