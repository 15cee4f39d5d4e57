import CountersignCore
import Foundation

extension StoreConformance {
    static let races: [Check] = [
        Check("Two hundred increments at once count to two hundred") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        try await store.write { transaction in
                            var counter =
                                try transaction.counter("k") ?? AttemptCounter(key: "k", since: Sample.instant())
                            counter.count += 1
                            try transaction.put(counter)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try requireEqual(try await store.read { try $0.counter("k") }?.count, 200, "the count")
        },

        Check("Of fifty users who sign up at once with one address, one gets it") { store in
            let winners = try await count(50) { number in
                try await store.write { try $0.insert(Sample.user("\(number)", email: "one@example.org")) }
            }
            try requireEqual(winners, 1, "the inserts that were accepted")
            try requireEqual(try await store.read { try $0.countUsers() }, 1, "the number of users")
        },

        Check("Of twenty users who change to one address at once, one gets it") { store in
            try await store.write { transaction in
                for number in 0..<20 { _ = try transaction.insert(Sample.user("\(number)")) }
            }
            let winners = try await count(20) { number in
                try await store.write { try $0.update(Sample.user("\(number)", email: "one@example.org")) }
            }
            try requireEqual(winners, 1, "the updates that were accepted")
        },

        Check("Of a hundred updates of one user from one revision, one is accepted") { store in
            try await store.write { _ = try $0.insert(Sample.user("u")) }
            let winners = try await count(100) { number in
                var user = Sample.user("u")
                user.profile.displayName = "\(number)"
                return try await store.write { [user] in try $0.update(user) }
            }
            try requireEqual(winners, 1, "the updates that were accepted")
            try requireEqual(
                try await store.read { try $0.user(UserID(rawValue: "u")) }?.revision, 1, "the revision")
        },

        Check("Of a hundred updates of one factor, one flow, one session and one grant, one each is accepted") {
            store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.factor("f", of: "u"))
                _ = try transaction.insert(Sample.flow("f", of: "u"))
                _ = try transaction.insert(Sample.session("s", of: "u"))
                _ = try transaction.insert(Sample.grant("g", on: "s", of: "u"))
            }
            let winners = [
                try await count(100) { _ in try await store.write { try $0.update(Sample.factor("f", of: "u")) } },
                try await count(100) { _ in try await store.write { try $0.update(Sample.flow("f", of: "u")) } },
                try await count(100) { _ in try await store.write { try $0.update(Sample.session("s", of: "u")) } },
                try await count(100) { _ in
                    try await store.write { try $0.update(Sample.grant("g", on: "s", of: "u")) }
                },
            ]
            try requireEqual(winners, [1, 1, 1, 1], "the updates that were accepted")
        },

        Check("What is enrolled while its user is deleted does not outlive the user") { store in
            try await store.write { _ = try $0.insert(Sample.user("u")) }
            _ = try await count(40) { number in
                try await store.write { transaction in
                    number == 20
                        ? try transaction.deleteUser(UserID(rawValue: "u"))
                        : try transaction.insert(Sample.factor("\(number)", of: "u"))
                }
            }
            let left = try await store.read { transaction in
                try (0..<40).filter { try transaction.factor(FactorID(rawValue: "\($0)")) != nil }
            }
            try requireEqual(left, [], "the factors left")
        },

        Check("While two numbers are changed together, every reader sees them equal") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...50 {
                    group.addTask {
                        try await store.write { transaction in
                            for key in ["a", "b"] {
                                try transaction.put(
                                    AttemptCounter(key: key, count: number, since: Sample.instant()))
                            }
                        }
                    }
                    group.addTask {
                        let seen = try await store.read { (try $0.counter("a")?.count, try $0.counter("b")?.count) }
                        try requireEqual(seen.0, seen.1, "two numbers that are always equal")
                    }
                }
                try await group.waitForAll()
            }
        },
    ]

    /// Does something that many times at once and counts the yeses.
    static func count(
        _ times: Int, _ body: @escaping @Sendable (Int) async throws -> Bool
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<times {
                group.addTask { try await body(number) }
            }
            return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
        }
    }
}
