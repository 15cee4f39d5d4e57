import CountersignCore
import ServerHTTP

/// Why applications were not taken for who they say, for the lines of the server's log: by the answer they all look alike.
///
/// Only so many are said: a client without credentials must not fill the log. Wrong secrets and assertions are events, too
/// (`client.refused`), with the application and what was wrong.
package final class ClientRefusals: Sendable {
    private let pace = WarningPace(most: WarningPace.mostOfTheirOwn)

    package init() {}

    /// What there is to say of one, with how many were left out before it.
    /// - Returns: nil where enough was said for now.
    package func line(
        _ refusal: ClientAuthenticationRefusal, at now: ContinuousClock.Instant
    ) -> (reason: String, leftOut: Int)? {
        guard let reason = Self.reason(refusal), let leftOut = pace.leftOut(at: now) else { return nil }
        return (reason, leftOut)
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
