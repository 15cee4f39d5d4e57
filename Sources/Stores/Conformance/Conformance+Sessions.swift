import CountersignCore
import Foundation

extension StoreConformance {
    static let sessions: [Check] = [
        Check("A session comes back as it was inserted, with every member set and with every member absent") {
            store in
            try await store.write { _ = try $0.insert(Sample.user("u")) }
            let full = Session(
                id: SessionID(rawValue: Sample.text), userID: UserID(rawValue: "u"),
                dialect: Dialect(rawValue: Sample.text), tokenEpoch: .max, createdAt: Sample.instants[0],
                expiresAt: Sample.instants[3], revokedAt: Sample.instants[1], revision: 9,
                proofs: Sample.instants.map { Proof(kind: .password, at: $0) } + [
                    Proof(
                        kind: .totp, factorID: FactorID(rawValue: Sample.text), at: Sample.instant(1),
                        isSecondFactor: true)
                ],
                origin: SessionOrigin(address: Sample.text, userAgent: Sample.text), browserDigest: Data(0...255))
            let bare = Session(
                id: SessionID(rawValue: "bare"), userID: UserID(rawValue: "u"), dialect: .admin, tokenEpoch: 0,
                createdAt: Sample.instant(), expiresAt: Sample.instant(), proofs: [])
            for session in [full, bare] {
                try require(try await store.write { try $0.insert(session) }, "the id was free")
                let kept = try await store.read { try $0.session(session.id) }
                try require(kept == session, "the session \(session.id) came back changed")
            }
        },

        Check("A session whose id is taken, or whose user is gone, is refused and does not harm the transaction") {
            store in
            let answers = try await store.write { transaction in
                [
                    try transaction.insert(Sample.user("u")),
                    try transaction.insert(Sample.session("s", of: "u")),
                    try transaction.insert(Sample.session("s", of: "u")),
                    try transaction.insert(Sample.session("orphan", of: "nobody")),
                    try transaction.insert(Sample.session("t", of: "u")),
                ]
            }
            try requireEqual(answers, [true, true, false, false, true], "the answers to five inserts")
        },

        Check("A session's update writes epoch, revocation, proofs and the browser's digest, once for each revision") {
            store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.session("s", of: "u"))
            }
            var changed = Sample.session("s", of: "u")
            changed.revokedAt = Sample.instant(3)
            changed.proofs.append(Proof(kind: .totp, at: Sample.instant(4), isSecondFactor: true))
            changed.browserDigest = Data([1])
            let answers = try await store.write { [changed] in [try $0.update(changed), try $0.update(changed)] }
            try requireEqual(answers, [true, false], "the answers to two updates from one revision")
            let expected = Session(
                id: changed.id, userID: changed.userID, dialect: changed.dialect, tokenEpoch: changed.tokenEpoch,
                createdAt: changed.createdAt, expiresAt: changed.expiresAt, revokedAt: changed.revokedAt,
                revision: 1, proofs: changed.proofs, origin: changed.origin, browserDigest: changed.browserDigest)
            try requireEqual(
                try await store.read { [changed] in try $0.session(changed.id) }, expected, "the session")
        },

        Check("A user's sessions are listed with the newest first") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.user("other"))
                for (id, time) in [("old", 1), ("newest", 9), ("new", 5)] {
                    _ = try transaction.insert(
                        Sample.session(id, of: "u", createdAt: Sample.instant(Int64(time))))
                }
                _ = try transaction.insert(Sample.session("not mine", of: "other"))
            }
            for (limit, expected) in [(9, ["newest", "new", "old"]), (2, ["newest", "new"]), (0, [])] {
                let listed = try await store.read { try $0.sessions(of: UserID(rawValue: "u"), limit: limit) }
                try requireEqual(listed.map(\.id.rawValue), expected, "at most \(limit) sessions")
            }
            let new = SessionPlace(createdAt: Sample.instant(5), id: SessionID(rawValue: "new"))
            for (isBackwards, expected) in [(false, ["old"]), (true, ["newest"])] {
                let listed = try await store.read {
                    try $0.sessions(of: UserID(rawValue: "u"), ListRange(new, isBackwards: isBackwards, limit: 9))
                }
                try requireEqual(listed.map(\.id.rawValue), expected, "beside a session")
            }
            let last = try await store.read {
                try $0.sessions(of: UserID(rawValue: "u"), ListRange(isBackwards: true, limit: 1))
            }
            try requireEqual(last.map(\.id.rawValue), ["old"], "from the end")
        },

        Check("A user's sessions of an epoch that go on are listed with the newest first, and no others") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.user("other"))
                for (id, user, time, end) in [
                    ("old", "u", 1, 20), ("newest", "u", 9, 21), ("ended", "u", 8, 20), ("expired", "u", 7, 15),
                    ("new", "u", 5, 16), ("earlier", "u", 4, 20), ("not mine", "other", 6, 20),
                ] {
                    var session = Sample.session(
                        id, of: user, epoch: id == "earlier" ? 1 : 2, createdAt: Sample.instant(Int64(time)),
                        expiresAt: Sample.instant(Int64(end)))
                    _ = try transaction.insert(session)
                    guard id == "ended" else { continue }
                    session.revokedAt = Sample.instant(9)
                    _ = try transaction.update(session)
                }
            }
            for (limit, expected) in [(9, ["newest", "new", "old"]), (2, ["newest", "new"]), (0, [])] {
                let listed = try await store.read {
                    try $0.sessions(
                        of: UserID(rawValue: "u"), epoch: 2, expiringAfter: Sample.instant(15), limit: limit)
                }
                try requireEqual(listed.map(\.id.rawValue), expected, "at most \(limit) sessions")
            }
            let place = SessionPlace(createdAt: Sample.instant(5), id: SessionID(rawValue: "new"))
            for (isBackwards, expected) in [(false, ["old"]), (true, ["newest"])] {
                let listed = try await store.read {
                    try $0.sessions(
                        of: UserID(rawValue: "u"), epoch: 2, expiringAfter: Sample.instant(15),
                        ListRange(place, isBackwards: isBackwards, limit: 9))
                }
                try requireEqual(listed.map(\.id.rawValue), expected, "the sessions beside one")
            }
        },

        Check("Expired sessions are removed with their grants, no more than asked for at a time, and no others") {
            store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                for number in 0..<7 {
                    _ = try transaction.insert(
                        Sample.session("\(number)", of: "u", expiresAt: Sample.instant(Int64(number))))
                    for grant in ["a", "b"] {
                        _ = try transaction.insert(
                            Sample.grant(
                                "\(grant)\(number)", on: "\(number)", of: "u", expiresAt: Sample.instant(100)))
                    }
                }
            }
            var removed: [Int] = []
            for _ in 0..<3 {
                removed.append(
                    try await store.write { try $0.deleteSessions(expiredBefore: Sample.instant(5), limit: 3) })
            }
            try requireEqual(removed, [3, 2, 0], "how many were removed each time")
            let user = UserID(rawValue: "u")
            let left = try await store.read { transaction in
                (try transaction.sessions(of: user, limit: 10), try transaction.grants(of: user, limit: 20))
            }
            try requireEqual(Set(left.0.map(\.id.rawValue)), ["5", "6"], "what is left")
            try requireEqual(Set(left.1.map(\.id.rawValue)), ["a5", "b5", "a6", "b6"], "the grants that are left")
        },
    ]
}
