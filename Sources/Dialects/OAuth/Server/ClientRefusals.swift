import CountersignCore
import Foundation
import Synchronization

/// Why applications were not taken for who they say, for the lines of the server's log: by the answer they all look alike.
///
/// Only so many are said: a client without credentials must not fill the log. Wrong secrets and assertions are events, too
/// (`client.refused`), with the application and what was wrong.
package final class ClientRefusals: Sendable {
    /// Lines in ``window`` seconds.
    package static let most = 30
    package static let window: TimeInterval = 60

    private struct State {
        var beginning = Date.distantPast
        var said = 0
        var leftOut = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// What there is to say of one, with how many were left out before it.
    /// - Returns: nil where enough was said for now.
    package func line(_ refusal: ClientAuthenticationRefusal, at now: Date) -> (reason: String, leftOut: Int)? {
        guard let reason = Self.reason(refusal) else { return nil }
        return state.withLock { state in
            // A clock that was put back begins anew.
            if now < state.beginning || now >= state.beginning + Self.window {
                (state.beginning, state.said) = (now, 0)
            }
            guard state.said < Self.most else {
                state.leftOut += 1
                return nil
            }
            state.said += 1
            defer { state.leftOut = 0 }
            return (reason, state.leftOut)
        }
    }

    private static func reason(_ refusal: ClientAuthenticationRefusal) -> String? {
        switch refusal {
        case .missing: "no application is named"
        case .malformed: "the credentials cannot be read, are of several methods, or name several applications"
        case .methodNotAdmitted: "the endpoint does not take this method"
        case .unknown: "there is no such application, or it is blocked"
        case .credentialsMissing: "the application has credentials and showed none"
        case .wrongCredentials: "the credentials are wrong: the audit log (client.refused) says how"
        // Is a limit, which has figures of its own.
        case .limited: nil
        }
    }
}
