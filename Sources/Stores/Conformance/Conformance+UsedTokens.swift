import CountersignCore
import Foundation

extension StoreConformance {
    static let usedTokens: [Check] = [
        Check("A token is used once: not twice under one kind and owner, and apart under others") { store in
            let end = Sample.instant(9)
            func use(_ kind: UsedToken.Kind, _ id: String, of owner: String) async throws -> Bool {
                try await store.write { try $0.insert(UsedToken(kind, id, of: owner, expiresAt: end)) }
            }
            try require(try await use(.clientAssertion, Sample.text, of: "a"), "it was not used before")
            try require(!(try await use(.clientAssertion, Sample.text, of: "a")), "it was used before")
            try require(try await use(.clientAssertion, "", of: "a"), "another id is another token")
            try require(try await use(.clientAssertion, Sample.text, of: "b"), "another owner's is another token")
            try require(try await use(.possessionProof, Sample.text, of: "a"), "another kind's is another token")
        },

        Check("Used tokens go some at a time after their end, those that ended first before the others") { store in
            let (first, second, third) = (Sample.instant(1), Sample.instant(2), Sample.instant(3))
            try await store.write { transaction in
                for (id, end) in [("c", third), ("a", first), ("b", second)] {
                    _ = try transaction.insert(UsedToken(.possessionProof, id, of: "k", expiresAt: end))
                }
            }
            let counts = try await store.write { transaction in
                [
                    try transaction.deleteUsedTokens(expiredBefore: first, limit: 9),
                    try transaction.deleteUsedTokens(expiredBefore: third, limit: 1),
                ]
            }
            try requireEqual(counts, [0, 1], "the tokens that went")
            let free = try await store.write { transaction in
                try ["a", "b", "c"].map {
                    try transaction.insert(UsedToken(.possessionProof, $0, of: "k", expiresAt: third))
                }
            }
            try requireEqual(free, [true, false, false], "which ids are free again")
            try requireEqual(
                try await store.write { try $0.deleteUsedTokens(expiredBefore: third + 1, limit: 9) }, 3,
                "the tokens that went at last")
        },

        Check("A token that is removed may be used once more, and no other one is removed with it") { store in
            let (one, other) = ("one", "other")
            @Sendable func used(_ id: String) -> UsedToken {
                UsedToken(.pageForm, id, of: "u", expiresAt: Sample.instant(9))
            }
            let answers = try await store.write { transaction in
                [
                    try transaction.deleteUsedToken(digest: used(one).digest),
                    try transaction.insert(used(one)), try transaction.insert(used(other)),
                    try transaction.deleteUsedToken(digest: used(one).digest),
                    try transaction.deleteUsedToken(digest: used(one).digest),
                ]
            }
            try requireEqual(answers, [false, true, true, true, false], "the answers to removals and uses")
            let again = try await store.write { transaction in
                [try transaction.insert(used(one)), try transaction.insert(used(other))]
            }
            try requireEqual(again, [true, false], "which is good again")
        },

        Check("Of twenty who use one token at once, one does") { store in
            let used = UsedToken(.possessionProof, "one", of: "k", expiresAt: Sample.instant(1))
            let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await store.write { try $0.insert(used) } } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try requireEqual(answers.count { $0 }, 1, "how many used the token")
        },
    ]
}
