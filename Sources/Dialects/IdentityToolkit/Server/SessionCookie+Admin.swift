import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// Seconds that a session cookie may live: five minutes to fourteen days.
    static let cookieLifetimes: ClosedRange<Int64> = 300...Int64(Keyring.longestToken)

    /// `projects/{p}:createSessionCookie`: an ID token in exchange for one that a web site may keep for days (Firebase
    /// documentation, "Manage Session Cookies").
    func createSessionCookie(
        _ request: CreateSessionCookieRequest, _ call: Call
    ) async throws -> CreateSessionCookieResponse {
        let lifetime = request.validDuration?.value ?? Self.cookieLifetimes.upperBound
        guard Self.cookieLifetimes.contains(lifetime) else { throw IdentityToolkitError(.invalidDuration) }
        let bearer = try await tokens(call).bearer(request.idToken, missing: .missingIDToken)
        return CreateSessionCookieResponse(
            sessionCookie: try await tokens(call).sessionCookie(for: bearer, lifetime: lifetime))
    }
}
