import Dispatch

/// Runs what blocks – opening, closing, copying a database – on a thread of its own, never on one of those that serve
/// every task of the process.
func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "countersign.sqlite.blocking").async {
            continuation.resume(with: Result(catching: work))
        }
    }
}
