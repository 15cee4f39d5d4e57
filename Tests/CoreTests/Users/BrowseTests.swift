import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore

/// Lists of users as administrators page through them.
@Suite("Lists of users")
struct BrowseTests {
    /// Users of one instant in threes, so that the id decides too.
    private static func users(_ count: Int) -> [User] {
        (0..<count).map { number in
            let id = String(format: "u%05d", (number * 7919) % 100_000)
            var user = User(
                id: UserID(rawValue: id), email: number % 4 == 0 ? nil : EmailAddress(kept: "\(id)@example.org"),
                profile: UserProfile(
                    emailVerified: number % 3 == 0, displayName: number % 5 == 0 ? nil : "Name \(number % 50)"),
                createdAt: Date(microseconds: 1_000_000 * Int64(number / 3)))
            user.isDisabled = number % 10 == 0
            if number % 2 == 0 { user.lastSignInAt = Date(microseconds: 5) }
            return user
        }
    }

    private static func insert(_ users: [User], into test: TestRealm) async throws {
        try await test.store.write { transaction in
            for user in users.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { _ = try transaction.insert(user) }
        }
    }

    /// All pages from the first to the last, and then back to the first: the same users both ways, each once.
    private static func walk(
        _ text: String?, _ filter: UserFilter? = nil, order: UserIndex? = nil, limit: Int = 7, in test: TestRealm
    ) async throws -> [User] {
        func page(_ place: UserListPlace?, back: Bool = false) async throws -> Accounts.UserListPage {
            // Places survive being written and read.
            let place = try place.map { try #require(UserListPlace($0.text)) }
            return try await test.realm.accounts.browse(
                .init(text: text, filter: filter, order: order, from: place, isBackwards: back, limit: limit))
        }
        var pages = [try await page(nil)]
        #expect(pages[0].before == nil)
        while let after = pages.last?.after, pages.count < 2000 {
            pages.append(try await page(after))
            #expect(pages.last?.before != nil)
        }
        for page in pages.dropLast() where !page.isPartial { #expect(page.users.count == limit) }
        var back: [[User]] = []
        var place = pages.count > 1 ? pages.last?.before : nil
        while let before = place, back.count < 2000 {
            let page = try await page(before, back: true)
            back.append(page.users)
            place = page.before
        }
        let there = pages.flatMap(\.users)
        #expect(back.reversed().flatMap { $0 } == pages.dropLast().flatMap(\.users))
        #expect(Set(there.map(\.id)).count == there.count, "A user is listed twice.")
        return there
    }

    @Test(arguments: TestStore.available)
    func `Every user is listed once, the newest first, forwards and backwards`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        #expect(try await Self.walk(nil, in: test).isEmpty)
        let users = Self.users(100)
        try await Self.insert(users, into: test)
        let expected = users.sorted { ($0.createdAt, $0.id.rawValue) > ($1.createdAt, $1.id.rawValue) }.map(\.id)
        for limit in [1, 7, 50, 100, 101] {
            #expect(try await Self.walk(nil, limit: limit, in: test).map(\.id) == expected, "\(limit)")
        }
    }

    /// A look that met users whom the order does not list would read the same page again and again.
    @Test(.timeLimit(.minutes(20)), arguments: TestStore.available)
    func `An order by name or address leaves out who has none, however many they are`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let users = (0..<60).map { number in
            User(
                id: UserID(rawValue: "n\(number)"), email: nil,
                profile: UserProfile(displayName: number == 7 ? "Ada" : nil),
                createdAt: Date(microseconds: Int64(number)))
        }
        try await Self.insert(users, into: test)
        for limit in [1, 7, 50] {
            #expect(try await Self.walk(nil, order: .name, limit: limit, in: test).map(\.id) == [users[7].id])
            #expect(try await Self.walk(nil, order: .email, limit: limit, in: test).isEmpty)
        }
    }

