import CountersignCore
import Synchronization
import Testing

@testable import Delivery

@Suite("Looking up names")
struct NameLookupTests {
    @Test(.timeLimit(.minutes(20)))
    func `A look-up that the system starts no thread for fails at once, and is no longer under way`() async throws {
        let left = Mutex(NameLookup.limit)
        let lookup = NameLookup { name, body throws(OwnThread.Shortage) in
            let isRefused = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if isRefused { throw OwnThread.Shortage() }
            try OwnThread.start(name, body)
        }
        for _ in 0..<NameLookup.limit {
            await #expect(throws: NameLookup.Failure.self) { try await lookup.addresses(of: "127.0.0.1") }
        }
        #expect(try await lookup.addresses(of: "127.0.0.1").count == 1)
    }
}
