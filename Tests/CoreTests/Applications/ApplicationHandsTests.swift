import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore

/// When what users allowed an application could come to others than they allowed it (docs/decisions/0470).
@Suite("Applications in other hands")
struct ApplicationHandsTests {
    private static let before: ApplicationRegistration = {
        var registration = ApplicationRegistration(
            redirectURIs: ["https://shop.example/callback", "http://127.0.0.1/callback", "com.example.shop:/callback"])
        registration.setSecret(Secret("the present one"))
        registration.oauth.kind = .web
        registration.oauth.jwksURI = "https://keys.example/jwks"
        return registration
    }()

    private static let changes: [(String, Bool, @Sendable (inout ApplicationRegistration) -> Void)] = [
        ("nothing", false, { _ in }),
        ("another secret", false, { $0.setSecret(Secret("another")) }),
        (
            "a name, a scope and an owner", false,
            {
                $0.displayName = "Shop"
                $0.scopes = ["email"]
                $0.ownerNote = "x"
            }
        ),
        ("another path", false, { $0.redirectURIs.append("https://shop.example/new") }),
        ("fewer places", false, { $0.redirectURIs.removeFirst() }),
        ("another loopback port", false, { $0.redirectURIs.append("http://localhost:8080/callback") }),
        ("another path of the scheme", false, { $0.redirectURIs.append("com.example.shop:/new") }),
        ("another host", true, { $0.redirectURIs.append("https://operator.example/callback") }),
        ("another port", true, { $0.redirectURIs = ["https://shop.example:8443/callback"] }),
        ("a host that only begins so", true, { $0.redirectURIs = ["https://shop.example.net/callback"] }),
        ("another scheme", true, { $0.redirectURIs.append("com.example.other:/callback") }),
        ("another path of the keys", false, { $0.oauth.jwksURI = "https://keys.example/other" }),
        ("keys where its answers go", false, { $0.oauth.jwksURI = "https://shop.example/jwks" }),
        ("keys of another host", true, { $0.oauth.jwksURI = "https://operator.example/jwks" }),
        ("no secret, with keys", false, { $0.setSecret(nil) }),
        (
            "neither secret nor keys", true,
            {
                $0.setSecret(nil)
                $0.oauth.jwksURI = nil
            }
        ),
        (
            "codes for devices", true,
            { $0.oauth.grantTypes = ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"] }
        ),
        ("a device", true, { $0.oauth.kind = .device }),
        ("a service's own tokens", false, { $0.oauth.grantTypes = ["authorization_code", "client_credentials"] }),
    ]

    @Test func `Another place, another signer, no proof and no redirect are; another secret is not`() {
        for (name, isOther, change) in Self.changes {
            var after = Self.before
            change(&after)
            #expect(after.isInOtherHands(than: Self.before) == isOther, "\(name)")
        }
    }

    @Test(arguments: TestStore.available)
    func `A change that puts it into other hands is noted, and stays noted`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let id = ClientID(rawValue: "shop")
        let added = try #require(try await test.realm.applications.add(id: id, Self.before, by: test.client))
        #expect(added.known == added.createdAt)
        test.clock.advance(60)
        let rotated = try await test.realm.applications.change(id, by: test.client) { $0.setSecret(Secret("another")) }
        #expect(rotated?.known == added.createdAt)
        let moved = try await test.realm.applications.change(id, by: test.client) {
            $0.redirectURIs = ["https://operator.example/callback"]
        }
        #expect(moved?.known == test.now)
        let at = test.now
        test.clock.advance(60)
        _ = try await test.realm.applications.change(id, by: test.client) { $0.displayName = "Shop" }
        let kept = try #require(try await test.realm.applications.registered(id))
        #expect(kept.known == at)
    }

    @Test func `A third party owns nothing that it got as the operator's own, and goes on with all else`() async throws
    {
        let test = try await TestRealm.make()
        let id = ClientID(rawValue: "shop")
        var own = Self.before
        own.oauth.isFirstParty = true
        let added = try #require(try await test.realm.applications.add(id: id, own, by: test.client))
        func grant(_ dialect: Dialect = .oauth) -> Grant {
            Grant(
                id: GrantID(rawValue: "grant"), sessionID: SessionID(rawValue: "session"),
                userID: UserID(rawValue: "ada"), clientID: id, dialect: dialect, createdAt: test.now,
                expiresAt: .distantFuture, refresh: RefreshTokenState(currentDigest: Data()))
        }
        func turned(_ isFirstParty: Bool) async throws -> Application {
            test.clock.advance(60)
            return try #require(
                await test.realm.applications.change(id, by: test.client) { $0.oauth.isFirstParty = isFirstParty })
        }
        let (first, ofGuardian) = (grant(), grant(.guardian))
        #expect(added.owns(first))
        let third = try await turned(false)
        #expect(third.known == test.now && !third.owns(first))
        // Others have no page on which a user is asked.
        #expect(third.owns(ofGuardian))
        let asked = grant()
        #expect(third.owns(asked))
        // Its users are not asked again, and what they allowed goes on.
        let back = try await turned(true)
        #expect(back.known == third.known && back.owns(asked) && back.owns(first))
        #expect(try await turned(false).owns(asked) == false)
    }
}
