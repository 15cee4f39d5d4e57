import CountersignCore
import Dispatch
import Foundation
import Synchronization

/// Threads that speak with the mail server, each with a session of its own: libcurl blocks, and nothing else may.
final class SMTPThreads: Sendable {
    typealias Job = @Sendable (SMTPSession?) -> Void

    private struct State {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let count: Int

    /// - Throws: ``OwnThread/Shortage``; those that were started end.
    init(count: Int, server: SMTPServer) throws(OwnThread.Shortage) {
        self.count = count
        do {
            for number in 1...count { try OwnThread.start("smtp-\(number)") { self.work(server) } }
        } catch {
            close()
            throw error
        }
    }

    /// Runs the body on one of the threads; it gets nil where libcurl could not be set up. After ``close()`` nil is
    /// answered. Callers are as many as threads at most, so the queue does not grow.
    func run<T: Sendable>(_ body: @escaping @Sendable (SMTPSession?) -> T) async -> T? {
        await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                if state.isClosed { return false }
                state.jobs.append { continuation.resume(returning: body($0)) }
                return true
            }
            if isTaken { wake.signal() } else { continuation.resume(returning: nil) }
        }
    }

    /// What was taken is done, then the threads end.
    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { for _ in 0..<count { wake.signal() } }
    }

    private func work(_ server: SMTPServer) {
        var session: SMTPSession?
        while true {
            wake.wait()
            let (job, isClosed) = state.withLock { ($0.jobs.isEmpty ? nil : $0.jobs.removeFirst(), $0.isClosed) }
            if let job {
                session = session ?? SMTPSession(server)
                job(session)
            } else if isClosed {
                return
            }
        }
    }
}
