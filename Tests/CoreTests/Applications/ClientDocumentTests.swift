import Foundation
import JSON
import Synchronization
import Testing

@testable import CountersignCore

/// Documents that describe clients, at the addresses that are their ids.
@Suite("Documents of clients")
struct ClientDocumentTests {
    private static let url = "https://app.example/client.json"
    private static let id = ClientID(rawValue: url)

    /// The servers of clients, as a test has them answer.
    final class Site: ClientDocumentFetcher {
        private struct State {
            var answers: [String: FetchedClientDocument] = [:]
            var requests: [String] = []
            /// Where there is one, answers wait for it.
            var gate: AsyncStream<Void>?
        }

        private let state = Mutex(State())

        var requests: [String] { state.withLock { $0.requests } }

        func answer(_ url: String, _ answer: FetchedClientDocument) {
            state.withLock { $0.answers[url] = answer }
        }

        func publish(
            _ url: String = ClientDocumentTests.url, _ changes: [String: JSONValue?] = [:],
            lifetime: TimeInterval? = nil
        ) {
            answer(
                url,
                .document(
                    body: ClientDocumentTests.bytes(url, changes), type: "application/json",
                    lifetime: lifetime))
        }

        /// Holds all answers until the stream that is given back is finished.
        func hold() -> AsyncStream<Void>.Continuation {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            state.withLock { $0.gate = stream }
            return continuation
        }

        func fetch(_ url: String) async -> FetchedClientDocument {
            let (answer, gate) = state.withLock { state in
                state.requests.append(url)
                return (state.answers[url] ?? .refused("status-404"), state.gate)
            }
            if let gate { for await _ in gate {} }
            return answer
        }
    }

    private static func bytes(_ url: String, _ changes: [String: JSONValue?]) -> Data {
        var members: [String: JSONValue] = [
            "client_id": .string(url), "client_name": "Notes",
            "redirect_uris": .array(["https://app.example/callback", "http://127.0.0.1/callback"]),
            "grant_types": .array(["authorization_code", "refresh_token"]), "response_types": .array(["code"]),
            "token_endpoint_auth_method": "none",
        ]
        for (name, value) in changes { members[name] = value }
        return Data((try? JSONValue.object(members).jsonText()) ?? [])
    }

    private func realm(
        _ site: Site, _ mode: ClientDocumentMode = .any, on store: TestStore = .sqlite,
        _ change: @escaping @Sendable (inout OAuthSettings) -> Void = { _ in }
    ) async throws -> TestRealm {
        let test = try await TestRealm.make(on: store, documentFetcher: site)
        try await test.changeSettings {
            $0.oauth.clientDocuments = mode
            change(&$0.oauth)
        }
        return test
    }

    private func application(_ test: TestRealm, _ id: ClientID = id) async throws -> Application? {
        try await test.realm.applications.application(id)
    }

    // MARK: Addresses

    @Test(arguments: [
        "https://app.example/client.json", "https://app.example/", "https://app.example:8443/a/b?c=d",
        "https://[2001:db8::1]/c",
        "https://app.example/a.b/c..", "https://app.example/%41",
    ])
    func `An address of https with a path is an id`(_ url: String) {
        let isTaken = ClientDocumentID(ClientID(rawValue: url)) != nil
        // Two dots are nowhere in an address that browsers are sent to.
        #expect(isTaken == !url.contains(".."))
    }

    @Test(arguments: [
        "https://app.example", "http://app.example/c", "http://127.0.0.1/c", "https://app.example/c#d",
        "https://a@app.example/c",
        "https://a:b@app.example/c", "https://app.example/a/../c", "https://app.example/a/./c",
        "https://app.example/a/%2e%2e/c",
        "https://app.example/a/%2E/c", "https://app.example/.", "https://APP.example/c", "https://app.example./c",
        "https://app.example:443/c", "https://app.example:0/c", "https://app.example\\c", "https://app.example/c d",
        "https://app.example/\u{E4}", "https:///c", "https:/app.example/c", "HTTPS://app.example/c",
        "https://app.example?c",
        "https://app.example/" + String(repeating: "c", count: 500), "urn:example:c", "javascript:alert(1)", "",
        "cs123",
    ])
    func `Whatever can be read in two ways is no id`(_ url: String) {
        #expect(ClientDocumentID(ClientID(rawValue: url)) == nil)
    }

