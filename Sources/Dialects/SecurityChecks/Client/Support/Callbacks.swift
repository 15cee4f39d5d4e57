import Dispatch
import Foundation

/// Where an app's own code is called.
struct CallbackQueue: Sendable {
    let queue: DispatchQueue

    /// Of challenge handlers: the main queue on Apple's systems, where what they do is to show something; elsewhere a queue
    /// of their own, so that a program may block its main thread until its request is done.
    static let handlers: CallbackQueue = {
        #if canImport(Darwin)
            CallbackQueue(queue: .main)
        #else
            CallbackQueue(queue: DispatchQueue(label: "mobilefirst-handlers"))
        #endif
    }()

    /// Of completions, where the app names no queue.
    static let completions = CallbackQueue(
        queue: DispatchQueue(label: "mobilefirst-completions", attributes: .concurrent))

    init(queue: DispatchQueue) { self.queue = queue }

    /// Runs the body there, and waits until it has ended.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}

/// Runs the asynchronous form of a function for the sake of its completion form.
func complete<Value: Sendable>(
    on queue: DispatchQueue = CallbackQueue.completions.queue,
    _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void,
    with work: @escaping @Sendable () async throws -> Value
) {
    Task {
        do {
            let value = try await work()
            queue.async { completion(value, nil) }
        } catch {
            queue.async { completion(nil, error) }
        }
    }
}

func complete(
    _ completion: @escaping @Sendable ((any Error)?) -> Void, with work: @escaping @Sendable () async throws -> Void
) {
    complete({ (_: Bool?, error) in completion(error) }) {
        try await work()
        return true
    }
}
