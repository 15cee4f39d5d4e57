import Foundation
import Testing

@testable import CountersignCore

@Suite("Custom extensions")
struct CustomExtensionTests {
    private func registration(
        _ event: ExtensionEvent = .tokenIssuanceStart, url: String = "https://api.example.com/claims",
        _ change: (inout CustomExtensions.Registration) -> Void = { _ in }
    ) -> CustomExtensions.Registration {
        var registration = CustomExtensions.Registration(event: event, targetURL: url)
        change(&registration)
        return registration
    }

    @Test(arguments: TestStore.available)
    func `An extension is registered, found, and removed, and the log says so`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let extensions = test.realm.customExtensions
        let made = try await extensions.add(
            registration { $0.claims = [ClaimMapping(id: "a")] }, by: test.client)
        #expect(UUID(uuidString: made.id) != nil && UUID(uuidString: made.listenerID) != nil)
        #expect(made.resourceID.hasPrefix("api://api.example.com/") && UUID(uuidString: made.audience) != nil)
        #expect(made.timeout == 1000 && made.retries == 0 && !made.fallsBack && made.tokens == [.id, .access])
        #expect(try await extensions.all() == [made])
        #expect(try await extensions.extensionOf(id: made.id.uppercased()) == made)
        #expect(try await extensions.remove(made.id, by: test.client))
        #expect(try await !extensions.remove(made.id, by: test.client))
        #expect(try await extensions.all().isEmpty)
        let added = try #require(try await test.events(.extensionAdded).first)
        #expect(added.details["url"] == "https://api.example.com")
        #expect(try await test.events(.extensionRemoved).count == 1)
    }

    @Test(arguments: TestStore.available)
    func `An extension comes in the place of another in one step, and where it is refused that one stays`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let extensions = test.realm.customExtensions
        let first = try await extensions.add(registration { $0.clients = ["a"] }, by: test.client)
        let second = try await extensions.add(registration { $0.clients = ["b"] }, by: test.client)
        test.clock.advance(60)
        // Its own place is no conflict, and another's is.
        let changed = try #require(
            try await extensions.replace(
                first.id.uppercased(), by: registration { ($0.clients, $0.timeout) = (["a", "c"], 500) },
                client: test.client))
        #expect(
            changed.id == first.id && changed.listenerID == first.listenerID && changed.createdAt == first.createdAt)
        #expect(changed.resourceID == first.resourceID && changed.timeout == 500 && changed.clients == ["a", "c"])
        #expect(try await extensions.all() == [changed, second])
        let conflict = await #expect(throws: CustomExtensionFault.self) {
            try await extensions.replace(
                first.id, by: registration { $0.clients = ["a", "b"] }, client: test.client)
        }
        #expect(conflict?.isByOthers == true)
        let wrong = await #expect(throws: CustomExtensionFault.self) {
            try await extensions.replace(first.id, by: registration { $0.timeout = 50 }, client: test.client)
        }
        #expect(wrong?.isByOthers == false)
        #expect(try await extensions.replace("none", by: registration(), client: test.client) == nil)
        #expect(try await extensions.all() == [changed, second])
        #expect(try await test.events(.extensionAdded).count == 3)
        #expect(try await test.events(.extensionRemoved).map { $0.details["extension"] } == [.string(first.id)])
        // On another host its tokens are for another.
        let moved = try #require(
            try await extensions.replace(
                first.id, by: registration(url: "https://other.example/claims") { $0.clients = ["a"] },
                client: test.client))
        #expect(moved.resourceID.hasPrefix("api://other.example/") && moved.audience != first.audience)
    }

    @Test(arguments: TestStore.available)
    func `Ten added at once are ten`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        _ = try await CoreTests.race(10) { number in
            try await test.realm.customExtensions.add(
                registration { $0.clients = ["app\(number)"] }, by: test.client)
        }
        #expect(try await test.realm.customExtensions.all().count == 10)
    }

    @Test
    func `One listens to an event of an application; one that names the application goes before those for all`()
        async throws
    {
        let test = try await TestRealm.make()
        let extensions = test.realm.customExtensions
        let forAll = try await extensions.add(registration(), by: test.client)
        let named = try await extensions.add(registration { $0.clients = ["a", "b"] }, by: test.client)
        let other = try await extensions.add(registration(.otpSend) { $0.clients = ["c"] }, by: test.client)
        for clients in [[], ["b"], ["x", "a"]] {
            let fault = await #expect(throws: CustomExtensionFault.self) {
                try await extensions.add(registration { $0.clients = clients }, by: test.client)
            }
            #expect(fault?.isByOthers == true, "Not its own fault: who adds the same at the same time may go on.")
        }
        for (client, expected) in [("a", named), ("b", named), ("c", forAll), ("d", forAll)] {
            let found = try await extensions.listener(for: .tokenIssuanceStart, of: ClientID(rawValue: client))
            #expect(found == expected)
        }
        #expect(try await extensions.listener(for: .otpSend, of: ClientID(rawValue: "a")) == nil)
        #expect(
            try await extensions.all().listeners(of: ClientID(rawValue: "c")) == [
                .tokenIssuanceStart: forAll, .otpSend: other,
            ])
    }

    private typealias Change = @Sendable (inout CustomExtensions.Registration) -> Void
    private typealias Fault = (name: String, code: ExtensionFailure.Code?, change: Change)

    private static var faults: [Fault] {
        let urls = [
            "http://api.example.com/", "https://", "https:///a", "ftp://api.example.com/",
            "https://user@api.example.com/",
            "https://api.example.com/?code=key", "https://api.example.com/#part", "https://a b.com/", "nonsense", "",
            "https://ex%61mple.com/", "https://exämple.com/", "http://localhost.example.com/",
            "http://127.0.0.1.example/", "http://127.1/", "http://10.0.0.1/", "https://a_b.example/",
            "https://api.example.com:65536/", "https://api.example.com:0/", "https://[2001:db8::1]:70000/",
            "https://api.example.com:99999999999999999999/",
        ]
        let ids = [
            "api.example.com", "api://api.example.com", "api://api.example.com/", "api:///x",
            "https://api.example.com/x", "api://api.example.com/a/b", "api://api.example.com/a b",
        ]
        let reserved = [
            "iss", "sub", "aud", "exp", "amr", "acr", "acrs", "scp", "tid", "oid", "email", "preferred_username", "ver",
            "roles", "groups", "phone_number", "updated_at", "events", "act", "authorization_details", "entitlements",
            "cnf", "grant", "may_act", "attributes",
        ]
        var faults: [Fault] = []
        for url in urls { faults.append((url, .incorrectTargetUrlFormat, { $0.targetURL = url })) }
        for id in ids { faults.append((id, .incorrectResourceIdFormat, { $0.resourceID = id })) }
        for name in reserved {
            faults.append((name, nil, { $0.claims = [ClaimMapping(id: "a", jwtClaimType: name)] }))
        }
        func add(_ name: String, _ code: ExtensionFailure.Code? = nil, _ change: @escaping Change) {
            faults.append((name, code, change))
        }
        add("another host", .domainNameDoesNotMatch) { $0.resourceID = "api://example.com/x" }
        add("too short") { $0.timeout = 199 }
        add("too long") { $0.timeout = 2001 }
        add("too often") { $0.retries = 2 }
        add("less than never") { $0.retries = -1 }
        add("no code to fall back with") { $0.fallsBack = true }
        add("claims of another event") { ($0.event, $0.claims) = (.otpSend, [ClaimMapping(id: "a")]) }
        add("retries of codes") { ($0.event, $0.retries) = (.otpSend, 1) }
        add("in no token") { $0.tokens = [] }
        add("twice") { $0.claims = [ClaimMapping(id: "a"), ClaimMapping(id: "b", jwtClaimType: "a")] }
        add("no name") { $0.claims = [ClaimMapping(id: "a", jwtClaimType: "")] }
        add("a name with a blank") { $0.claims = [ClaimMapping(id: "a", jwtClaimType: "a b")] }
        add("a constant with a line break") { $0.claims = [ClaimMapping(value: "a\nb", jwtClaimType: "a")] }
        add("a constant that is turned round") { $0.claims = [ClaimMapping(value: "\u{202E}b", jwtClaimType: "a")] }
        add("no id") { $0.claims = [ClaimMapping(id: "", jwtClaimType: "a")] }
        add("no client id") { $0.clients = [""] }
        add("a long name") { $0.displayName = String(repeating: "a", count: 257) }
        return faults
    }

    @Test
    func `What is not right is not registered`() async throws {
        let test = try await TestRealm.make()
        for (name, code, change) in Self.faults {
            var wrong = registration()
            change(&wrong)
            let given = wrong
            let error = await #expect(throws: CustomExtensionFault.self, "\(name)") {
                try await test.realm.customExtensions.add(given, by: test.client)
            }
            #expect(error?.code == code && error?.isByOthers == false, "\(name)")
        }
        #expect(try await test.realm.customExtensions.all().isEmpty)
    }

    @Test(
        arguments: [
            ("https://api.example.com", "api.example.com"), ("https://API.Example.com:8443/a/b", "api.example.com"),
            ("http://localhost:3000/x", "localhost"), ("http://127.0.0.1:1/", "127.0.0.1"),
            ("http://[::1]:3000/", "::1"), ("https://[2001:db8::1]/", "2001:db8::1"),
            ("https://api.example.com:/", "api.example.com"), ("https://api.example.com:65535", "api.example.com"),
            ("https://api.example.com/a:0", "api.example.com"),
        ])
    func `URLs that can be called`(url: String, host: String) throws {
        #expect(try CustomExtension.host(of: url) == host)
    }

    @Test
    func `There are no more than fifty`() async throws {
        let test = try await TestRealm.make()
        for number in 0..<CustomExtensions.limit {
            _ = try await test.realm.customExtensions.add(
                registration { $0.clients = ["app\(number)"] }, by: test.client)
        }
        await #expect(throws: CustomExtensionFault.self) {
            try await test.realm.customExtensions.add(registration(), by: test.client)
        }
    }

    @Test
    func `Every shape that was ever written is read`() throws {
        let old = """
            [{"id":"e","listenerID":"l","createdAt":7,"event":"otp-send","targetURL":"https://a/","resourceID":"api://a/b"}]
            """
        let read = try JSONDecoder().decode([CustomExtension].self, from: Data(old.utf8))
        #expect(
            read == [
                CustomExtension(
                    id: "e", listenerID: "l", createdAt: Date(timeIntervalSinceReferenceDate: 7), event: .otpSend,
                    targetURL: "https://a/", resourceID: "api://a/b")
            ])
        let full = CustomExtension(
            id: "e", listenerID: "l", createdAt: Date(microseconds: 1_000_000), event: .tokenIssuanceStart,
            displayName: "n", targetURL: "https://a/", resourceID: "api://a/b", clients: ["c"], timeout: 200,
            retries: 1,
            fallsBack: true, claims: [ClaimMapping(id: "a"), ClaimMapping(value: "v", jwtClaimType: "t")], tokens: [.id]
        )
        #expect(try JSONDecoder().decode(CustomExtension.self, from: JSONEncoder().encode(full)) == full)
        let draft = #"{"attributes":{},"required":[],"wantsPassword":true}"#
        #expect(try JSONDecoder().decode(SignUpDraft.self, from: Data(draft.utf8)).prefill == nil)
        let content = #"{"template":"code","values":{}}"#
        #expect(try JSONDecoder().decode(OutboxContent.self, from: Data(content.utf8)).occasion == nil)
    }
}
