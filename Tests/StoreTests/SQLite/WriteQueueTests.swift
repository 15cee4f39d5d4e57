import CountersignCore
import Testing

@testable import StoreSQLite

@Suite("The queue of waiting writes")
struct WriteQueueTests {
    @Test
    func `The first write wakes the writer; the others wait until it comes to them`() {
        let events = play { queue in
            [
                queue.add(1), queue.add(2), queue.takeGroup(), queue.add(3), queue.finishGroup(), queue.takeGroup(),
                queue.finishGroup(), queue.add(4),
            ]
        }
        #expect(events == ["wake", "waits", "[1, 2]", "waits", "true", "[3]", "false", "wake"])
    }

    @Test
    func `A group takes writes in the order of arrival, and no more than fit into one`() {
        let events = play { queue in
            for number in 1...4 { _ = queue.add(number) }
            return [
                queue.takeGroup(), queue.finishGroup(), queue.takeGroup(), queue.finishGroup(), queue.takeGroup(),
            ]
        }
        #expect(events == ["[1, 2, 3]", "true", "[4]", "false", "[]"])
    }

    @Test
    func `A write too many is refused as overloaded, until a group has been taken`() {
        let events = play { queue in
            for number in 1...4 { _ = queue.add(number) }
            return [queue.add(5), queue.waiting, queue.takeGroup(), queue.add(6)]
        }
        #expect(events == ["overloaded", "[1, 2, 3, 4]", "[1, 2, 3]", "waits"])
    }

    @Test
    func `Closing lets one more write in, even into a full queue, and none after it`() {
        let events = play { queue in
            for number in 1...4 { _ = queue.add(number) }
            return [queue.close(with: 5), queue.add(6), queue.close(with: 7), queue.waiting]
        }
        #expect(events == ["waits", "unavailable", "nil", "[1, 2, 3, 4, 5]"])
    }

    @Test
    func `Closing an idle queue wakes the writer`() {
        #expect(play { [$0.close(with: 1), $0.takeGroup()] } == ["wake", "[1]"])
    }

    /// What a queue with room for four, and groups of three, answers.
    private func play(_ steps: (inout WriteQueue<Int>) -> [Any?]) -> [String] {
        var queue = WriteQueue<Int>(capacity: 4, groupSize: 3)
        return steps(&queue).map { answer in
            switch answer {
            case .some(let admission as WriteQueue<Int>.Admission): name(admission)
            case .some(let other): "\(other)"
            case .none: "nil"
            }
        }
    }

    private func name(_ admission: WriteQueue<Int>.Admission) -> String {
        switch admission {
        case .wakeWriter: "wake"
        case .waits: "waits"
        case .refused(let error): error.code == .overloaded ? "overloaded" : "unavailable"
        }
    }
}
