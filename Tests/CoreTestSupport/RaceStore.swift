import CountersignCore
import Synchronization
import TestSupport

/// A store in front of which racers meet: no racer makes a certain write before all have come that far or are done.
///
/// Without it, the first of many tasks could be through before the second begins, and a lost race would look like a won
/// one.
package final class RaceStore: ForwardingStore {
    /// One racer's way through the store.
    package final class Passage: Sendable {
        let meeting: Meeting
        let meetsBefore: Int
        private let writes = Mutex(0)

        init(_ meeting: Meeting, before write: Int) {
            self.meeting = meeting
            meetsBefore = write
        }

        func reachesMeeting() -> Bool {
            writes.withLock { count in
                count += 1
                return count == meetsBefore
            }
        }
    }

    @TaskLocal static var passage: Passage?

    package let base: any Store

    package init(_ base: any Store) {
        self.base = base
    }

    package func aroundWrite<T: Sendable>(_ pass: () async throws -> T) async throws -> T {
        if let passage = Self.passage, passage.reachesMeeting() { await passage.meeting.arriveAndWait() }
        return try await pass()
    }
}

/// Where racers wait for each other.
package actor Meeting {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(of count: Int) {
        missing = count
    }

    package func arrive() {
        missing -= 1
        guard missing <= 0 else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    package func arriveAndWait() async {
        arrive()
        guard missing > 0 else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}

/// Does the same thing many times at once; the racers meet before their `write`th write. An answer makes two, one that
/// charges and one that settles; one that is judged at once makes one.
package func race<T: Sendable>(
    _ count: Int, meetingBefore write: Int = 2, _ body: @escaping @Sendable (Int) async throws -> T
) async throws -> [T] {
    let meeting = Meeting(of: count)
    return try await withThrowingTaskGroup(of: T.self) { group in
        for index in 0..<count {
            group.addTask {
                let result = await RaceStore.$passage.withValue(RaceStore.Passage(meeting, before: write)) {
                    await Result<T, any Error>(catching: body, index)
                }
                await meeting.arrive()
                return try result.get()
            }
        }
        var results: [T] = []
        for try await result in group { results.append(result) }
        return results
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: @Sendable (Int) async throws -> Success, _ index: Int) async {
        do {
            self = .success(try await body(index))
        } catch {
            self = .failure(error)
        }
    }
}
