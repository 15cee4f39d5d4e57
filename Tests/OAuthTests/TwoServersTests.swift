import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What is good once, sent twenty times at once to two servers on one store.
@Suite("Races between two servers")
struct TwoServersTests {
    enum Shared: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case sqlite = "SQLite"
        case postgres = "PostgreSQL"

        var testDescription: String { rawValue }
        /// Both, where PostgreSQL is installed or must be.
        static let available: [Shared] = PostgresCluster.isWanted ? allCases : [.sqlite]
    }

    private static let copies = 20

    private func with(
        _ store: Shared, _ test: @Sendable @escaping (_ first: TestServer, _ second: TestServer) async throws -> Void
    ) async throws {
        try await Self.with(store, test)
    }

    static func with(
        _ store: Shared, _ test: @Sendable @escaping (_ first: TestServer, _ second: TestServer) async throws -> Void
    ) async throws {
        guard store == .postgres else { return try await TestServer.withTwo(test) }
        let database = try await PostgresCluster.shared().emptyDatabase()
        try await TestServer.withTwo(database: database.url, test)
    }

    /// Sends the same to both servers in turn, all at once.
    private func volley(
        _ first: TestServer, _ second: TestServer, _ send: @Sendable @escaping (TestServer) async throws -> Reply
    ) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for copy in 0..<Self.copies { group.addTask { try await send(copy.isMultiple(of: 2) ? first : second) } }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }
    }

    private func expectOne(
        _ replies: [Reply], else error: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Reply {
        let good = replies.filter { $0.status == 200 }
        #expect(
            good.count == 1, "\(replies.map { "\($0.status) \($0.text.prefix(80))" })", sourceLocation: sourceLocation)
        let others = replies.filter { $0.status != 200 }
        #expect(others.allSatisfy { $0.json["error"].text == error }, sourceLocation: sourceLocation)
        return try #require(good.first, sourceLocation: sourceLocation)
    }

    private func signedIn(_ server: TestServer) async throws -> (browser: Browser, user: UserID) {
        let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
        var browser = Browser(server)
        try await browser.signIn()
        return (browser, user)
    }

    @Test(arguments: Shared.available)
    func `One authorization code brings tokens once, and what it brought is dead`(store: Shared) async throws {
        try await with(store) { first, second in
            var (browser, _) = try await signedIn(first)
            let code = try await browser.code()
            let replies = try await volley(first, second) { try await $0.redeem(code) }
            let tokens = try expectOne(replies, else: "invalid_grant").json
            for server in [first, second] {
                #expect(try await server.userInfo(tokens["access_token"]).status == 401)
                #expect(try await server.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant")
            }
        }
    }

    @Test(arguments: Shared.available)
    func `One refresh token has one successor, and the one of before ends the family once that is used`(
        store: Shared
    ) async throws {
        try await with(store) { first, second in
            var (browser, _) = try await signedIn(first)
            let token = try await first.redeem(browser.code()).json["refresh_token"]
            let replies = try await volley(first, second) { try await $0.refresh(token) }
            let successors = Set(replies.filter { $0.status == 200 }.map { $0.json["refresh_token"] })
            #expect(successors.count == 1)
            #expect(replies.allSatisfy { $0.status == 200 || $0.json["error"] == "invalid_grant" })
            let successor = try #require(successors.first)
            // Once the successor is used, the one of before is stolen, however little time has passed.
            let third = try await first.refresh(successor)
            #expect(third.status == 200)
            #expect(try await second.refresh(token).json["error"] == "invalid_grant")
            #expect(
                try await first.refresh(third.json["refresh_token"]).json["error"] == "invalid_grant",
                "The family is dead.")
        }
    }

    @Test(arguments: Shared.available)
    func `One device code brings tokens once: pocket-id 6bd058ac`(store: Shared) async throws {
        try await with(store) { first, second in
            let (browser, user) = try await signedIn(first)
            let begun = try await first.form(
                "/oauth/device/code", ["client_id": "dev-native", "scope": "openid"]
            ).json
            let lookup = try await second.realm.deviceAuthorizations.pending(
                userCode: begun["user_code"].text ?? "", of: user, by: .testAdministrator)
            guard case .found(let pending) = lookup else { throw Unexpected(what: "\(lookup)") }
            #expect(
                try await second.realm.deviceAuthorizations.decide(
                    true, pending.id, session: try #require(browser.session).id, of: user, by: .testAdministrator)
                    == .done)
            let fields = [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "dev-native",
                "device_code": begun["device_code"].text ?? "",
            ]
            let replies = try await volley(first, second) { try await $0.form("/oauth/token", fields) }
            let tokens = try expectOne(replies, else: "invalid_grant").json
            #expect(try await second.userInfo(tokens["access_token"]).status == 200)
        }
    }

    @Test(arguments: Shared.available)
    func `One authentication request of the backchannel brings tokens once`(store: Shared) async throws {
        try await with(store) { first, second in
            let (_, id) = try await signedIn(first)
            let user = try #require(await first.realm.accounts.user(id))
            let grant = "urn:openid:params:grant-type:ciba"
            var registration = ApplicationRegistration(scopes: ["openid"])
            registration.setSecret(Secret("s3cret"))
            registration.oauth = OAuthRegistration(kind: .web)
            registration.oauth.grantTypes = [grant]
            try await first.add("shop", registration)
            let device = try await first.device(of: user)
            let shop = ["client_id": "shop", "client_secret": "s3cret"]
            let begun = try await first.form(
                "/bc-authorize", shop.merging(["scope": "openid", "login_hint": "ada@example.org"]) { $1 })
            #expect(begun.status == 200, "\(begun.text)")
            try await device.allow()
            let fields = shop.merging(
                ["grant_type": grant, "auth_req_id": begun.json["auth_req_id"].text ?? ""]) { $1 }
            let replies = try await volley(first, second) { try await $0.form("/oauth/token", fields) }
            _ = try expectOne(replies, else: "invalid_grant")
        }
    }

    @Test(arguments: Shared.available)
    func `One pushed request brings one code`(store: Shared) async throws {
        try await with(store) { first, second in
            let (browser, _) = try await signedIn(first)
            let pushed = try await first.form("/oauth/par", Browser.parameters())
            #expect(pushed.status == 201, "\(pushed.text)")
            let query = Browser.query([
                "client_id": "dev-native", "request_uri": pushed.json["request_uri"].text ?? "",
            ])
            let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            let replies = try await volley(first, second) {
                try await $0.send(.get, "/authorize?\(query)", headers: [.cookie: cookies])
            }
            #expect(replies.count { $0.answer["code"] != nil } == 1)
            #expect(replies.filter { $0.answer["code"] == nil }.allSatisfy { $0.status == 400 && $0.location == nil })
        }
    }

    /// fosite CVE-2020-15222, hydra CVE-2020-5300.
    @Test(arguments: Shared.available)
    func `One client assertion is good once`(store: Shared) async throws {
        try await with(store) { first, second in
            let key = P256.Signing.PrivateKey()
            let point = Array(key.publicKey.rawRepresentation)
            let jwk: JSONValue = .object([
                "kty": "EC", "crv": "P-256", "x": .string(point[..<32].base64URL),
                "y": .string(point[32...].base64URL),
            ])
            var registration = ApplicationRegistration(scopes: ["api"])
            registration.assertionKeys = try AssertionKey.keys(ofJWKS: .object(["keys": .array([jwk])]))
            registration.oauth = OAuthRegistration(kind: .service)
            try await first.add("robot", registration)
            let now = Int(first.now.timeIntervalSince1970)
            let claims: JSON = [
                "iss": "robot", "sub": "robot", "aud": "http://127.0.0.1:8080", "jti": "once",
                "exp": .integer(now + 60),
            ]
            let header: JSON = ["alg": "ES256"]
            let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
            let signature = Array(try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL
            let fields = [
                "grant_type": "client_credentials", "client_assertion": "\(input).\(signature)",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ]
            let replies = try await volley(first, second) { try await $0.form("/oauth/token", fields) }
            _ = try expectOne(replies, else: "invalid_client")
        }
    }

    @Test(arguments: Shared.available)
    func `One proof of a key is good once`(store: Shared) async throws {
        try await with(store) { first, second in
            let proof = try ClientKey().proof("POST", "http://127.0.0.1:8080/oauth/token", at: first.now)
            var headers = TestServer.devWeb
            headers[.dpop] = proof
            let sent = headers
            let replies = try await volley(first, second) {
                try await $0.form("/oauth/token", ["grant_type": "client_credentials"], headers: sent)
            }
            let token = try expectOne(replies, else: "invalid_dpop_proof")
            #expect(token.json["token_type"] == "DPoP")
        }
    }

    /// How an owner of the realm stops being one.
    private enum Removal: CaseIterable, Sendable {
        case demoting
        case revoking
        case disabling
        case deleting

        /// False where the user is the last owner.
        func apply(to owner: UserID, on realm: Realm) async throws -> Bool {
            switch self {
            case .demoting:
                let outcome = try await realm.administrators.grant(.auditor, to: owner, by: .testAdministrator)
                if case .failure(let refusal) = outcome { return try Self.isRefused(refusal) }
            case .revoking:
                let outcome = try await realm.administrators.revoke(owner, by: .testAdministrator)
                if case .failure(let refusal) = outcome { return try Self.isRefused(refusal) }
            case .disabling:
                var change = AccountChange()
                change.isDisabled = true
                switch try await realm.accounts.change(owner, change, by: .testAdministrator) {
                case .changed: break
                case .refused(.lastOwner): return false
                case .refused(let refusal): throw refusal
                }
            case .deleting:
                switch try await realm.accounts.delete([owner], by: .testAdministrator) {
                case [.deleted]: break
                case [.lastOwner]: return false
                case let outcomes: throw Unexpected(what: "\(outcomes)")
                }
            }
            return true
        }

        private static func isRefused(_ refusal: Administrators.Refusal) throws -> Bool {
            guard refusal == .lastOwner else { throw refusal }
            return false
        }
    }

    private func owner(_ name: String, on realm: Realm) async throws -> UserID {
        let user = try await realm.accounts.create(
            id: UserID(rawValue: name), email: nil, password: nil, by: .testAdministrator
        ).get()
        _ = try await realm.administrators.grant(.owner, to: user.id, by: .testAdministrator).get()
        return user.id
    }

    private static func isOwner(_ user: UserID, on realm: Realm) async throws -> Bool {
        try await realm.administrators.role(of: user) == .owner
    }

    @Test(arguments: Shared.available)
    func `Of two owners who are removed at once, each by another server and in whatever way, one remains`(
        store: Shared
    ) async throws {
        try await with(store) { first, second in
            let pairs = Removal.allCases.flatMap { one in Removal.allCases.map { (one, $0) } }
            for (round, pair) in pairs.enumerated() {
                let ada = try await owner("ada-\(round)", on: first.realm)
                let bob = try await owner("bob-\(round)", on: first.realm)
                async let one = pair.0.apply(to: ada, on: first.realm)
                async let other = pair.1.apply(to: bob, on: second.realm)
                let outcomes = try await [one, other]
                #expect(outcomes.count { $0 } == 1, "\(pair): \(outcomes)")
                for (user, isRemoved) in zip([ada, bob], outcomes) {
                    for server in [first, second] {
                        #expect(try await Self.isOwner(user, on: server.realm) != isRemoved, "\(pair)")
                    }
                }
                // The next two are to be alone.
                _ = try await first.realm.accounts.delete(
                    [outcomes[0] ? bob : ada], keepingOwner: false, by: .testAdministrator)
            }
        }
    }
}
