import CountersignCore
import Foundation

extension StoreConformance {
    static let attemptCounters: [Check] = [
        Check("A counter is inserted, replaced and deleted under its key") { store in
            let key = "source/\(Sample.text)"
            let first = AttemptCounter(
                key: key, count: .max, since: Sample.instants[0], blockedUntil: Sample.instants[3])
            let open = [
                OpenCharge(id: Sample.text, at: Sample.instants[1], blocksUntil: Sample.instants[3]),
                OpenCharge(id: "b", at: Sample.instants[2]),
            ]
            let second = AttemptCounter(key: key, count: 2, since: Sample.instants[2], open: open)
            let third = AttemptCounter(key: key, count: 0, since: Sample.instants[2])
            try requireEqual(try await store.read { try $0.counter(key) }, nil, "the counter before")
            for counter in [first, second, third] {
                try await store.write { try $0.put(counter) }
                try requireEqual(try await store.read { try $0.counter(key) }, counter, "the counter")
            }
            try await store.write { try $0.deleteCounter(key) }
            try await store.write { try $0.deleteCounter(key) }
            try requireEqual(try await store.read { try $0.counter(key) }, nil, "the counter after")
        },

        Check("Counters are listed in the order of their keys, page by page") { store in
            let counters = ["a", "b", "c/1", "c/2"].map { AttemptCounter(key: $0, count: 1, since: Sample.instant(1)) }
            try await store.write { transaction in for counter in counters { try transaction.put(counter) } }
            let pages = try await store.read { transaction in
                try [nil, "b", "c/2"].map { try transaction.counters(ListRange($0, limit: 2)).map(\.key) }
            }
            try requireEqual(pages, [["a", "b"], ["c/1", "c/2"], []], "the pages")
        },

        Check("Counters that are read together are those that there are, however many are asked for") { store in
            let counters = ["a", "b", "c", "d", "e"].map { AttemptCounter(key: $0, count: 1, since: Sample.instant(1)) }
            try await store.write { transaction in for counter in counters { try transaction.put(counter) } }
            let wanted = ["x", "e", "a", "y", "c", "z", "b", "a"]
            for count in 0...wanted.count {
                let keys = Array(wanted.prefix(count))
                let read = try await store.read { transaction -> [AttemptCounter?] in
                    try transaction.readCounters(keys)
                    return try keys.map { try transaction.counter($0) }
                }
                try requireEqual(
                    read, keys.map { key in counters.first { $0.key == key } }, "the counters of \(keys)")
            }
        },

        Check("A transaction sees what it has done to a counter, and what it undoes is not visible") { store in
            let (one, other) = (AttemptCounter(key: "b", count: 1, since: Sample.instant(1)), "a")
            try await store.write { try $0.put(AttemptCounter(key: other, count: 5, since: Sample.instant(1))) }
            let seen = try await store.write { transaction -> [AttemptCounter?] in
                try transaction.put(one)
                try transaction.deleteCounter(other)
                return [try transaction.counter("b"), try transaction.counter(other), try transaction.counter("c")]
            }
            try requireEqual(seen, [one, nil, nil], "the counters inside")
            let after = try await store.read { [try $0.counter("b"), try $0.counter(other)] }
            try requireEqual(after, [one, nil], "the counters after")

            struct Undone: Error {}
            do {
                try await store.write { transaction in
                    try transaction.deleteCounter("b")
                    try transaction.put(AttemptCounter(key: other, since: Sample.instant(1)))
                    throw Undone()
                }
                throw StoreConformance.Failure("what the body threw was swallowed")
            } catch is Undone {}
            let left = try await store.read { [try $0.counter("b"), try $0.counter(other)] }
            try requireEqual(left, [one, nil], "the counters after what was undone")
        },

        Check("Rows that are reserved can be written in any order, and those that are not there are no fault") {
            store in
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.factor("f", of: "u"))
                for digest in ["1", "2"] { _ = try transaction.insert(Sample.flow(digest, of: "u")) }
            }
            let (user, factor) = (UserID(rawValue: "u"), FactorID(rawValue: "f"))
            let flows = ["1", "2", "3"].map { Data($0.utf8) }
            try await store.write { transaction in
                try transaction.reserve(Set(flows.map { .flow($0) } + [.user(user), .factor(factor)]))
                for digest in flows.reversed() {
                    guard var flow = try transaction.flow(digest: digest) else { continue }
                    flow.attempts += 1
                    try require(try transaction.update(flow), "a reserved flow was not written")
                }
                try require(try transaction.deleteFactor(factor), "a reserved factor was not removed")
                try transaction.touch(user, signedInAt: Sample.instant(1), refreshedAt: nil)
            }
            let attempts = try await store.read { transaction in
                try flows.map { try transaction.flow(digest: $0)?.attempts }
            }
            try requireEqual(attempts, [1, 1, nil], "the answers of the flows")
        },

        Check("Idle counters are removed, no more than asked for at a time, and none that blocks") { store in
            try await store.write { transaction in
                for number in 0..<5 {
                    try transaction.put(AttemptCounter(key: "idle \(number)", since: Sample.instant(1)))
                }
                try transaction.put(
                    AttemptCounter(key: "was blocked", since: Sample.instant(1), blockedUntil: Sample.instant(3)))
                try transaction.put(
                    AttemptCounter(key: "blocks", since: Sample.instant(1), blockedUntil: Sample.instant(99)))
                try transaction.put(AttemptCounter(key: "fresh", since: Sample.instant(10)))
            }
            var removed: [Int] = []
            for _ in 0..<3 {
                removed.append(
                    try await store.write { try $0.deleteCounters(idleBefore: Sample.instant(10), limit: 4) })
            }
            try requireEqual(removed, [4, 2, 0], "how many were removed each time")
            for key in ["blocks", "fresh"] {
                try require(try await store.read { try $0.counter(key) } != nil, "the counter '\(key)' is gone")
            }
        },
    ]
}