    @Test(arguments: TestStore.available)
    func `A search finds by the beginning of address, name and id, and each user once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        var users = Self.users(100)
        users[1].profile.displayName = "Ärztin ﬀ"
        users[2].profile.displayName = "u00 as an id begins"
        try await Self.insert(users, into: test)
        func ids(_ text: String) async throws -> Set<UserID> { Set(try await Self.walk(text, in: test).map(\.id)) }
        func expected(_ isFound: (User) -> Bool) -> Set<UserID> { Set(users.filter(isFound).map(\.id)) }
        #expect(try await ids("name 1") == expected { $0.profile.displayName?.hasPrefix("Name 1") == true })
        #expect(try await ids("NAME 11") == expected { $0.profile.displayName == "Name 11" })
        #expect(try await ids("ÄRZTIN FF") == [users[1].id])
        #expect(try await ids("a\u{308}rz") == [users[1].id])
        let found = expected { $0.id.rawValue.hasPrefix("u00") || $0.id == users[2].id }
        #expect(try await ids("u00") == found)
        #expect(try await ids(users[5].id.rawValue) == [users[5].id])
        #expect(try await ids("U00") == expected { $0.email?.canonical.hasPrefix("u00") == true }.union([users[2].id]))
        for nothing in ["%", "_", "*", "name 1%", "'", "\u{10FFFF}", "zz", "u\u{0}00x", "😀"] {
            #expect(try await ids(nothing).isEmpty, "\(nothing)")
        }
        // What is only white space is looked for nowhere but in ids.
        #expect(try await ids("  ").isEmpty)
    }

    @Test(arguments: TestStore.available)
    func `A filter goes through a bounded number of users, and goes on where it ended`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        var users = Self.users(2400)
        for index in users.indices { users[index].isDisabled = index == 0 || index == 2399 }
        try await Self.insert(users, into: test)
        let first = try await test.realm.accounts.browse(.init(filter: .disabled))
        #expect(first.users.map(\.id) == [users[2399].id] && first.isPartial && first.after != nil)
        let second = try await test.realm.accounts.browse(.init(filter: .disabled, from: first.after))
        #expect(second.users.isEmpty && second.isPartial && second.after != nil && second.before != nil)
        let third = try await test.realm.accounts.browse(.init(filter: .disabled, from: second.after))
        #expect(third.users.map(\.id) == [users[0].id] && !third.isPartial && third.after == nil)

        let never = try await Self.walk(nil, .neverSignedIn, limit: 400, in: test)
        #expect(Set(never.map(\.id)) == Set(users.filter { $0.lastSignInAt == nil }.map(\.id)))
        let unverified = try await Self.walk("name", .unverified, limit: 50, in: test)
        #expect(
            Set(unverified.map(\.id))
                == Set(
                    users.filter { $0.profile.displayName != nil && $0.email != nil && !$0.profile.emailVerified }
                        .map(\.id)))
    }

    @Test(arguments: TestStore.available)
    func `Those without a second factor are found, whatever else they have`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let users = Self.users(250)
        try await Self.insert(users, into: test)
        let enrolled = Set(users.enumerated().filter { $0.offset % 3 == 0 }.map(\.element.id))
        try await test.store.write { transaction in
            for id in enrolled.sorted(by: { $0.rawValue < $1.rawValue }) {
                _ = try transaction.insert(
                    FactorRecord(
                        id: FactorID(rawValue: "f\(id.rawValue)"), userID: id, kind: .totp, name: "",
                        createdAt: Date(microseconds: 1), payload: Data([1])))
            }
        }
        let found = try await Self.walk(nil, .noSecondFactor, limit: 20, in: test)
        #expect(Set(found.map(\.id)) == Set(users.map(\.id)).subtracting(enrolled))
    }

    @Test(arguments: TestStore.available)
    func `Users who come and go meanwhile move no other from page to page`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let users = Self.users(90)
        try await Self.insert(users, into: test)
        let order = users.sorted { ($0.createdAt, $0.id.rawValue) > ($1.createdAt, $1.id.rawValue) }
        let first = try await test.realm.accounts.browse(.init(limit: 10))
        try await Self.insert(
            (0..<20).map {
                User(id: UserID(rawValue: "new\($0)"), email: nil, createdAt: Date(microseconds: 900_000_000))
            }, into: test)
        for gone in order[5..<12] { _ = try await test.store.write { try $0.deleteUser(gone.id) } }
        let second = try await test.realm.accounts.browse(.init(from: first.after, limit: 10))
        #expect(second.users.map(\.id) == order[12..<22].map(\.id))
        let back = try await test.realm.accounts.browse(.init(from: second.before, isBackwards: true, limit: 10))
        #expect(back.users.suffix(5).map(\.id) == order[0..<5].map(\.id))
    }

    @Test(arguments: TestStore.available)
    func `What was before a page and has gone is no page before it any more`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let users = Self.users(20)
        try await Self.insert(users, into: test)
        for order in [UserIndex.creation, .id] {
            let query = Accounts.UserQuery(order: order, limit: 5)
            let first = try await test.realm.accounts.browse(query)
            var next = query
            next.place = first.after
            #expect(try await test.realm.accounts.browse(next).before != nil)
            try await test.store.write { transaction in
                for user in first.users.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
                    _ = try transaction.deleteUser(user.id)
                }
            }
            let second = try await test.realm.accounts.browse(next)
            #expect(second.users.count == 5 && second.before == nil && second.after != nil, "\(order)")
        }
    }

    @Test func `A place that no list has written is none`() {
        for text in ["", ".", "..", "creation.MQ", "name.!.MQ", "other.MQ.MQ", "id.MQ.MQ.MQ", "id.MQ.MQ.1.1"] {
            #expect(UserListPlace(text) == nil, "\(text)")
        }
        #expect(UserListPlace(String(repeating: "x", count: 3000)) == nil)
    }

    @Test(arguments: [
        ("Ada Lovelace", "ada lovelace"), ("ÉMILE", "émile"), ("e\u{301}", "é"), ("ﬁn", "fin"), ("ＡＢＣ", "abc"),
        ("  ", ""),
        ("İstanbul", "i\u{307}stanbul"),
    ])
    func `A name is compared without regard to case, width and composition`(name: String, key: String) {
        #expect(UserNameKey.key(of: name) == key)
        #expect(UserNameKey.key(of: key) == key)
        #expect(UserNameKey.key(of: String(repeating: name, count: 100)).count <= 3 * UserNameKey.longest)
    }
}
