import CountersignCore
import Foundation

extension StoreConformance {
    private static func hook(_ id: String, at instant: Int64 = 0) -> EventHook {
        EventHook(
            id: id, createdAt: Sample.instant(instant),
            registration: EventHook.Registration(url: "https://hooks.example/\(id)", events: [.users]),
            progress: HookProgress(cursor: ""))
    }

    static let eventHooks: [Check] = [
        Check("A hook comes back as it was inserted, with every member set and with every member absent") { store in
            var progress = HookProgress(cursor: "00063f1c2b3a4d5e0a1b2c3d")
            progress.done = [Sample.text, "b"]
            progress.failing = ["c": .init(attempts: 3, since: Sample.instant(1))]
            progress.attempts = 2
            progress.nextAttemptAt = Sample.instant(2)
            progress.holder = Sample.text
            progress.leasedUntil = Sample.instant(3)
            progress.failingSince = Sample.instant(4)
            progress.lastError = "timed-out"
            progress.lastErrorAt = Sample.instant(5)
            progress.lastDeliveredAt = Sample.instant(6)
            (progress.delivered, progress.failed) = (.max, 7)
            progress.disabledBecause = "gone"
            let full = EventHook(
                id: Sample.text, createdAt: Sample.instant(8),
                registration: EventHook.Registration(
                    url: "https://hooks.example/?a=b", name: Sample.text, events: Set(EventCategory.allCases),
                    isEnabled: false),
                progress: progress, revision: 9)
            let bare = hook("bare")
            try requireEqual(try await store.read { try $0.eventHooks() }, [], "the hooks of an empty store")
            for hook in [full, bare] {
                try require(try await store.write { try $0.insert(hook) }, "the id was free")
            }
            try requireEqual(
                try await store.read { try $0.eventHooks() }, [bare, full], "the hooks, the oldest first")
            try requireEqual(try await store.write { try $0.insert(bare) }, false, "an insert of a taken id")
        },

        Check("A hook is changed where its revision is the stored one, and counted up; otherwise nothing is written") {
            store in
            _ = try await store.write { try $0.insert(hook("a")) }
            var first = hook("a")
            first.progress.holder = "one"
            first.registration.isEnabled = false
            try require(try await store.write { [first] in try $0.update(first) }, "the revision was the stored one")
            var expected = first
            expected.revision = 1
            try requireEqual(try await store.read { try $0.eventHooks() }, [expected], "the hook after the update")
            var late = hook("a")
            late.progress.holder = "two"
            try requireEqual(try await store.write { [late] in try $0.update(late) }, false, "a stale update")
            try requireEqual(try await store.read { try $0.eventHooks() }, [expected], "the hook after a stale one")
            try requireEqual(try await store.write { try $0.update(hook("b")) }, false, "an update of none")
            let answers = try await store.write {
                [try $0.deleteEventHook("a"), try $0.deleteEventHook("a")]
            }
            try requireEqual(answers, [true, false], "two deletions")
            try requireEqual(try await store.read { try $0.eventHooks() }, [], "the hooks afterwards")
        },

        Check("Of many that take a hook at once, one has it") { store in
            _ = try await store.write { try $0.insert(hook("a")) }
            let taken = try await withThrowingTaskGroup(of: Bool.self) { tasks in
                for number in 0..<16 {
                    tasks.addTask {
                        var own = hook("a")
                        own.progress.holder = "\(number)"
                        return try await store.write { [own] in try $0.update(own) }
                    }
                }
                return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try requireEqual(taken, 1, "how many have it")
        },
    ]
}
