import CountersignCore
import Foundation

extension StoreConformance {
    static let attemptCounters: [Check] = [
        Check("A counter is inserted, replaced and deleted under its key") { store in
            let key = "source/\(Sample.text)"
            let first = AttemptCounter(
                key: key, count: .max, since: Sample.instants[0], blockedUntil: Sample.instants[3])
            let second = AttemptCounter(key: key, count: 0, since: Sample.instants[2])
            try requireEqual(try await store.read { try $0.counter(key) }, nil, "the counter before")
            for counter in [first, second] {
                try await store.write { try $0.put(counter) }
                try requireEqual(try await store.read { try $0.counter(key) }, counter, "the counter")
            }
            try await store.write { try $0.deleteCounter(key) }
            try await store.write { try $0.deleteCounter(key) }
            try requireEqual(try await store.read { try $0.counter(key) }, nil, "the counter after")
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
