import CountersignCore
import Foundation

extension StoreConformance {
    static let users: [Check] = [
        Check("A user comes back as it was inserted, with every member set and with every member absent") { store in
            let full = User(
                id: UserID(rawValue: Sample.text), revision: 7, email: EmailAddress("Ünï.cödé@exämple.org"),
                isDisabled: true,
                profile: UserProfile(
                    emailVerified: true, displayName: Sample.text, photoURL: "https://example.org/猫.png",
                    phoneNumber: "+15555550100", customClaims: Sample.json, attributes: Sample.json,
                    providers: ["password", "emailLink", Sample.text]),
                createdAt: Sample.instants[0], lastSignInAt: Sample.instants[1], lastRefreshAt: Sample.instants[2],
                passwordChangedAt: Sample.instants[3], tokensValidAfter: Sample.instant(), tokenEpoch: .max,
                tokensRefusedBefore: Sample.instant(5), deletionDueAt: Sample.instant(6))
            let bare = User(id: UserID(rawValue: "bare"), email: nil, createdAt: Sample.instants[3])
            for user in [full, bare] {
                try require(try await store.write { try $0.insert(user) }, "the id was free")
                try requireEqual(try await store.read { try $0.user(user.id) }, user, "the user")
            }
            guard let email = full.email else { throw Failure("the sample has an address") }
            try requireEqual(try await store.read { try $0.user(email: email) }, full, "the user of the address")
            try requireEqual(
                try await store.read { try $0.user(phoneNumber: PhoneNumber(kept: "+15555550100")) }, full,
                "the user of the phone number")
            try requireEqual(try await store.read { try $0.countUsers() }, 2, "the number of users")
        },

        Check("A row that was never inserted does not exist") { store in
            let id = UserID(rawValue: "nobody")
            try requireEqual(try await store.read { try $0.user(id) }, nil, "the user")
            try requireEqual(
                try await store.read { try $0.user(email: EmailAddress(kept: "nobody@example.org")) }, nil,
                "the user of an address")
            try requireEqual(try await store.read { try $0.users(after: nil, limit: 10) }, [], "the users")
            try requireEqual(try await store.read { try $0.countUsers() }, 0, "the number of users")
            try requireEqual(try await store.write { try $0.update(Sample.user("nobody")) }, false, "an update")
            try requireEqual(try await store.write { try $0.deleteUser(id) }, false, "a deletion")
            try await store.write { try $0.touch(id, signedInAt: Sample.instant(), refreshedAt: nil) }
        },

        Check("A taken id or address is refused, leaves the first user alone and does not harm the transaction") {
            store in
            let first = Sample.user("first", email: "taken@example.org")
            let answers = try await store.write { transaction in
                [
                    try transaction.insert(first),
                    try transaction.insert(Sample.user("first", email: "free@example.org")),
                    try transaction.insert(Sample.user("second", email: "taken@example.org")),
                    try transaction.insert(Sample.user("third", email: "third@example.org")),
                ]
            }
            try requireEqual(answers, [true, false, false, true], "the answers to four inserts")
            try requireEqual(try await store.read { try $0.user(first.id) }, first, "the first user")
            try requireEqual(try await store.read { try $0.countUsers() }, 2, "the number of users")
        },

        Check("Users whose removal is due are found, those first that are due the longest, and no others") { store in
            @Sendable func user(_ id: String, due: Date?) -> User {
                User(
                    id: UserID(rawValue: id), revision: 0, email: nil, isDisabled: false, profile: UserProfile(),
                    createdAt: Sample.instant(), lastSignInAt: nil, lastRefreshAt: nil, passwordChangedAt: nil,
                    tokensValidAfter: Sample.instant(), tokenEpoch: 0, deletionDueAt: due)
            }
            try await store.write { transaction in
                for (id, due) in [("a", 5), ("b", 3), ("c", 9), ("d", 3)] {
                    _ = try transaction.insert(user(id, due: Sample.instant(Int64(due))))
                }
                _ = try transaction.insert(user("e", due: nil))
            }
            func due(_ instant: Int64, limit: Int = 10) async throws -> [String] {
                try await store.read { try $0.users(deletionDueBy: Sample.instant(instant), limit: limit) }
                    .map(\.rawValue)
            }
            try requireEqual(try await due(5), ["b", "d", "a"], "those that are due")
            try requireEqual(try await due(5, limit: 1), ["b"], "the first of them")
            try requireEqual(try await due(2), [], "those that are due before any")
        },

        Check("An account whose domain was kept in ASCII letters is found by the address, and keeps it from others") {
            store in
            guard let address = EmailAddress("ada@münchen.example") else { throw Failure("the sample is an address") }
            let kept = Sample.user("earlier", email: "ada@xn--mnchen-3ya.example")
            try require(try await store.write { try $0.insert(kept) }, "the address was free")
            let read = Sample.user("earlier", email: address.canonical)
            try requireEqual(try await store.read { try $0.user(email: address) }, read, "the user of the address")
            let found = try await store.read { try $0.user(kept.id) }
            try requireEqual(found, read, "the user")
            try requireEqual(
                found.flatMap { UserPlace($0, in: .email)?.key }, "ada@xn--mnchen-3ya.example", "the place in lists")
            try require(try await store.write { try $0.update(read) }, "the address is the user's own")
            try requireEqual(
                try await store.write { try $0.insert(Sample.user("later", email: address.canonical)) }, false,
                "another account of the address")
        },

        Check("Two accounts that have one address in two spellings are each updated, and stay in their places") {
            store in
            let spellings = ["ascii": "ada@xn--mnchen-3ya.example", "letters": "ada@münchen.example"]
            for (id, email) in spellings {
                try require(try await store.write { try $0.insert(Sample.user(id, email: email)) }, "\(id) was free")
            }
            for (id, email) in spellings {
                let isUpdated = try await store.write { transaction -> Bool in
                    guard var user = try transaction.user(UserID(rawValue: id)) else { return false }
                    user.isDisabled = true
                    return try transaction.update(user)
                }
                try require(isUpdated, "an update of \(id)")
                let user = try await store.read { try $0.user(UserID(rawValue: id)) }
                try requireEqual(user?.isDisabled, true, "the change of \(id)")
                try requireEqual(user.flatMap { UserPlace($0, in: .email)?.key }, email, "the place of \(id)")
            }
        },

        Check("Users without an address do not take each other's place") { store in
            for id in ["one", "two"] {
                try require(try await store.write { try $0.insert(Sample.user(id)) }, "user \(id) has no address")
            }
        },

        Check("An update writes everything and counts the revision up; one of a stale revision writes nothing") {
            store in
            try await store.write { _ = try $0.insert(Sample.user("u", email: "old@example.org")) }
            let changed = User(
                id: UserID(rawValue: "u"), revision: 0, email: EmailAddress(kept: "new@example.org"),
                isDisabled: true, profile: UserProfile(displayName: "New", customClaims: Sample.json),
                createdAt: Sample.instant(), lastSignInAt: Sample.instant(1), lastRefreshAt: Sample.instant(2),
                passwordChangedAt: Sample.instant(3), tokensValidAfter: Sample.instant(4), tokenEpoch: 5,
                tokensRefusedBefore: Sample.instant(2), deletionDueAt: Sample.instant(7))
            try require(try await store.write { try $0.update(changed) }, "the revision was the stored one")
            let stored = try await store.read { try $0.user(changed.id) }
            let expected = User(
                id: changed.id, revision: 1, email: changed.email, isDisabled: true, profile: changed.profile,
                createdAt: changed.createdAt, lastSignInAt: changed.lastSignInAt,
                lastRefreshAt: changed.lastRefreshAt, passwordChangedAt: changed.passwordChangedAt,
                tokensValidAfter: changed.tokensValidAfter, tokenEpoch: 5,
                tokensRefusedBefore: changed.tokensRefusedBefore, deletionDueAt: changed.deletionDueAt)
            try requireEqual(stored, expected, "the user after the update")

            var stale = changed
            stale.email = nil
            try requireEqual(try await store.write { [stale] in try $0.update(stale) }, false, "a stale update")
            try requireEqual(
                try await store.read { try $0.user(changed.id) }, expected, "the user after a stale update")
        },

        Check("An update to another's address is refused; an address that was given up is free") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("a", email: "a@example.org"))
                _ = try transaction.insert(Sample.user("b", email: "b@example.org"))
            }
            var greedy = Sample.user("a", email: "b@example.org")
            greedy.profile.displayName = "Greedy"
            let answers = try await store.write { [greedy] transaction in
                [try transaction.update(greedy), try transaction.update(Sample.user("a", email: "a@example.org"))]
            }
            try requireEqual(answers, [false, true], "an update to a taken address, and one to the user's own")
            guard var other = try await store.read({ try $0.user(UserID(rawValue: "b")) }) else {
                throw Failure("user b is gone")
            }
            other.email = nil
            try require(try await store.write { [other] in try $0.update(other) }, "b gives its address up")
            try require(
                try await store.write { try $0.insert(Sample.user("c", email: "b@example.org")) }, "c takes it")
        },

        Check("A phone number is one user's at a time, as an address is") { store in
            @Sendable func user(_ id: String, phone: String?) -> User {
                User(
                    id: UserID(rawValue: id), revision: 0, email: nil, isDisabled: false,
                    profile: UserProfile(phoneNumber: phone), createdAt: Sample.instant(), lastSignInAt: nil,
                    lastRefreshAt: nil, passwordChangedAt: nil, tokensValidAfter: Sample.instant(), tokenEpoch: 0)
            }
            let answers = try await store.write { transaction in
                [
                    try transaction.insert(user("a", phone: "+15555550100")),
                    try transaction.insert(user("b", phone: "+15555550100")),
                    try transaction.insert(user("c", phone: "+15555550101")),
                    try transaction.insert(user("d", phone: nil)),
                    try transaction.update(user("c", phone: "+15555550100")),
                    try transaction.update(user("a", phone: nil)),
                    try transaction.update(user("c", phone: "+15555550100")),
                ]
            }
            try requireEqual(answers, [true, false, true, true, false, true, true], "the answers in turn")
            let number = PhoneNumber(kept: "+15555550100")
            try requireEqual(
                try await store.read { try $0.user(phoneNumber: number)?.id.rawValue }, "c", "whose number it is")
        },

        Check("A touch sets the times that it names and is not a change") { store in
            let id = UserID(rawValue: "u")
            try await store.write { _ = try $0.insert(Sample.user("u")) }
            try await store.write { try $0.touch(id, signedInAt: Sample.instant(1), refreshedAt: nil) }
            try await store.write { try $0.touch(id, signedInAt: nil, refreshedAt: Sample.instant(2)) }
            let user = try await store.read { try $0.user(id) }
            try requireEqual(user?.lastSignInAt, Sample.instant(1), "the sign-in")
            try requireEqual(user?.lastRefreshAt, Sample.instant(2), "the refresh")
            try requireEqual(user?.revision, 0, "the revision")
        },

        Check("Users are listed by the bytes of their ids, page by page, each once") { store in
            let ids = ["b", "é", "a", "Z", "aa", "10", "B", "9"]
            try await store.write { transaction in
                for id in ids { _ = try transaction.insert(Sample.user(id)) }
            }
            var listed: [String] = []
            var last: UserID?
            while true {
                let page = try await store.read { [last] in try $0.users(after: last, limit: 3) }
                try require(page.count <= 3, "a page of 3 has \(page.count) users")
                guard let end = page.last else { break }
                listed += page.map(\.id.rawValue)
                last = end.id
            }
            try requireEqual(listed, ["10", "9", "B", "Z", "a", "aa", "b", "é"], "the ids in all pages")
            try requireEqual(try await store.read { try $0.users(after: nil, limit: 0) }, [], "a page of none")
            try requireEqual(try await store.read { try $0.users(after: nil, limit: -1) }, [], "a page of less")
        },

        Check("A deleted user goes with everything that hangs on it; the log and other users' rows stay") {
            store in
            try await store.write { transaction in
                for user in ["gone", "stays"] {
                    _ = try transaction.insert(Sample.user(user))
                    _ = try transaction.insert(Sample.factor("factor of \(user)", of: user))
                    _ = try transaction.insert(Sample.flow("flow of \(user)", of: user))
                    for kind in ClientRecord.Kind.allCases {
                        _ = try transaction.insert(Sample.clientRecord(kind, "record of \(user)", of: user))
                    }
                    _ = try transaction.insert(Sample.session("session of \(user)", of: user))
                    _ = try transaction.insert(
                        Sample.grant("grant of \(user)", on: "session of \(user)", of: user))
                    _ = try transaction.insert(Sample.code("code of \(user)", of: user))
                    try transaction.append(Sample.event("event of \(user)", of: user))
                }
                _ = try transaction.insert(Sample.flow("flow of nobody"))
            }
            let gone = UserID(rawValue: "gone")
            let answers = try await store.write { [try $0.deleteUser(gone), try $0.deleteUser(gone)] }
            try requireEqual(answers, [true, false], "the answers to two deletions")
            // In pieces: all in one, it takes the compiler half a minute.
            let left = try await store.read { transaction in
                let factors = try ["gone", "stays"].filter {
                    try transaction.factor(FactorID(rawValue: "factor of \($0)")) != nil
                }
                let flows = try ["gone", "stays", "nobody"].filter {
                    try transaction.flow(digest: Data("flow of \($0)".utf8)) != nil
                }
                let records = try ClientRecord.Kind.allCases.map { kind -> [String] in
                    try ["gone", "stays"].filter { user -> Bool in
                        try transaction.clientRecord(kind, digest: Data("record of \(user)".utf8)) != nil
                    }
                }
                let sessions = try ["gone", "stays"].filter {
                    try transaction.session(SessionID(rawValue: "session of \($0)")) != nil
                }
                let grants = try ["gone", "stays"].filter {
                    try transaction.grant(GrantID(rawValue: "grant of \($0)")) != nil
                }
                let codes = try ["gone", "stays"].filter {
                    try transaction.authorizationCode(digest: Data("code of \($0)".utf8)) != nil
                }
                let events = try transaction.auditEvents(of: gone, after: nil, limit: 10).count
                return (
                    factors: factors, flows: flows, records: records, sessions: sessions, grants: grants, codes: codes,
                    events: events
                )
            }
            try requireEqual(left.factors, ["stays"], "whose factors are left")
            try requireEqual(left.flows, ["stays", "nobody"], "whose flows are left")
            try requireEqual(
                left.records, ClientRecord.Kind.allCases.map { _ in ["stays"] }, "whose records of clients are left")
            try requireEqual(left.sessions, ["stays"], "whose sessions are left")
            try requireEqual(left.grants, ["stays"], "whose grants are left")
            try requireEqual(left.codes, ["stays"], "whose codes are left")
            try requireEqual(left.events, 1, "the events of the deleted user")
        },
    ]
}
