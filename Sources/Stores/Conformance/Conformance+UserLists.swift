import CountersignCore
import Foundation

extension StoreConformance {
    /// Users `a` to `f`; two of them of one instant and of one name, one without an address, one without a name.
    private static let listed: [User] = [
        ("a", "ada@example.org", "Ada", 1), ("b", "bert@example.org", "Ａｄａ", 2), ("c", nil, "Zoë", 2),
        ("d", "adam@example.org", nil, 3), ("e", "zoe@example.org", "ZOË", 4), ("f", "ada.b@example.org", "Bert", 5),
    ].map { id, email, name, instant in
        User(
            id: UserID(rawValue: id), email: email.map(EmailAddress.init(kept:)),
            profile: UserProfile(displayName: name), createdAt: Sample.instant(Int64(instant)))
    }

    private static func fill(_ store: any Store) async throws {
        try await store.write { transaction in for user in listed { _ = try transaction.insert(user) } }
    }

    static let userLists: [Check] = [
        Check("Users are listed in each order, forwards and backwards, all or those whose key begins with a text") {
            store in
            try await fill(store)
            func ids(_ index: UserIndex, _ prefix: String = "", isBackwards: Bool = false, limit: Int = 10)
                async throws -> String
            {
                try await store.read {
                    try $0.users(UserRange(index, prefix: prefix, isBackwards: isBackwards, limit: limit))
                }.map(\.id.rawValue).joined()
            }
            for (index, forwards) in [
                (UserIndex.creation, "fedcba"), (.email, "fadbe"), (.name, "abfce"), (.id, "abcdef"),
            ] {
                try requireEqual(try await ids(index), forwards, "\(index) forwards")
                try requireEqual(
                    try await ids(index, isBackwards: true), String(forwards.reversed()), "\(index) backwards")
                try requireEqual(try await ids(index, limit: 2), String(forwards.prefix(2)), "\(index), the first two")
            }
            for (index, prefix, expected) in [
                (UserIndex.email, "ada", "fad"), (.email, "ada@", "a"), (.email, "zz", ""),
                (.name, UserNameKey.key(of: "ADA"), "ab"), (.name, UserNameKey.key(of: "zoë"), "ce"), (.id, "c", "c"),
            ] {
                try requireEqual(try await ids(index, prefix), expected, "\(index) of \(prefix)")
                try requireEqual(
                    try await ids(index, prefix, isBackwards: true), String(expected.reversed()),
                    "\(index) of \(prefix), backwards")
            }
        },

        Check("A page begins behind the place that it is given, and ends before it where it is read backwards") {
            store in
            try await fill(store)
            for index in UserIndex.allCases {
                let all = try await store.read { try $0.users(UserRange(index, limit: 10)) }
                for (number, user) in all.enumerated() {
                    let place = UserPlace(user, in: index)
                    let (after, before) = try await store.read { transaction in
                        (
                            try transaction.users(UserRange(index, from: place, limit: 10)),
                            try transaction.users(UserRange(index, from: place, isBackwards: true, limit: 10))
                        )
                    }
                    try requireEqual(after, Array(all[(number + 1)...]), "\(index): what comes after \(user.id)")
                    try requireEqual(before, Array(all[..<number].reversed()), "\(index): what comes before \(user.id)")
                }
            }
        },

        Check("A place stays where it is when its user is removed and others come") { store in
            try await fill(store)
            guard let place = UserPlace(listed[3], in: .creation) else { throw Failure("the sample has an instant") }
            try await store.write { transaction in
                _ = try transaction.deleteUser(listed[3].id)
                _ = try transaction.insert(
                    User(id: UserID(rawValue: "g"), email: nil, createdAt: Sample.instant(9)))
            }
            let after = try await store.read { try $0.users(UserRange(.creation, from: place, limit: 10)) }
            try requireEqual(after.map(\.id.rawValue), ["c", "b", "a"], "what comes after it")
        },

        Check("A name's key follows its name, and none is left to be folded") { store in
            try await fill(store)
            var renamed = listed[0]
            renamed.profile.displayName = "Xaver"
            try require(
                try await store.write { [renamed] in try $0.update(renamed) }, "the revision was the stored one")
            func found(_ name: String) async throws -> [String] {
                try await store.read {
                    try $0.users(UserRange(.name, prefix: UserNameKey.key(of: name), limit: 10))
                }.map(\.id.rawValue)
            }
            try requireEqual(try await found("ada"), ["b"], "the users of the old name")
            try requireEqual(try await found("XAVER"), ["a"], "the users of the new name")
            try requireEqual(try await store.write { try $0.fillNameKeys(limit: 10) }, 0, "rows without a key")
        },

        Check("The kinds of factors of many users are told at once") { store in
            let users = (0..<250).map { UserID(rawValue: "user-\($0)") }
            try await store.write { transaction in
                for (number, id) in users.enumerated() {
                    _ = try transaction.insert(User(id: id, email: nil, createdAt: Sample.instant()))
                    guard number % 50 == 0 else { continue }
                    for copy in 0..<2 {
                        _ = try transaction.insert(Sample.factor("\(number)-\(copy)", of: id.rawValue))
                    }
                }
            }
            let kinds = try await store.read { try $0.factorKinds(of: users) }
            let expected = Dictionary(
                uniqueKeysWithValues: stride(from: 0, to: 250, by: 50).map { (users[$0], Set([FactorKind.totp])) })
            try requireEqual(kinds, expected, "the kinds")
            try requireEqual(try await store.read { try $0.factorKinds(of: []) }, [:], "the kinds of none")
        },

        Check("Users are counted after a place, up to a limit, and on from there") { store in
            func count(_ place: UserPlace?, _ limit: Int) async throws -> (count: Int, end: UserPlace?) {
                try await store.read { try $0.countUsers(after: place, limit: limit) }
            }
            let none = try await count(nil, 1)
            try requireEqual(none.count, 0, "the users of an empty store")
            try require(none.end == nil, "an empty store has no place")
            try await fill(store)
            for (limit, expected) in [
                (1, [1, 1, 1, 1, 1, 1, 0]), (2, [2, 2, 2, 0]), (4, [4, 2]), (6, [6, 0]), (7, [6]), (100, [6]),
            ] {
                var (counts, place): ([Int], UserPlace?) = ([], nil)
                repeat {
                    let part = try await count(place, limit)
                    counts.append(part.count)
                    place = part.end
                } while place != nil
                try requireEqual(counts, expected, "the parts of \(limit)")
            }
        },

        Check("Many users are found by their ids at once, and those who are not there are left out") { store in
            try await store.write { transaction in
                for number in 0..<250 { _ = try transaction.insert(Sample.user("user-\(number)")) }
            }
            for count in [0, 1, 99, 100, 101, 230] {
                let wanted = (0..<count).map { UserID(rawValue: "user-\($0)") }
                let found = try await store.read { try $0.users(among: Set(wanted + [UserID(rawValue: "gone")])) }
                try requireEqual(Set(found.map(\.id)), Set(wanted), "\(count) users")
                try requireEqual(found.count, count, "each once")
            }
            let one = try await store.read { try $0.users(among: [UserID(rawValue: "user-7")]) }
            try requireEqual(one, [Sample.user("user-7")], "the user")
            try requireEqual(try await store.read { try $0.users(among: []) }, [], "none")
        },
    ]
}
