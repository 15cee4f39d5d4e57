import CountersignCore
import Foundation
import Synchronization

/// What a developer's code did not do in time.
struct TookTooLong: Error {}

/// Runs a developer's code, and waits for it no longer than that many seconds of the machine's.
///
/// Code that does not notice that it is cancelled goes on by itself, and its result is dropped.
func withTimeLimit<T: Sendable>(
    _ seconds: TimeInterval, _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    let once = Once<T>()
    let work = Task {
        do {
            once.resume(.success(try await body()))
        } catch {
            once.resume(.failure(error))
        }
    }
    let timer = Task {
        guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
        once.resume(.failure(TookTooLong()))
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { once.wait(for: $0) }
    } onCancel: {
        once.resume(.failure(CancellationError()))
    }
}

/// A result for one waiting caller; the first counts.
private final class Once<T: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<T, any Error>)
        case result(Result<T, any Error>)
        case done
    }

    private let state = Mutex(State.empty)

    func wait(for continuation: CheckedContinuation<T, any Error>) {
        let result: Result<T, any Error>? = state.withLock { state in
            if case .result(let result) = state {
                state = .done
                return result
            }
            state = .waiting(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    func resume(_ result: Result<T, any Error>) {
        let continuation: CheckedContinuation<T, any Error>? = state.withLock { state in
            switch state {
            case .empty:
                state = .result(result)
                return nil
            case .waiting(let continuation):
                state = .done
                return continuation
            case .result, .done: return nil
            }
        }
        continuation?.resume(with: result)
    }
}

/// Permits that limit how many answers the developers' checks judge at once. Code that never returns keeps its permit.
final class ConcurrencyPermits: Sendable {
    static let count = 512
    private let taken = Mutex(0)

    /// - Throws: ``StoreError`` of code `overloaded` where all are taken.
    func take() throws {
        let isFree = taken.withLock { taken in
            guard taken < Self.count else { return false }
            taken += 1
            return true
        }
        guard isFree else {
            throw StoreError(.overloaded, "Security checks are judging \(Self.count) answers already.")
        }
    }

    func leave() { taken.withLock { $0 -= 1 } }
}
