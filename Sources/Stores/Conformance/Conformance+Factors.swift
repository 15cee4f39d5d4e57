import CountersignCore
import Foundation

extension StoreConformance {
    static let factors: [Check] = [
        Check("A factor comes back as it was inserted, its payload byte by byte") { store in
            try await store.write { _ = try $0.insert(Sample.user("u")) }
            for (id, payload) in [("empty", Data()), (Sample.text, Sample.largeBlob)] {
                let factor = FactorRecord(
                    id: FactorID(rawValue: id), userID: UserID(rawValue: "u"),
                    kind: FactorKind(rawValue: Sample.text), name: Sample.text, createdAt: Sample.instants[0],
                    lastUsedAt: Sample.instants[3], revision: .max, payload: payload, frozenAt: Sample.instants[1])
                try require(try await store.write { try $0.insert(factor) }, "the id was free")
                // Not by comparing whole: a failure would print a megabyte.
                let kept = try await store.read { try $0.factor(factor.id) }
                try require(kept == factor, "the factor \(id) came back changed")
            }
        },

        Check("Factors are listed in the order of enrolment, and those of one microsecond in a stable one") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.user("other"))
                for (id, time) in [("z", 1), ("late", 9), ("a", 1), ("early", 0), ("m", 1)] {
                    _ = try transaction.insert(Sample.factor(id, of: "u", createdAt: Sample.instant(Int64(time))))
                }
                _ = try transaction.insert(Sample.factor("not mine", of: "other"))
            }
            func order() async throws -> [String] {
                try await store.read { try $0.factors(of: UserID(rawValue: "u")) }.map(\.id.rawValue)
            }
            let first = try await order()
            try requireEqual(first.first, "early", "the first factor")
            try requireEqual(first.last, "late", "the last factor")
            try requireEqual(Set(first), ["early", "z", "a", "m", "late"], "the factors")
            try await store.write { transaction in
                let factors = try transaction.factors(of: UserID(rawValue: "u"))
                for var factor in factors.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
                    factor.lastUsedAt = Sample.instant(100)
                    _ = try transaction.update(factor)
                }
            }
            try requireEqual(try await order(), first, "the order after every factor was used")
        },

        Check("Factors of one kind are listed by id, page by page, of all users") { store in
            try await store.write { transaction in
                for user in ["u", "v"] { _ = try transaction.insert(Sample.user(user)) }
                for (id, user, kind) in [("d", "u", "b"), ("a", "v", "b"), ("c", "u", "a"), ("b", "v", "b")] {
                    let made = Sample.factor(id, of: user)
                    _ = try transaction.insert(
                        FactorRecord(
                            id: made.id, userID: made.userID, kind: FactorKind(rawValue: kind), name: made.name,
                            createdAt: made.createdAt, payload: made.payload))
                }
            }
            let kind = FactorKind(rawValue: "b")
            let first = try await store.read { try $0.factors(of: kind, after: nil, limit: 2) }
            try requireEqual(first.map(\.id.rawValue), ["a", "b"], "the first page")
            let second = try await store.read { try $0.factors(of: kind, after: first.last?.id, limit: 2) }
            try requireEqual(second.map(\.id.rawValue), ["d"], "the second page")
            let none = try await store.read { try $0.factors(of: FactorKind(rawValue: "z"), after: nil, limit: 2) }
            try requireEqual(none, [], "factors of a kind without any")
        },

        Check("A factor whose id is taken, or whose user is gone, is refused and does not harm the transaction") {
            store in
            let answers = try await store.write { transaction in
                [
                    try transaction.insert(Sample.user("u")),
                    try transaction.insert(Sample.factor("f", of: "u")),
                    try transaction.insert(Sample.factor("f", of: "u")),
                    try transaction.insert(Sample.factor("orphan", of: "nobody")),
                    try transaction.insert(Sample.factor("g", of: "u")),
                ]
            }
            try requireEqual(answers, [true, true, false, false, true], "the answers to five inserts")
        },

        Check("A factor's update writes name, use, payload and freezing once for each revision") { store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.factor("f", of: "u"))
            }
            var changed = Sample.factor("f", of: "u")
            changed.name = Sample.text
            changed.lastUsedAt = Sample.instant(5)
            changed.payload = Data([0, 255])
            let answers = try await store.write { [changed] in [try $0.update(changed), try $0.update(changed)] }
            try requireEqual(answers, [true, false], "the answers to two updates from one revision")
            let expected = FactorRecord(
                id: changed.id, userID: changed.userID, kind: changed.kind, name: changed.name,
                createdAt: changed.createdAt, lastUsedAt: changed.lastUsedAt, revision: 1, payload: changed.payload)
            try requireEqual(try await store.read { [changed] in try $0.factor(changed.id) }, expected, "the factor")
        },

        Check("A factor is deleted once") { store in
            let id = FactorID(rawValue: "f")
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.factor("f", of: "u"))
            }
            let answers = try await store.write { [try $0.deleteFactor(id), try $0.deleteFactor(id)] }
            try requireEqual(answers, [true, false], "the answers to two deletions")
            try requireEqual(try await store.read { try $0.factor(id) }, nil, "the factor")
            try requireEqual(
                try await store.write { try $0.update(Sample.factor("f", of: "u")) }, false, "an update of it")
        },
    ]
}
