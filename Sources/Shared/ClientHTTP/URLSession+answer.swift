import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSession {
    /// What `data(for:)` does, for sessions whose delegate is not ours.
    ///
    /// On Linux that one waits without end where its task is cancelled in the moment in which the connection fails: the thread that cancels
    /// holds the task's lock and waits for the session's own queue, and that queue waits for the lock to resume the task. Here the delegate
    /// queue brings the answer, for which no other queue waits (docs/decisions/0450).
    /// - Throws: `URLError`, or `CancellationError` where the task was cancelled.
    package func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
        let outcome = FirstOutcome<(Data, URLResponse)>()
        let task = dataTask(with: request) { data, response, error in
            if let response, error == nil {
                outcome.finish(.success((data ?? Data(), response)))
            } else {
                outcome.finish(.failure(error ?? URLError(.badServerResponse)))
            }
        }
        return try await withTaskCancellationHandler {
            try await outcome.value(afterStarting: { task.resume() })
        } onCancel: {
            outcome.finish(.failure(CancellationError()))
            // In turn with what tells of the task's end: Foundation stops the process on Linux where a task is cancelled between the two.
            delegateQueue.addOperation { task.cancel() }
        }
    }
}
