import Testing

@testable import PasswordHashing

@Suite struct HashingQueueTests {
    @Test func `Jobs are taken in the order of their admission`() {
        var queue = HashingQueue<String>(threads: 1, limit: 3)
        #expect(queue.admit("a") == .admitted(1))
        #expect(queue.admit("b") == .admitted(2))
        #expect(queue.take() == "a")
        #expect(queue.take() == "b")
        #expect(queue.take() == nil)
    }

    @Test func `Running jobs count against the limit until they are finished`() {
        var queue = HashingQueue<String>(threads: 2, limit: 2)
        _ = queue.admit("a")
        _ = queue.admit("b")
        _ = queue.take()
        #expect(queue.admit("c") == .refused(retryAfter: 1))
        queue.finished(after: 0.1)
        #expect(queue.admit("c") == .admitted(3))
    }

    @Test(arguments: [
        (seconds: 0.001, threads: 1, before: 10, expected: 1),
        (seconds: 2.0, threads: 1, before: 10, expected: 20),
        (seconds: 2.0, threads: 4, before: 10, expected: 5),
        (seconds: 90.0, threads: 1, before: 10, expected: 60),
    ])
    func `The wait is estimated from the queue and from what hashes took lately`(
        seconds: Double, threads: Int, before: Int, expected: Int
    ) {
        var queue = HashingQueue<Int>(threads: threads, limit: before)
        for number in 0..<200 {
            _ = queue.admit(number)
            _ = queue.take()
            queue.finished(after: seconds)
        }
        for number in 0..<before { _ = queue.admit(number) }
        #expect(queue.admit(0) == .refused(retryAfter: expected))
    }

    @Test func `No request is admitted to a wait longer than clients have`() {
        var queue = HashingQueue<Int>(threads: 2, limit: 1000, longestWait: 3, seconds: 1)
        // Where a thread is free there is no wait, whatever a hash takes.
        for number in 0..<7 { #expect(queue.admit(number) == .admitted(number + 1)) }
        #expect(queue.admit(7) == .refused(retryAfter: 4))
        _ = queue.take()
        queue.finished(after: 1)
        #expect(queue.admit(7) == .admitted(8))
    }

    @Test func `A job that waits can be withdrawn and one that runs cannot`() {
        var queue = HashingQueue<String>(threads: 1, limit: 3)
        _ = queue.admit("a")
        _ = queue.admit("b")
        _ = queue.take()
        #expect(queue.withdraw(1) == nil)
        #expect(queue.withdraw(2) == "b")
        #expect(queue.withdraw(2) == nil)
        #expect(queue.take() == nil)
    }

    @Test func `A closed queue admits nothing but finishes what it admitted`() {
        var queue = HashingQueue<String>(threads: 1, limit: 3)
        _ = queue.admit("a")
        queue.close()
        #expect(queue.admit("b") == .closed)
        #expect(!queue.isFinished)
        #expect(queue.take() == "a")
        #expect(queue.isFinished)
    }
}
