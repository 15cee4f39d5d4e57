import Dispatch
import Testing

/// Runs tests that block (on a TPM, on other programs), or compute for long, on threads of their own.
///
/// The cooperative pool has as many threads as the machine has processors. Two such tests would take both of a small one, and all
/// tests that wait for something would get no turn for seconds.
package struct OnOwnThreads: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }
}

extension Trait where Self == OnOwnThreads {
    package static var onOwnThreads: Self { OnOwnThreads() }
}

private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    private let queue = DispatchQueue(label: "blocking tests", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
