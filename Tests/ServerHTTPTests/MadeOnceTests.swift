import ServerHTTP
import Synchronization
import Testing

/// What pages share is made once, although the router and the senders ask for it apart.
@Suite struct MadeOnceTests {
    private struct Fault: Error {}

    @Test
    func `A value is made when it is first asked for, and once`() throws {
        let made = Atomic(0)
        let value = MadeOnce { made.add(1, ordering: .relaxed).newValue }
        #expect(made.load(ordering: .relaxed) == 0)
        #expect(try value.get() == 1)
        #expect(try value.get() == 1)
        #expect(made.load(ordering: .relaxed) == 1)
    }

    @Test
    func `What could not be made is made by the next that asks`() throws {
        let tries = Atomic(0)
        let value = MadeOnce<Int> {
            let count = tries.add(1, ordering: .relaxed).newValue
            if count == 1 { throw Fault() }
            return count
        }
        #expect(throws: Fault.self) { try value.get() }
        #expect(try value.get() == 2)
    }
}
