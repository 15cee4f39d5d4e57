import CountersignCore
import Foundation

extension StoreConformance {
    static let texts: [Check] = [
        Check("A text with U+0000 neither fails nor is cut short, so that it matches no other user") { store in
            try await store.write { _ = try $0.insert(Sample.user("alice", email: "alice@example.org")) }
            let longer = "alice\u{0}mallory"
            try requireEqual(
                try await store.read { try $0.user(UserID(rawValue: longer)) }, nil, "the user of a longer id")
            try requireEqual(
                try await store.read { try $0.user(email: EmailAddress(kept: "alice@example.org\u{0}")) }, nil,
                "the user of a longer address")
            var factor = Sample.factor("f", of: "alice")
            factor.name = longer
            try require(try await store.write { [factor] in try $0.insert(factor) }, "the factor was inserted")
            let name = try await store.read { try $0.factor(FactorID(rawValue: "f")) }?.name
            try require(name?.hasSuffix("mallory") == true, "the factor's name is \(name ?? "gone")")
        },

        Check("Ids that differ in case or in Unicode composition are different") { store in
            let ids = ["Ä", "A\u{308}", "ä", "a", "A"]
            let answers = try await store.write { transaction in
                try ids.map { try transaction.insert(Sample.user($0)) }
            }
            try requireEqual(answers, ids.map { _ in true }, "the answers to \(ids.count) inserts")
        },
    ]
}
