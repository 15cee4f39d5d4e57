import ClientHTTP
import Foundation
import SecurityChecksWire

/// Tells the server now and then that the app is there, once it is registered. Source: MobileFirst's web SDK.
final class Heartbeat: Sendable {
    private struct State {
        var seconds = ProtocolLimits.heartbeatSeconds
        var task: Task<Void, Never>?
    }

    private let state = Locked(State())

    /// - Parameter seconds: between two beats; none where it is not above 0.
    func setInterval(_ seconds: Int, for session: SecuritySession) {
        let wasBeating = state.withLock { state in
            state.seconds = seconds
            defer { state.task = nil }
            state.task?.cancel()
            return state.task != nil
        }
        if wasBeating { begin(for: session) }
    }

    /// Begins where it has not. Ends with the session.
    func begin(for session: SecuritySession) {
        state.withLock { [weak session] state in
            let seconds = state.seconds
            guard state.task == nil, seconds > 0 else { return }
            state.task = Task { [weak session] in
                while !Task.isCancelled {
                    do { try await Task.sleep(nanoseconds: UInt64(seconds) * 1_000_000_000) } catch { return }
                    guard let session else { return }
                    try? await session.connection().beat()
                }
            }
        }
    }
}
