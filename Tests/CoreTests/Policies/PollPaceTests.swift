import Foundation
import Testing

@testable import CountersignCore

@Suite("How often a request that waits may come again")
struct PollPaceTests {
    private static let limit = RateLimit(count: 3, window: 60)
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    @Test
    func `So many in a window that begins with the first; what is one too many counts for nothing`() {
        let pace = PollPace()
        for second in [0.0, 1, 2] { #expect(pace.admits("a", Self.limit, at: Self.start + second)) }
        for second in [2.0, 30, 59.9] {
            #expect(pace.isUsedUp("a", Self.limit, at: Self.start + second))
            #expect(!pace.admits("a", Self.limit, at: Self.start + second))
        }
        for second in [60.0, -600] { #expect(!pace.isUsedUp("a", Self.limit, at: Self.start + second)) }
        #expect(pace.admits("b", Self.limit, at: Self.start + 3))
        for second in [60.0, 61, 62] { #expect(pace.admits("a", Self.limit, at: Self.start + second)) }
        #expect(!pace.admits("a", Self.limit, at: Self.start + 63))
        #expect(pace.admits("a", Self.limit, at: Self.start - 600), "a clock that was set back")
    }

    @Test
    func `What is remembered has an end`() {
        let pace = PollPace()
        for index in 0..<(PollPace.capacity + 10) { _ = pace.admits("\(index)", Self.limit, at: Self.start) }
        #expect(pace.count <= PollPace.capacity)
        #expect(pace.admits("another", Self.limit, at: Self.start))
        // Those whose window is over go first.
        let later = PollPace()
        for index in 0..<PollPace.capacity { _ = later.admits("\(index)", Self.limit, at: Self.start) }
        #expect(later.admits("new", Self.limit, at: Self.start + 61))
        #expect(later.count == 1)
    }

    @Test
    func `Of requests at once as many are admitted as of requests one after the other, and nothing is written`()
        async throws
    {
        let test = try await TestRealm.make()
        let handle = FlowHandle("handle")
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { test.realm.polls.admits(handle, Self.limit) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(admitted == 3)
        #expect(try await test.counter("limit/polls/\(handle.publicName)") == nil)
    }
}
