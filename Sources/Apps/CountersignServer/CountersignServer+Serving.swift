import Foundation
import ServiceLifecycle

extension CountersignServer {
    /// Serves for as long as the body runs: for demonstrations and tests, which want a real server in their own process.
    ///
    /// The server is stopped, and everything under way finished, before this returns or throws.
    /// - Parameter body: given the address, for instance `http://127.0.0.1:49152`.
    public func serving<T: Sendable>(_ body: @escaping @Sendable (URL) async throws -> T) async throws -> T {
        let (addresses, announce) = AsyncStream<String>.makeStream()
        let handedOn = try await openSocket()
        defer { handedOn?.end() }
        let application = try application(on: handedOn) { address in
            announce.yield(address)
            announce.finish()
        }
        let group = application.group()
        return try await withThrowingTaskGroup(of: Result<T, any Error>?.self) { tasks in
            tasks.addTask {
                defer { announce.finish() }
                try await group.run()
                return nil
            }
            tasks.addTask {
                var listening: URL?
                for await address in addresses { listening = URL(string: address) }
                // Where it did not start, the other task tells why.
                guard let listening else { return nil }
                let result: Result<T, any Error>
                do {
                    result = .success(try await body(listening))
                } catch {
                    result = .failure(error)
                }
                await group.triggerGracefulShutdown()
                return result
            }
            var outcome: Result<T, any Error>?
            while let next = try await tasks.next() { outcome = next ?? outcome }
            guard let outcome else { throw CancellationError() }
            return try outcome.get()
        }
    }
}
