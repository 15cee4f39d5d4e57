import CountersignCore
import Foundation
import Testing

/// Threads, and those that the system does not start.
@Suite struct OwnThreadTests {
    @Test func `A thread runs what it was started for, with the stack that it was given`() async throws {
        let (ends, ended) = AsyncStream<Int>.makeStream()
        try OwnThread.start("a name of more than fifteen bytes", stackSize: 4 << 20) {
            ended.yield(withUnsafeTemporaryAllocation(byteCount: 3 << 20, alignment: 8) { $0.count })
            ended.finish()
        }
        #expect(await ends.first { _ in true } == 3 << 20)
    }

    @Test func `A thread that the system does not start is an error that says what to do`() throws {
        // No machine has so large a stack.
        let shortage = #expect(throws: OwnThread.Shortage.self) {
            try OwnThread.start("too large", stackSize: 1 << 60) { Issue.record("It was started.") }
        }
        #expect(shortage?.description.contains("TasksMax=") == true)
    }
}
