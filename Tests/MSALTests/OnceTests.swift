import ClientHTTP
import Testing

@Suite struct OnceTests {
    @Test func `What happens once happens once, for all callers`() async {
        let once = Once()
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<50 { tasks.addTask { once.run { count.withLock { $0 += 1 } } } }
        }
        #expect(count.current == 1)
        once.run { Issue.record("never again") }
    }
}