    @Test
    func `Loopback is an address of documents under development alone`() throws {
        let id = ClientID(rawValue: "http://127.0.0.1:4000/client.json")
        #expect(ClientDocumentID(id) == nil)
        let address = try #require(ClientDocumentID(id, takesLoopback: true))
        #expect(address.origin == "http://127.0.0.1:4000" && address.shownHost == "127.0.0.1:4000")
        #expect(ClientDocumentID(ClientID(rawValue: "http://app.example/c"), takesLoopback: true) == nil)
    }

    @Test
    func `A pattern means an address, what begins with one, or a host`() throws {
        func covers(_ pattern: String, _ url: String) throws -> Bool {
            try #require(ClientDocumentPattern(pattern)).covers(try #require(ClientDocumentID(ClientID(rawValue: url))))
        }
        #expect(try covers("https://app.example/c", "https://app.example/c"))
        #expect(try !covers("https://app.example/c", "https://app.example/cd"))
        #expect(try covers("https://app.example/c/", "https://app.example/c/d"))
        #expect(try !covers("https://app.example/c/", "https://app.example/c"))
        #expect(try !covers("https://app.example/", "https://app.example.evil.example/"))
        #expect(try !covers("https://app.example/", "https://app.example:8443/"))
        #expect(
            try covers("app.example", "https://app.example:8443/c") && covers("app.example", "https://app.example/"))
        #expect(try !covers("app.example", "https://sub.app.example/"))
        for text in [
            "", "https://", "https://app.example", "App.example", "a b", "app.example:1", "*.example", "app.example/",
        ] {
            #expect(ClientDocumentPattern(text) == nil, "\(text)")
        }
    }

    // MARK: What documents may say

    private func fault(
        _ changes: [String: JSONValue?], type: String? = "application/json", listed: [String]? = nil
    ) throws -> String? {
        var settings = OAuthSettings()
        settings.listedDocuments = listed
        let address = try #require(ClientDocumentID(Self.id))
        do {
            _ = try ApplicationRegistration(
                document: Self.bytes(Self.url, changes), type: type, at: address, settings: settings,
                among: [])
            return nil
        } catch { return error.reason }
    }

    @Test
    func `A document has to be JSON of its own address, without secrets, of its own site`() throws {
        #expect(try fault([:]) == nil)
        for type in ["application/json; charset=utf-8", "Application/JSON", "application/oauth-client+json"] {
            #expect(try fault([:], type: type) == nil, "\(type)")
        }
        for type in [nil, "", "text/html", "text/json", "application/jsonp", "application/xml;a=+json", "json"] {
            #expect(try fault([:], type: type) == "its type is not JSON")
        }
        for id in [nil, "https://app.example/other", "https://app.example/client.json/", .integer(1)] as [JSONValue?] {
            #expect(try fault(["client_id": id]) == "client_id is not its address")
        }
        #expect(try fault(["client_secret": "x"])?.contains("secret") == true)
        #expect(try fault(["client_secret_expires_at": .integer(0)])?.contains("secret") == true)
        for method in ["client_secret_basic", "client_secret_post", "client_secret_jwt", "tls_client_auth", ""] {
            #expect(
                try fault(["token_endpoint_auth_method": .string(method)])?.contains("neither") == true, "\(method)")
        }
        for uri in [
            "https://app.example.evil.example/callback", "https://evil.example/", "https://app.example:8443/callback",
            "http://app.example/callback", "com.example.app:/callback", "https://app.example@evil.example/",
            "http://10.0.0.1/",
            "javascript:alert(1)", "https://APP.example/callback",
        ] {
            #expect(try fault(["redirect_uris": .array([.string(uri)])]) != nil, "\(uri)")
        }
        #expect(try fault(["redirect_uris": nil]) != nil)
        #expect(try fault(["redirect_uris": .array([])]) != nil)
        #expect(try fault(["redirect_uris": .array([.integer(1)])]) != nil)
        #expect(try fault(["grant_types": .array(["client_credentials"])]) != nil)
        #expect(try fault(["token_endpoint_auth_method": "private_key_jwt"]) != nil, "It has no keys.")
        for (uri, isTaken) in [("https://app.example/jwks", true), ("https://evil.example/jwks", false)] {
            let keys: [String: JSONValue?] = [
                "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": .string(uri),
            ]
            #expect(try (fault(keys) == nil) == isTaken, "\(uri)")
        }
        // What the operator lists may be elsewhere, and is an address all the same.
        let elsewhere: [String: JSONValue?] = [
            "redirect_uris": .array(["https://other.example/callback", "com.example.app:/callback"])
        ]
        #expect(try fault(elsewhere) != nil)
        #expect(try fault(elsewhere, listed: ["https://app.example/"]) == nil)
        #expect(try fault(["redirect_uris": .array(["javascript:alert(1)"])], listed: ["app.example"]) != nil)
    }

    @Test
    func `A document makes no application of the operator's own, and no scopes`() throws {
        let address = try #require(ClientDocumentID(Self.id))
        let document = Self.bytes(
            Self.url,
            [
                "grant_types": .array(["authorization_code", "client_credentials", "urn:openid:params:grant-type:ciba"]
                ),
                "scope": "openid admin account api", "is_first_party": .bool(true),
                "logo_uri": "https://app.example/logo.png",
                "client_uri": "https://elsewhere.example/", "policy_uri": "https://app.example/policy",
            ])
        var settings = OAuthSettings()
        settings.registrationResources = ["https://api.example"]
        let registration = try ApplicationRegistration(
            document: document, type: "application/json", at: address, settings: settings,
            among: [
                Resource(uri: "https://api.example", scopes: [.init(name: "notes")]),
                Resource(uri: "https://closed.example", scopes: [.init(name: "api")]),
            ])
        #expect(registration.oauth.origin == .document(uri: Self.url))
        #expect(!registration.oauth.isFirstParty && !registration.isConfidential)
        #expect(registration.oauth.grantTypes == ["authorization_code"])
        #expect(registration.scopes == ["openid", "profile", "email", "phone", "notes"])
        #expect(registration.oauth.resources == ["https://api.example"])
        #expect(registration.oauth.clientURI == nil && registration.oauth.policyURI == "https://app.example/policy")
        #expect(registration.oauth.logo == nil)
        #expect(registration.oauth.kind == .native, "One of its addresses is on the user's device.")
    }

    // MARK: Reading

    @Test(arguments: [ClientDocumentMode.off, .listed, .any])
    func `A document is read where the setting admits its address, and nowhere else`(_ mode: ClientDocumentMode)
        async throws
    {
        let site = Site()
        site.publish()
        site.publish("https://listed.example/c", ["redirect_uris": .array(["http://127.0.0.1/callback"])])
        site.publish("https://blocked.example/c", ["redirect_uris": .array(["http://127.0.0.1/callback"])])
        let test = try await realm(site, mode) {
            $0.listedDocuments = ["https://listed.example/", "blocked.example"]
            $0.blockedDocuments = ["blocked.example"]
        }
        let documents = test.realm.clientDocuments
        for (url, isTaken) in [
            (Self.url, mode == .any), ("https://listed.example/c", mode != .off), ("https://blocked.example/c", false),
        ] {
            let id = ClientID(rawValue: url)
            #expect(try await documents.prepare(id, by: test.client) == (isTaken ? nil : .notAdmitted))
            #expect(try await (application(test, id) != nil) == isTaken)
            #expect(site.requests.contains(url) == isTaken)
        }
        #expect(try await documents.prepare(ClientID(rawValue: "dev-web"), by: test.client) == nil)
        #expect(try await documents.prepare(ClientID(rawValue: "https://app.example"), by: test.client) == .notAdmitted)
    }

    @Test
    func `What was read counts for as long as its server says, five minutes at least and a day at most`() async throws {
        for (lifetime, kept) in [(nil, 300.0), (0, 300), (10, 300), (3600, 3600), (1e9, 86_400)] as [(Double?, Double)]
        {
            let site = Site()
            site.publish(lifetime: lifetime)
            let test = try await realm(site)
            #expect(try await test.realm.clientDocuments.prepare(Self.id, by: test.client) == nil)
            test.clock.advance(kept - 1)
            site.publish(Self.url, ["client_name": "Other"], lifetime: lifetime)
            #expect(try await test.realm.clientDocuments.prepare(Self.id, by: test.client) == nil)
            #expect(site.requests.count == 1)
            #expect(try await application(test)?.registration.displayName == "Notes")
            test.clock.advance(1)
            #expect(try await test.realm.clientDocuments.prepare(Self.id, by: test.client) == nil)
            #expect(site.requests.count == 2)
            #expect(try await application(test)?.registration.displayName == "Other")
            let events = try await test.events(.clientDocumentRead)
            #expect(events.count == 2 && events.allSatisfy { $0.details["application"] == .string(Self.url) })
        }
    }

    @Test
    func `What is no document is asked for again at once: no error is kept`() async throws {
        let site = Site()
        let test = try await realm(site)
        for answer in [
            FetchedClientDocument.refused("status-404"), .unreachable("timed-out"),
            .document(body: Data("{}".utf8), type: "application/json", lifetime: 86_400),
        ] {
            site.answer(Self.url, answer)
            #expect(try await test.realm.clientDocuments.prepare(Self.id, by: test.client) != nil)
            #expect(try await application(test) == nil)
        }
        #expect(site.requests.count == 3)
        #expect(try await test.events(.clientDocumentRefused).count == 3)
        site.publish()
        #expect(try await test.realm.clientDocuments.prepare(Self.id, by: test.client) == nil)
        #expect(try await application(test)?.registration.displayName == "Notes")
    }

    @Test
    func `While its server is away the registration goes on for a day, and a document that is gone ends it`()
        async throws
    {
        let site = Site()
        site.publish()
        let test = try await realm(site)
        let documents = test.realm.clientDocuments
        #expect(try await documents.prepare(Self.id, by: test.client) == nil)
        site.answer(Self.url, .unreachable("status-503"))
        test.clock.advance(300 + 86_399)
        #expect(try await documents.prepare(Self.id, by: test.client) == nil)
        test.clock.advance(1)
        #expect(try await documents.prepare(Self.id, by: test.client) == .unreachable("status-503"))
        site.publish()
        #expect(try await documents.prepare(Self.id, by: test.client) == nil)
        test.clock.advance(300)
        site.answer(Self.url, .refused("status-410"))
        #expect(try await documents.prepare(Self.id, by: test.client) == .unusable("status-410"))
        site.publish(Self.url, ["client_id": "https://evil.example/"])
        #expect(try await documents.prepare(Self.id, by: test.client) == .unusable("client_id is not its address"))
        site.publish()
        #expect(try await documents.prepare(Self.id, by: test.client) == nil)
    }

    @Test
    func `Twenty who name one document are one question`() async throws {
        let site = Site()
        site.publish()
        let test = try await realm(site)
        let gate = site.hold()
        let refusals = try await withThrowingTaskGroup(of: ClientDocuments.Refusal?.self) { group in
            for _ in 0..<20 {
                group.addTask { try await test.realm.clientDocuments.prepare(Self.id, by: test.client) }
            }
            while site.requests.isEmpty { await Task.yield() }
            gate.finish()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.count == 20 && refusals.allSatisfy { $0 == nil })
        #expect(site.requests.count <= 20, "Those who came late found it read.")
        #expect(try await test.events(.clientDocumentRead).count == 1)
    }

    @Test
    func `So many documents are read at once, of one host, for one source, and no more`() async throws {
        let site = Site()
        let test = try await realm(site)
        let documents = test.realm.clientDocuments
        let gate = site.hold()
        try await withThrowingTaskGroup(of: ClientDocuments.Refusal?.self) { group in
            for number in 0..<DocumentTraffic.mostOfHost {
                group.addTask {
                    try await documents.prepare(ClientID(rawValue: "https://app.example/\(number)"), by: test.client)
                }
            }
            while site.requests.count < DocumentTraffic.mostOfHost { await Task.yield() }
            let another = try await documents.prepare(ClientID(rawValue: "https://app.example/x"), by: test.client)
            #expect(another == .limited(until: test.now + 1))
            gate.finish()
            for try await refusal in group { #expect(refusal == .unusable("status-404")) }
        }
        let client = test.client(from: "192.0.2.1")
        for number in 0..<RateLimit.documentsPerSource.count {
            let id = ClientID(rawValue: "https://h\(number).example/c")
            #expect(try await documents.prepare(id, by: client) == .unusable("status-404"))
        }
        let before = site.requests.count
        let until = test.now + RateLimit.documentsPerSource.window
        #expect(
            try await documents.prepare(ClientID(rawValue: "https://z.example/c"), by: client) == .limited(until: until)
        )
        // A host is not flooded by many sources either, at whatever port.
        for number in 0..<RateLimit.documentsPerHost.count {
            _ = try await documents.prepare(
                ClientID(rawValue: "https://victim.example:\(8000 + number)/c"),
                by: test.client(from: "198.51.100.\(number)"))
        }
        let more = try await documents.prepare(
            ClientID(rawValue: "https://victim.example/more"), by: test.client(from: "203.0.113.1"))
        #expect(more == .limited(until: until))
        #expect(site.requests.count == before + RateLimit.documentsPerHost.count)
    }

    // MARK: What is kept

    @Test
    func `Users are asked again where name, addresses or keys change, and for nothing else`() async throws {
        let site = Site()
        site.publish()
        let test = try await realm(site)
        let documents = test.realm.clientDocuments
        _ = try await documents.prepare(Self.id, by: test.client)
        for (changes, asksAgain) in [
            (["client_uri": "https://app.example/"], false), (["client_name": "Other"], true),
            (["redirect_uris": .array(["https://app.example/callback"])], true),
            (["token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://app.example/jwks"], true),
            ([:], true),
        ] as [([String: JSONValue?], Bool)] {
            let before = try #require(await application(test)).known
            test.clock.advance(300)
            site.publish(Self.url, changes)
            #expect(try await documents.prepare(Self.id, by: test.client) == nil)
            let after = try #require(await application(test))
            #expect((after.known > before) == asksAgain, "\(changes)")
            #expect(after.createdAt < test.now, "What users have of it stays.")
        }
    }

    @Test(arguments: TestStore.available)
    func `A document is listed, forgotten and blocked`(_ store: TestStore) async throws {
        let site = Site()
        let urls = ["https://a.example/c", "https://b.example/c", "https://c.example/c"]
        for url in urls { site.publish(url, ["redirect_uris": .array(["http://127.0.0.1/callback"])]) }
        let test = try await realm(site, on: store)
        let documents = test.realm.clientDocuments
        // Ids around the addresses.
        for id in ["http", "https", "httpz", "a", "z"] {
            _ = try await test.realm.applications.add(
                id: ClientID(rawValue: id), ApplicationRegistration(), by: test.client)
        }
        for url in urls.reversed() { _ = try await documents.prepare(ClientID(rawValue: url), by: test.client) }
        #expect(try await documents.list().rows.map(\.application.id.rawValue) == urls)
        let beginning = try await documents.list(ListRange(limit: 1))
        let first = try #require(beginning.rows.first)
        #expect(beginning.previous == nil && beginning.next == .row(first.application.id))
        let rest = try await documents.list(ListRange(first.application.id, limit: 9))
        #expect(
            first.application.id.rawValue == urls[0] && rest.rows.map(\.application.id.rawValue) == Array(urls[1...]))
        #expect(rest.previous != nil && rest.next == nil)
        let end = try await documents.list(ListRange(isBackwards: true, limit: 2))
        #expect(end.rows.map(\.application.id.rawValue) == Array(urls[1...]) && end.next == nil)
        let back = try await documents.list(ListRange(ClientID(rawValue: urls[1]), isBackwards: true, limit: 2))
        #expect(back.rows.map(\.application.id.rawValue) == [urls[0]] && back.previous == nil && back.next != nil)
        #expect(try await documents.forget(ClientID(rawValue: urls[0]), by: test.client))
        #expect(try await !documents.forget(ClientID(rawValue: urls[0]), by: test.client))
        #expect(try await !documents.forget(ClientID(rawValue: "a"), by: test.client), "It is an administrator's.")
        #expect(try await documents.list().rows.count == 2)
        #expect(try await test.events(.clientDocumentForgotten).count == 1)
        #expect(try await documents.block("b.example", by: test.client))
        #expect(try await !documents.block("https://b.example", by: test.client), "This is no pattern.")
        #expect(try await application(test, ClientID(rawValue: urls[1])) == nil)
        #expect(try await application(test, ClientID(rawValue: urls[2])) != nil)
        #expect(try await documents.prepare(ClientID(rawValue: urls[1]), by: test.client) == .notAdmitted)
    }

    @Test
    func `What an administrator disabled stays so`() async throws {
        let site = Site()
        site.publish()
        let test = try await realm(site)
        let documents = test.realm.clientDocuments
        _ = try await documents.prepare(Self.id, by: test.client)
        _ = try await test.realm.applications.change(Self.id, by: test.client) { $0.isDisabled = true }
        test.clock.advance(300)
        #expect(try await documents.prepare(Self.id, by: test.client) == .notAdmitted)
        #expect(site.requests.count == 1)
        _ = try await test.realm.applications.change(Self.id, by: test.client) { $0.isDisabled = false }
        #expect(try await documents.prepare(Self.id, by: test.client) == nil)
        #expect(try await application(test) != nil)
    }
}
