import CountersignCore
import Foundation

extension StoreConformance {
    static let flows: [Check] = [
        Check("A flow comes back as it was inserted, with and without a user") { store in
            try await store.write { _ = try $0.insert(Sample.user("u")) }
            let full = FlowRecord(
                digest: Data(0...255), userID: UserID(rawValue: "u"), purpose: Sample.text, attempts: .max,
                revision: 3, createdAt: Sample.instants[0], expiresAt: Sample.instants[1],
                finishedAt: Sample.instants[3], body: Sample.largeBlob, offeredFactor: FactorID(rawValue: Sample.text))
            let bare = FlowRecord(
                digest: Data([0]), userID: nil, purpose: "", createdAt: Sample.instants[2],
                expiresAt: Sample.instants[3], body: Data())
            for flow in [full, bare] {
                try require(try await store.write { try $0.insert(flow) }, "the digest was free")
                let kept = try await store.read { try $0.flow(digest: flow.digest) }
                try require(kept == flow, "the flow \(flow.digest.hex) came back changed")
            }
        },

        Check("A flow whose digest is taken, or whose user is gone, is refused and does not harm the transaction") {
            store in
            let answers = try await store.write { transaction in
                [
                    try transaction.insert(Sample.flow("f")), try transaction.insert(Sample.flow("f")),
                    try transaction.insert(Sample.flow("orphan", of: "nobody")),
                    try transaction.insert(Sample.flow("g")),
                ]
            }
            try requireEqual(answers, [true, false, false, true], "the answers to four inserts")
        },

        Check("The revisions of flows are told of those that there are, however many are asked about") { store in
            try await store.write { transaction in
                for name in ["f", "g", "h"] { _ = try transaction.insert(Sample.flow(name)) }
                if let flow = try transaction.flow(digest: Data("g".utf8)) { _ = try transaction.update(flow) }
            }
            let (none, found) = try await store.read { transaction in
                let strange = (0..<250).map { Data("strange \($0)".utf8) }
                let asked = Set(strange + [Data("f".utf8), Data("g".utf8)])
                return (try transaction.flowRevisions(among: []), try transaction.flowRevisions(among: asked))
            }
            try requireEqual(none, [:], "the revisions of no flows")
            try requireEqual(found, [Data("f".utf8): 0, Data("g".utf8): 1], "the revisions")
        },

        Check("A flow's update writes all but digest, purpose and creation, once for each revision") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.flow("f"))
            }
            let changed = FlowRecord(
                digest: Data("f".utf8), userID: UserID(rawValue: "u"), purpose: "reset", attempts: 4,
                createdAt: Sample.instant(77), expiresAt: Sample.instant(8), finishedAt: Sample.instant(9),
                body: Data([1, 2, 3]))
            let answers = try await store.write { [try $0.update(changed), try $0.update(changed)] }
            try requireEqual(answers, [true, false], "the answers to two updates from one revision")
            let expected = FlowRecord(
                digest: changed.digest, userID: changed.userID, purpose: "sign-in", attempts: 4, revision: 1,
                createdAt: Sample.instant(), expiresAt: changed.expiresAt, finishedAt: changed.finishedAt,
                body: changed.body)
            try requireEqual(try await store.read { try $0.flow(digest: changed.digest) }, expected, "the flow")
        },

        Check("A user's open flows for a purpose are listed, the newest first, and no others") { store in
            func flow(
                _ digest: String, of user: String = "u", purpose: String = "approve", created: Int64,
                expires: Int64 = 100, finished: Int64? = nil
            ) -> FlowRecord {
                FlowRecord(
                    digest: Data(digest.utf8), userID: UserID(rawValue: user), purpose: purpose,
                    createdAt: Sample.instant(created), expiresAt: Sample.instant(expires),
                    finishedAt: finished.map { Sample.instant($0) }, body: Data())
            }
            let flows = [
                flow("a", created: 1), flow("b", created: 3), flow("c", created: 2),
                flow("expired", created: 4, expires: 50), flow("finished", created: 5, finished: 6),
                flow("else", purpose: "sign-in", created: 7), flow("other", of: "v", created: 8),
            ]
            try await store.write { transaction in
                for user in ["u", "v"] { _ = try transaction.insert(Sample.user(user)) }
                for flow in flows { _ = try transaction.insert(flow) }
            }
            for (limit, expected) in [(9, ["b", "c", "a"]), (2, ["b", "c"])] {
                let open = try await store.read {
                    try $0.openFlows(
                        of: UserID(rawValue: "u"), purpose: "approve", at: Sample.instant(50), limit: limit)
                }
                try requireEqual(
                    open.map { String(decoding: $0.digest, as: UTF8.self) }, expected, "at most \(limit) open flows")
            }
        },

        Check("A flow that offers a factor is found by its id while it is open, and no other") { store in
            func flow(_ digest: String, offers factor: String?, expires: Int64 = 100, finished: Int64? = nil)
                -> FlowRecord
            {
                FlowRecord(
                    digest: Data(digest.utf8), userID: UserID(rawValue: "u"), purpose: "enrolFactor",
                    createdAt: Sample.instant(1), expiresAt: Sample.instant(expires),
                    finishedAt: finished.map { Sample.instant($0) }, body: Data(),
                    offeredFactor: factor.map(FactorID.init(rawValue:)))
            }
            let flows = [
                flow("a", offers: "dev_a"), flow("b", offers: nil), flow("c", offers: "dev_c", expires: 50),
                flow("d", offers: "dev_d", finished: 2),
            ]
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                for flow in flows { _ = try transaction.insert(flow) }
            }
            for (id, digest) in [("dev_a", "a"), ("dev_c", nil), ("dev_d", nil), ("dev_e", nil), ("", nil)] {
                let found = try await store.read {
                    try $0.openFlow(offering: FactorID(rawValue: id), at: Sample.instant(50))
                }
                try requireEqual(found?.digest, digest.map { Data($0.utf8) }, "the flow that offers \(id)")
            }
        },

        Check("A flow is deleted once") { store in
            let digest = Data("f".utf8)
            try await store.write { _ = try $0.insert(Sample.flow("f")) }
            let answers = try await store.write { transaction in
                [try transaction.deleteFlow(digest: digest), try transaction.deleteFlow(digest: digest)]
            }
            try requireEqual(answers, [true, false], "the answers to two deletions")
            try requireEqual(try await store.read { try $0.flow(digest: digest) }, nil, "the flow")
        },

        Check("Expired flows are removed, no more than asked for at a time, and no others") { store in
            try await store.write { transaction in
                for number in 0..<7 {
                    _ = try transaction.insert(
                        Sample.flow("flow \(number)", expiresAt: Sample.instant(Int64(number))))
                }
            }
            var removed: [Int] = []
            for limit in [-1, 0, 3, 3, 3] {
                removed.append(
                    try await store.write { try $0.deleteFlows(expiredBefore: Sample.instant(5), limit: limit) })
            }
            try requireEqual(removed, [0, 0, 3, 2, 0], "how many were removed each time")
            let left = try await store.read { transaction in
                try (0..<7).filter { try transaction.flow(digest: Data("flow \($0)".utf8)) != nil }
            }
            try requireEqual(left, [5, 6], "what is left")
        },

        Check("Flows of a user are listed, no more than requested, and no other user's") { store in
            try await store.write { transaction in
                for id in ["ada", "bert"] { _ = try transaction.insert(Sample.user(id)) }
                for (digest, user) in [("1", "ada"), ("2", "ada"), ("3", "bert"), ("4", nil)] {
                    _ = try transaction.insert(Sample.flow(digest, of: user))
                }
            }
            let ada = UserID(rawValue: "ada")
            let listed = try await store.read { transaction in
                (try transaction.flows(of: ada, limit: 10), try transaction.flows(of: ada, limit: 1))
            }
            try requireEqual(
                Set(listed.0.map { String(decoding: $0.digest, as: UTF8.self) }), ["1", "2"], "the flows of a user")
            try requireEqual(listed.1.count, 1, "how many there are where one was asked for")
        },
    ]
}
