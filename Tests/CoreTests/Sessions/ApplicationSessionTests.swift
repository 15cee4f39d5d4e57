import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore

@Suite("Who is signed in to an application")
struct ApplicationSessionTests {
    private static let shop = ClientID(rawValue: "shop")

    /// A user with a session of which the application got something.
    private func signedIn(_ name: String, at instant: Date, in test: TestRealm) async throws -> (User, Session) {
        let user = try await test.addUser(EmailAddress(kept: "\(name)@example.org"))
        let session = Session(
            id: SessionID(rawValue: "session of \(name)"), userID: user.id, dialect: .oauth,
            tokenEpoch: user.tokenEpoch, createdAt: instant, expiresAt: instant + 86_400,
            proofs: [Proof(kind: .password, at: instant)])
        let grants = [Self.shop, ClientID(rawValue: "bank")].map { client in
            Grant(
                id: GrantID(rawValue: "\(client.rawValue) of \(name)"), sessionID: session.id, userID: user.id,
                clientID: client, dialect: .oauth, createdAt: instant, expiresAt: instant + 86_400,
                refresh: RefreshTokenState(currentDigest: Data(name.utf8)))
        }
        try await test.store.write { transaction in
            _ = try transaction.insert(session)
            for grant in grants { _ = try transaction.insert(grant) }
        }
        return (user, session)
    }

    @Test(arguments: TestStore.available)
    func `They are listed with the newest first, page by page, and who is signed in no more is left out`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        var users: [(user: User, session: Session)] = []
        for number in 0..<9 {
            users.append(try await signedIn("u\(number)", at: test.now + Double(number / 2), in: test))
        }
        test.clock.advance(60)
        func all(limit: Int) async throws -> [UserID] {
            var found: [UserID] = []
            var place: GrantPlace?
            for _ in 0..<20 {
                let page = try await test.realm.sessions.list(of: Self.shop, ListRange(place, limit: limit))
                #expect(page.rows.count <= limit)
                for session in page.rows {
                    #expect(session.listing.session.userID == session.user.id)
                    #expect(session.listing.grants.map(\.clientID) == [Self.shop])
                }
                found += page.rows.map(\.user.id)
                guard case .row(let next) = page.next else { return found }
                #expect(GrantPlace(next.text) == next)
                place = GrantPlace(next.text)
            }
            Issue.record("The list does not end.")
            return found
        }
        let newest = users.reversed().map(\.user.id)
        #expect(try await all(limit: 50) == newest)
        for limit in [1, 2, 4, 9] { #expect(try await all(limit: limit) == newest, "\(limit)") }

        // One signed out, one was disabled, one has a new password, one of one grant.
        _ = try await test.realm.sessions.end(users[8].session.id, of: users[8].user.id, by: test.client)
        var disabling = AccountChange()
        disabling.isDisabled = true
        _ = try await test.realm.accounts.change(users[6].user.id, disabling, by: test.client)
        _ = try await test.store.write { [user = users[4].user] in
            var changed = try #require(try $0.user(user.id))
            changed.revokeTokens(at: test.now)
            return try $0.update(changed)
        }
        _ = try await test.realm.grants.end(
            GrantID(rawValue: "shop of u2"), of: users[2].user.id, by: test.client)
        let left = [7, 5, 3, 1, 0].map { users[$0].user.id }
        for limit in [1, 2, 50] { #expect(try await all(limit: limit) == left, "\(limit)") }
        // All of them end with time.
        test.clock.advance(86_400)
        #expect(try await all(limit: 50).isEmpty)
    }

    @Test func `A place that no list has written is none`() {
        for text in ["", ".", "1", "1.", "x.YQ", "1.!", "1.YQ.YQ", "1._w", String(repeating: "1", count: 600)] {
            #expect(GrantPlace(text) == nil && SessionPlace(text) == nil, "\(text)")
        }
        let place = GrantPlace(createdAt: Date(microseconds: 12), id: GrantID(rawValue: "ä.b"))
        #expect(GrantPlace(place.text) == place)
        #expect(SessionPlace(place.text)?.text == place.text)
    }
}
