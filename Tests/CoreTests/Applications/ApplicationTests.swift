import Foundation
import Testing

@testable import CountersignCore

@Suite("Applications")
struct ApplicationTests {
    @Test
    func `An application gets an id of 39 characters, or the one that was asked for, if it is free`() async throws {
        let test = try await TestRealm.make()
        let made = try #require(await test.realm.applications.add(ApplicationRegistration(), by: test.client))
        #expect(made.id.rawValue.count == 39)
        let id = ClientID(rawValue: "dev-app")
        #expect(try await test.realm.applications.add(id: id, .init(displayName: "One"), by: test.client) != nil)
        #expect(try await test.realm.applications.add(id: id, .init(displayName: "Two"), by: test.client) == nil)
        #expect(try await test.realm.applications.application(id)?.registration.displayName == "One")
        #expect(try await test.realm.applications.applications().count == 2)
    }

    @Test
    func `A search finds by the id and then by the name, page by page both ways, and goes on beyond its bound`()
        async throws
    {
        let test = try await TestRealm.make()
        let applications = test.realm.applications
        let rows: [(id: String, name: String?)] = [
            ("shop", "Laden"), ("a", "\u{FF33}HOP of Ada"), ("shop-2", "Shop two"), ("SHOP", nil), ("zz", "shoplifter"),
            ("b", "My shop"), ("c", nil),
        ]
        try await test.realm.store.write { transaction in
            for row in rows {
                _ = try transaction.insert(
                    Application(
                        id: ClientID(rawValue: row.id), createdAt: test.now,
                        registration: ApplicationRegistration(displayName: row.name)))
            }
        }
        func search(
            _ text: String, from place: FoundPlace<ClientID>? = nil, back isBackwards: Bool = false, limit: Int = 9
        ) async throws -> (ids: [String], page: ListPage<Application, FoundPlace<ClientID>>) {
            let page = try await applications.search(text, ListRange(place, isBackwards: isBackwards, limit: limit))
            return (page.rows.map(\.id.rawValue), page)
        }
        #expect(try await search(" shop").ids == ["shop", "shop-2", "a", "zz"])
        #expect(try await search("SHOP").ids == ["SHOP", "a", "shop-2", "zz"])
        #expect(try await search("lad").ids == ["shop"])
        #expect(try await search("%").ids == [])
        #expect(try await search("\u{200B}").ids == [])
        // A place of another text shows nothing of that.
        #expect(try await search("zz", from: .key(ClientID(rawValue: "a"))).ids == ["zz"])
        let first = try await search("shop", limit: 2)
        #expect(first.ids == ["shop", "shop-2"] && first.page.previous == nil)
        #expect(first.page.next == .row(.key(ClientID(rawValue: "shop-2"))))
        let second = try await search("shop", from: .key(ClientID(rawValue: "shop-2")), limit: 2)
        #expect(second.ids == ["a", "zz"] && second.page.next == nil)
        guard case .row(let before)? = second.page.previous else {
            Issue.record("no previous page: \(second)")
            return
        }
        let back = try await search("shop", from: before, back: true, limit: 2)
        #expect(back.ids == first.ids && back.page.previous == nil)
        #expect(back.page.next == .row(.key(ClientID(rawValue: "shop-2"))))

        try await test.realm.store.write { transaction in
            for number in 0..<ListSearch.mostLookedThrough {
                _ = try transaction.insert(
                    Application(
                        id: ClientID(rawValue: "m\(10_000 + number)"), createdAt: test.now,
                        registration: ApplicationRegistration()))
            }
        }
        let bound = try await search("shop")
        #expect(bound.ids == ["shop", "shop-2", "a"], "One is behind the bound.")
        guard case .row(let place)? = bound.page.next else {
            Issue.record("no next page: \(bound)")
            return
        }
        let rest = try await search("shop", from: place)
        #expect(rest.ids == ["zz"] && rest.page.next == nil && rest.page.previous != nil)
        #expect(try await search("zz").ids == ["zz"], "Ids are found wherever they are.")
    }

