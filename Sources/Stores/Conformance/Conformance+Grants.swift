import CountersignCore
import Foundation

extension StoreConformance {
    static let grants: [Check] = [
        Check("A grant comes back as it was inserted, with every member set and with every member absent") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.session(Sample.text, of: "u"))
            }
            let full = Grant(
                id: GrantID(rawValue: Sample.text), sessionID: SessionID(rawValue: Sample.text),
                userID: UserID(rawValue: "u"), clientID: ClientID(rawValue: Sample.text),
                dialect: Dialect(rawValue: Sample.text), createdAt: Sample.instants[0],
                expiresAt: Sample.instants[3], revokedAt: Sample.instants[1], revision: 9,
                refresh: RefreshTokenState(
                    currentDigest: Data(0...255), previousDigest: Data([0]), rotatedAt: Sample.instants[2],
                    sealedCurrent: Sample.largeBlob),
                terms: GrantTerms(
                    scopes: [Sample.text, ""], details: Sample.json, audiences: [Sample.text, "https://api"]),
                proofs: [
                    Proof(kind: .password, factorID: FactorID(rawValue: Sample.text), at: Sample.instants[0]),
                    Proof(kind: .totp, at: Sample.instants[2], isSecondFactor: true, assurance: .possession),
                ], endedByApplication: true)
            let bare = Grant(
                id: GrantID(rawValue: "bare"), sessionID: SessionID(rawValue: Sample.text),
                userID: UserID(rawValue: "u"), clientID: ClientID(rawValue: ""), dialect: .admin,
                createdAt: Sample.instant(), expiresAt: Sample.instant(),
                refresh: RefreshTokenState(currentDigest: Data()))
            for grant in [full, bare] {
                try require(try await store.write { try $0.insert(grant) }, "the id was free")
                let kept = try await store.read { try $0.grant(grant.id) }
                try require(kept == grant, "the grant \(grant.id) came back changed")
            }
        },

        Check("A grant whose id is taken, or whose session is gone or another user's, is refused without harm") {
            store in
            let answers = try await store.write { transaction in
                [
                    try transaction.insert(Sample.user("u")), try transaction.insert(Sample.user("v")),
                    try transaction.insert(Sample.session("s", of: "u")),
                    try transaction.insert(Sample.grant("g", on: "s", of: "u")),
                    try transaction.insert(Sample.grant("g", on: "s", of: "u")),
                    try transaction.insert(Sample.grant("orphan", on: "gone", of: "u")),
                    try transaction.insert(Sample.grant("foreign", on: "s", of: "v")),
                    try transaction.insert(Sample.grant("h", on: "s", of: "u")),
                ]
            }
            try requireEqual(
                answers, [true, true, true, true, false, false, false, true], "the answers to the inserts")
        },

        Check("A grant's update writes revocation, refresh state and terms, once for each revision") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.session("s", of: "u"))
                _ = try transaction.insert(Sample.grant("g", on: "s", of: "u"))
            }
            var changed = Sample.grant("g", on: "s", of: "u")
            changed.revokedAt = Sample.instant(3)
            changed.refresh = RefreshTokenState(
                currentDigest: Data([1]), previousDigest: Data([2]), rotatedAt: Sample.instant(4),
                sealedCurrent: Data([3]))
            changed.terms.scopes = [Sample.text]
            let answers = try await store.write { [changed] in [try $0.update(changed), try $0.update(changed)] }
            try requireEqual(answers, [true, false], "the answers to two updates from one revision")
            let expected = Grant(
                id: changed.id, sessionID: changed.sessionID, userID: changed.userID, clientID: changed.clientID,
                dialect: changed.dialect, createdAt: changed.createdAt, expiresAt: changed.expiresAt,
                revokedAt: changed.revokedAt, revision: 1, refresh: changed.refresh, terms: changed.terms)
            try requireEqual(try await store.read { [changed] in try $0.grant(changed.id) }, expected, "the grant")
        },

        Check("Grants of a session and of a user are listed with the newest first, and no others") { store in
            try await store.write { transaction in
                for user in ["u", "other"] {
                    _ = try transaction.insert(Sample.user(user))
                    _ = try transaction.insert(Sample.session("session of \(user)", of: user))
                }
                _ = try transaction.insert(Sample.session("second of u", of: "u"))
                for (id, time) in [("old", 1), ("newest", 9), ("new", 5)] {
                    _ = try transaction.insert(
                        Sample.grant(id, on: "session of u", of: "u", createdAt: Sample.instant(Int64(time))))
                }
                _ = try transaction.insert(
                    Sample.grant("elsewhere", on: "second of u", of: "u", createdAt: Sample.instant(7)))
                _ = try transaction.insert(Sample.grant("not mine", on: "session of other", of: "other"))
            }
            for (limit, expected) in [(9, ["newest", "new", "old"]), (2, ["newest", "new"]), (0, [])] {
                let listed = try await store.read {
                    try $0.grants(of: SessionID(rawValue: "session of u"), limit: limit)
                }
                try requireEqual(listed.map(\.id.rawValue), expected, "at most \(limit) grants of a session")
            }
            for (limit, expected) in [(9, ["newest", "elsewhere", "new", "old"]), (2, ["newest", "elsewhere"])] {
                let listed = try await store.read { try $0.grants(of: UserID(rawValue: "u"), limit: limit) }
                try requireEqual(listed.map(\.id.rawValue), expected, "at most \(limit) grants of a user")
            }
        },

        Check("Grants of an application that were not ended are listed with the newest first, page by page") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.session("s", of: "u"))
                // Two of one instant, one that was ended, one of another application.
                for (id, application, time, isEnded) in [
                    ("a", "shop", 1, false), ("b", "shop", 2, false), ("c", "shop", 2, false), ("d", "shop", 3, true),
                    ("e", "bank", 4, false), ("f", "shop", 5, false),
                ] {
                    let grant = Sample.grant(
                        id, on: "s", of: "u", client: application, createdAt: Sample.instant(Int64(time)))
                    _ = try transaction.insert(grant)
                    guard isEnded else { continue }
                    var ended = grant
                    ended.revokedAt = Sample.instant(9)
                    _ = try transaction.update(ended)
                }
            }
            func page(after place: GrantPlace?, limit: Int) async throws -> [Grant] {
                try await store.read {
                    try $0.grants(of: ClientID(rawValue: "shop"), before: place, limit: limit)
                }
            }
            let all = try await page(after: nil, limit: 9)
            try requireEqual(all.map(\.id.rawValue), ["f", "c", "b", "a"], "the grants of the application")
            try requireEqual(try await page(after: nil, limit: 0).count, 0, "none of them")
            for (number, grant) in all.enumerated() {
                let place = GrantPlace(createdAt: grant.createdAt, id: grant.id)
                let rest = try await page(after: place, limit: 2)
                try requireEqual(rest, Array(all.dropFirst(number + 1).prefix(2)), "what comes after \(grant.id)")
            }
        },

        Check("A user's grants to one application that were not ended are listed with the newest first, page by page") {
            store in
            try await store.write { transaction in
                for user in ["u", "v"] {
                    _ = try transaction.insert(Sample.user(user))
                    _ = try transaction.insert(Sample.session("session of \(user)", of: user))
                }
                for (id, user, application, time, isEnded) in [
                    ("a", "u", "shop", 1, false), ("b", "u", "shop", 2, false), ("c", "u", "shop", 2, false),
                    ("d", "u", "shop", 3, true), ("e", "u", "bank", 4, false), ("f", "v", "shop", 5, false),
                    ("g", "u", "shop", 6, false),
                ] {
                    let grant = Sample.grant(
                        id, on: "session of \(user)", of: user, client: application,
                        createdAt: Sample.instant(Int64(time)))
                    _ = try transaction.insert(grant)
                    guard isEnded else { continue }
                    var ended = grant
                    ended.revokedAt = Sample.instant(9)
                    _ = try transaction.update(ended)
                }
            }
            func page(after place: GrantPlace?, limit: Int, isBackwards: Bool = false) async throws -> [String] {
                try await store.read {
                    try $0.grants(
                        of: UserID(rawValue: "u"), to: ClientID(rawValue: "shop"),
                        ListRange(place, isBackwards: isBackwards, limit: limit))
                }.map(\.id.rawValue)
            }
            try requireEqual(try await page(after: nil, limit: 9), ["g", "c", "b", "a"], "the user's grants")
            try requireEqual(try await page(after: nil, limit: 0), [], "none of them")
            let place = GrantPlace(createdAt: Sample.instant(2), id: GrantID(rawValue: "c"))
            try requireEqual(try await page(after: place, limit: 9), ["b", "a"], "what comes after")
            try requireEqual(try await page(after: place, limit: 9, isBackwards: true), ["g"], "what comes before")
        },

        Check("Grants of a session and of a user that were not ended are listed page by page, and who holds them") {
            store in
            let (early, late) = (Sample.instant(20), Sample.instant(30))
            try await store.write { transaction in
                for (session, user) in [("s", "u"), ("t", "u"), ("x", "v")] {
                    if session != "t" { _ = try transaction.insert(Sample.user(user)) }
                    _ = try transaction.insert(Sample.session(session, of: user))
                }
                for (id, session, client, time, isEnded) in [
                    ("a", "s", "shop", 1, false), ("b", "s", "bank", 2, false), ("c", "s", "shop", 2, false),
                    ("d", "s", "news", 3, true), ("e", "t", "mail", 4, false), ("f", "x", "post", 5, false),
                    ("g", "s", "shop", 6, false),
                ] {
                    let grant = Sample.grant(
                        id, on: session, of: session == "x" ? "v" : "u", client: client,
                        createdAt: Sample.instant(Int64(time)), expiresAt: id == "c" ? late : early)
                    _ = try transaction.insert(grant)
                    guard isEnded else { continue }
                    var ended = grant
                    ended.revokedAt = Sample.instant(9)
                    _ = try transaction.update(ended)
                }
            }
            let (session, user) = (SessionID(rawValue: "s"), UserID(rawValue: "u"))
            let place = GrantPlace(createdAt: Sample.instant(2), id: GrantID(rawValue: "c"))
            for (range, ofSession, ofUser) in [
                (ListRange<GrantPlace>(limit: 9), "gcba", "gecba"), (ListRange(limit: 0), "", ""),
                (ListRange(limit: 2), "gc", "ge"), (ListRange(place, limit: 9), "ba", "ba"),
                (ListRange(place, limit: 1), "b", "b"), (ListRange(place, isBackwards: true, limit: 1), "g", "e"),
            ] {
                let found = try await store.read { transaction in
                    (try transaction.grants(of: session, range), try transaction.grants(of: user, range))
                }
                try requireEqual(found.0.map(\.id.rawValue).joined(), ofSession, "a session's grants")
                try requireEqual(found.1.map(\.id.rawValue).joined(), ofUser, "a user's grants")
            }
            let holders = try await store.read { transaction in
                (try transaction.holders(ofGrantsOf: session), try transaction.holders(ofGrantsOf: user))
            }
            func told(_ holders: [GrantHolder]) -> [String] {
                holders.map { "\($0.client) \($0.expiresAt == late)" }.sorted()
            }
            try requireEqual(told(holders.0), ["bank false", "shop true"], "who has grants of the session")
            try requireEqual(told(holders.1), ["bank false", "mail false", "shop true"], "who has grants of the user")
        },

        Check("Expired grants are removed, no more than asked for at a time, and their session stays") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.session("s", of: "u"))
                for number in 0..<7 {
                    _ = try transaction.insert(
                        Sample.grant("\(number)", on: "s", of: "u", expiresAt: Sample.instant(Int64(number))))
                }
            }
            var removed: [Int] = []
            for _ in 0..<3 {
                removed.append(
                    try await store.write { try $0.deleteGrants(expiredBefore: Sample.instant(5), limit: 3) })
            }
            try requireEqual(removed, [3, 2, 0], "how many were removed each time")
            let left = try await store.read { transaction in
                (
                    try transaction.grants(of: SessionID(rawValue: "s"), limit: 10),
                    try transaction.session(SessionID(rawValue: "s"))
                )
            }
            try requireEqual(Set(left.0.map(\.id.rawValue)), ["5", "6"], "what is left")
            try require(left.1 != nil, "the session went with its grants")
        },

        Check("A grant that is removed is gone, and its session stays") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.session("s", of: "u"))
                _ = try transaction.insert(Sample.grant("g", on: "s", of: "u"))
            }
            let id = GrantID(rawValue: "g")
            let answers = try await store.write { [try $0.deleteGrant(id), try $0.deleteGrant(id)] }
            try requireEqual(answers, [true, false], "the answers to two removals")
            let left = try await store.read { transaction in
                (try transaction.grant(id), try transaction.session(SessionID(rawValue: "s")))
            }
            try require(left.0 == nil && left.1 != nil, "what is left")
        },
    ]

    static let authorizationCodes: [Check] = [
        Check("A code comes back as it was inserted, with every member set and with every member absent") { store in
            try await store.write { _ = try $0.insert(Sample.user("u")) }
            let full = AuthorizationCodeRecord(
                digest: Data(0...255), userID: UserID(rawValue: "u"), createdAt: Sample.instants[0],
                expiresAt: Sample.instants[3], redeemedAt: Sample.instants[1],
                grantID: GrantID(rawValue: Sample.text), body: Sample.largeBlob)
            let bare = AuthorizationCodeRecord(
                digest: Data([1]), userID: nil, createdAt: Sample.instant(), expiresAt: Sample.instant(), body: Data())
            for code in [full, bare] {
                try require(try await store.write { try $0.insert(code) }, "the digest was free")
                let kept = try await store.read { try $0.authorizationCode(digest: code.digest) }
                try require(kept == code, "a code came back changed")
            }
            let absent = try await store.read { try $0.authorizationCode(digest: Data([9])) }
            try require(absent == nil, "a code that was not inserted is there")
        },

        Check("A code whose digest is taken, or whose user is gone, is refused and does not harm the transaction") {
            store in
            let answers = try await store.write { transaction in
                [
                    try transaction.insert(Sample.user("u")), try transaction.insert(Sample.code("c", of: "u")),
                    try transaction.insert(Sample.code("c")), try transaction.insert(Sample.code("d", of: "gone")),
                    try transaction.insert(Sample.code("d")),
                ]
            }
            try requireEqual(answers, [true, true, false, false, true], "the answers to five inserts")
        },

        Check("A code is redeemed once, remembers the grant that it made, and is gone when it was removed") { store in
            let digest = Data("c".utf8)
            let grant = GrantID(rawValue: "g")
            let answers = try await store.write { transaction in
                _ = try transaction.insert(Sample.code("c"))
                return [
                    try transaction.redeemAuthorizationCode(digest: digest, at: Sample.instant(3), making: grant),
                    try transaction.redeemAuthorizationCode(digest: digest, at: Sample.instant(4), making: nil),
                    try transaction.redeemAuthorizationCode(digest: Data("x".utf8), at: Sample.instant(4), making: nil),
                ]
            }
            try requireEqual(answers, [true, false, false], "the answers to three redemptions")
            let kept = try await store.read { try $0.authorizationCode(digest: digest) }
            try requireEqual(kept?.redeemedAt, Sample.instant(3), "when it was redeemed")
            try requireEqual(kept?.grantID, grant, "the grant")
            let removals = try await store.write { transaction in
                [
                    try transaction.deleteAuthorizationCode(digest: digest),
                    try transaction.deleteAuthorizationCode(digest: digest),
                ]
            }
            try requireEqual(removals, [true, false], "the answers to two removals")
        },

        Check("Of twenty redemptions of a code at once, one is accepted") { store in
            _ = try await store.write { try $0.insert(Sample.code("c")) }
            let winners = try await count(20) { number in
                try await store.write {
                    try $0.redeemAuthorizationCode(
                        digest: Data("c".utf8), at: Sample.instant(), making: GrantID(rawValue: "\(number)"))
                }
            }
            try requireEqual(winners, 1, "the redemptions that were accepted")
        },

        Check("Expired codes are removed, redeemed or not, no more than asked for at a time, and no others") { store in
            try await store.write { transaction in
                for number in 0..<5 {
                    _ = try transaction.insert(Sample.code("\(number)", expiresAt: Sample.instant(Int64(number))))
                }
                _ = try transaction.redeemAuthorizationCode(
                    digest: Data("1".utf8), at: Sample.instant(), making: nil)
            }
            var removed: [Int] = []
            for _ in 0..<3 {
                removed.append(
                    try await store.write {
                        try $0.deleteAuthorizationCodes(expiredBefore: Sample.instant(3), limit: 2)
                    })
            }
            try requireEqual(removed, [2, 1, 0], "how many were removed each time")
            let left = try await store.read { transaction in
                try (0..<5).filter { try transaction.authorizationCode(digest: Data("\($0)".utf8)) != nil }
            }
            try requireEqual(left, [3, 4], "what is left")
        },
    ]
}
