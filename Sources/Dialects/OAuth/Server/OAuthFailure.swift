import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import OAuthWire
import ServerHTTP

/// What endpoints answer when they refuse (RFC 6749, section 5.2). The only place where this dialect's error words are put together.
struct OAuthFailure: Error, Sendable {
    let status: HTTPResponse.Status
    let error: String
    let description: String
    var headers: HTTPFields = [:]

    init(
        _ error: String, _ description: String, status: HTTPResponse.Status = .badRequest, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.error = error
        self.description = description
        self.headers = headers
    }

    static func invalidRequest(_ description: String) -> OAuthFailure { OAuthFailure("invalid_request", description) }
    static func invalidScope(_ description: String) -> OAuthFailure { OAuthFailure("invalid_scope", description) }
    static func invalidTarget(_ description: String) -> OAuthFailure { OAuthFailure("invalid_target", description) }
    /// One text for all causes: which one it was would tell a client with a stolen code what is missing.
    static let invalidGrant = OAuthFailure(
        "invalid_grant", "The code or token is unknown, expired, used before, or not this request's.")
    static let unauthorizedClient = OAuthFailure("unauthorized_client", "The application may not use this grant type.")
    static let unsupportedGrant = OAuthFailure("unsupported_grant_type", "There is no such grant type.")
    static let pending = OAuthFailure("authorization_pending", "The user has not decided yet.")
    static let slowDown = OAuthFailure("slow_down", "Wait longer between two questions.")
    static let denied = OAuthFailure("access_denied", "The user or the server said no.")
    static let expired = OAuthFailure("expired_token", "The code has expired. Begin again.")

    static func invalidProof(_ fault: PossessionProof.Fault, nonce: String) -> OAuthFailure {
        OAuthFailure(
            fault == .nonce ? "use_dpop_nonce" : "invalid_dpop_proof", fault.rawValue, headers: [.dpopNonce: nonce])
    }

    /// With the challenge that 401 has (RFC 9110, section 15.5.2; RFC 6749, section 5.2). A page's script that sent no `Authorization` gets
    /// none: where page and server share an origin, its browser would ask the user for a name and a password.
    static func invalidClient(to request: Request) -> OAuthFailure {
        let isScript = request.headers[.secFetchMode] != nil && request.headers[.authorization] == nil
        return OAuthFailure(
            "invalid_client", "There is no such application, or its credentials are wrong.", status: .unauthorized,
            headers: isScript ? [:] : [.wwwAuthenticate: "Basic realm=\"countersign\""])
    }

    static func limited(until instant: Date, at now: Date) -> OAuthFailure {
        OAuthFailure(
            "temporarily_unavailable", "Too many requests. Wait a while.", status: .tooManyRequests,
            headers: .retryAfter(Int(instant.timeIntervalSince(now).rounded(.up))))
    }

    func response() throws -> Response {
        try .json(ErrorResponse(error: error, errorDescription: description), status: status, headers: headers)
    }
}

extension TokenChallenge {
    /// The challenge with this protocol's body.
    func response() throws -> Response {
        // The challenge names no error where there were no credentials (RFC 6750, section 3.1); the body tells developers.
        let body = ErrorResponse(
            error: error ?? "unauthorized",
            errorDescription: description ?? error ?? "Send an access token in the Authorization header.")
        return try .json(body, status: status, headers: headers)
    }
}

extension HTTPField.Name {
    /// What a browser adds to each request of its own (Fetch Metadata Request Headers, section 2.2).
    fileprivate static let secFetchMode = known("Sec-Fetch-Mode")
}