    @Test
    func `A change is kept and logged, also many at once; a removed application is gone`() async throws {
        let test = try await TestRealm.make()
        let id = ClientID(rawValue: "app")
        _ = try await test.realm.applications.add(id: id, ApplicationRegistration(), by: test.client)
        _ = try await race(10, meetingBefore: 1) { index in
            try await test.realm.applications.change(id, by: test.client) { $0.scopes.append("\(index)") }
        }
        #expect(try await test.realm.applications.application(id)?.registration.scopes.count == 10)
        #expect(try await test.events(.applicationChanged).count == 11)
        #expect(try await test.realm.applications.remove(id, by: test.client))
        #expect(try await !test.realm.applications.remove(id, by: test.client))
        #expect(try await test.realm.applications.change(id, by: test.client) { _ in } == nil)
        #expect(try await test.events(.applicationRemoved).count == 1)
    }

    @Test
    func `The log has what a change made different as it was and as it is and of secrets nothing`() async throws {
        let test = try await TestRealm.make()
        let id = ClientID(rawValue: "app")
        var first = ApplicationRegistration(displayName: "Shop", scopes: ["openid"])
        first.setSecret(Secret("s3cret-s3cret-s3cret-s3cret"))
        first.oauth.requiresDPoP = true
        _ = try await test.realm.applications.add(id: id, first, by: test.client)
        test.clock.advance(1)
        let end = test.now + 60
        _ = try await test.realm.applications.change(id, by: test.client) {
            $0.scopes.append("email")
            $0.oauth.requiresDPoP = false
            $0.oauth.postLogoutRedirectURIs = (0..<100).map { "https://app.example.com/signed-out/\($0)" }
            $0.setSecret(Secret("an0ther-an0ther-an0ther"), keepingFormerUntil: end)
        }
        let events = try await test.events(.applicationChanged).sorted { $0.id < $1.id }
        #expect(events.count == 2)
        #expect(events[0].details["after"]?["displayName"] == .string("Shop"))
        let (before, after) = (events[1].details["before"], events[1].details["after"])
        #expect(before?["scopes"] == .array(["openid"]) && after?["scopes"] == .array(["email", "openid"]))
        #expect(before?["oauth.requiresDPoP"] == .bool(true) && after?["oauth.requiresDPoP"] == .bool(false))
        #expect(after?["displayName"] == nil, "It stayed.")
        let uris = try #require(after?["oauth.postLogoutRedirectURIs"]?.stringValue)
        #expect(uris.contains("bytes, SHA-256 "), "\(uris)")
        #expect(events[1].details["secretChanged"] == .bool(true))
        for event in events {
            let text = String(decoding: try JSONValue.object(event.details).jsonText(), as: UTF8.self)
            #expect(!text.contains("ecret\":\"") && !text.contains("s3cret") && !text.contains("igest"), "\(text)")
            #expect(text.utf8.count < 4000)
        }
        let api = Resource(uri: "https://api.example.com", scopes: [.init(name: "read")])
        _ = try await test.realm.resources.put(api, by: test.client)
        test.clock.advance(1)
        _ = try await test.realm.resources.put(
            Resource(uri: api.uri, scopes: [.init(name: "read")], lifetime: 600), by: test.client)
        let changed = try #require(try await test.events(.resourceChanged).max { $0.id < $1.id })
        #expect(changed.details["after"] == .object(["lifetime": .integer(600)]), "\(changed.details)")
        #expect(changed.details["resource"] == .string(api.uri))
    }

    @Test
    func `A client secret is kept as a digest; a public client has none, and no secret is right`() throws {
        var registration = ApplicationRegistration()
        #expect(!registration.hasSecret(Secret("")))
        registration.setSecret(Secret("s3cret"))
        #expect(registration.hasSecret(Secret("s3cret")))
        for wrong in ["", "s3cre", "s3cret ", "S3cret"] { #expect(!registration.hasSecret(Secret(wrong))) }
        #expect(try !String(decoding: JSONEncoder().encode(registration), as: UTF8.self).contains("s3cret"))
        registration.setSecret(nil)
        #expect(!registration.hasSecret(Secret("s3cret")))
    }
}
