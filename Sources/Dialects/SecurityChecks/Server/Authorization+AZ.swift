import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

extension SecurityChecks {
    /// `GET az/v1/authorization`: a code for what all checks grant now (RFC 6749, section 4.1).
    func authorize(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        guard let id = call.query["client_id"], !id.isEmpty else {
            throw SecurityChecksError.invalidOAuthRequest("client_id is missing.")
        }
        let client = RegisteredClientID(rawValue: id)
        let redirectURI = call.query["redirect_uri"]
        let scope = Scope(call.query["scope"] ?? "").elements
        guard let reply = try await grants.reply(to: client, scope: scope, redirectURI: redirectURI ?? "") else {
            throw SecurityChecksError.unknownOAuthClient
        }
        // Nothing is sent to an unknown address, not even an error.
        guard let redirectURI, Self.isKnown(redirectURI, of: reply) else {
            throw SecurityChecksError.invalidOAuthRequest("redirect_uri is not one of this client's.")
        }
        guard call.query["response_type"] == "code" else {
            return try redirect(to: redirectURI, error: .unsupportedResponseType, call)
        }
        switch reply.code {
        case .granted(let code):
            guard grants.limitOfCodes(of: client) == nil else {
                return try redirect(to: redirectURI, error: .temporarilyUnavailable, call)
            }
            return try redirect(to: redirectURI, code: code, call)
        case .refused(.unknownClient): throw SecurityChecksError.unknownOAuthClient
        case .refused(.limited): return try redirect(to: redirectURI, error: .temporarilyUnavailable, call)
        case .refused: return try redirect(to: redirectURI, error: .accessDenied, call)
        case .unknownScope: return try redirect(to: redirectURI, error: .invalidScope, call)
        case .notGranted: return try redirect(to: redirectURI, error: .accessDenied, call)
        }
    }

    /// The addresses that the originals use, and those that the application was registered with.
    private static func isKnown(_ uri: String, of reply: CheckGrants.CodeReply) -> Bool {
        if ["http", "https"].contains(where: { uri == Endpoint.nativeRedirectURI(scheme: $0) }) { return true }
        if uri == Endpoint.webRedirectURI(reply.client.id.rawValue) { return true }
        return reply.redirectURIs.contains(uri)
    }

    private func redirect(
        to uri: String, code: String? = nil, error: OAuthErrorWord? = nil, _ call: SecurityChecksCall
    ) throws -> Response {
        let items = [("code", code), ("error", error?.rawValue), ("state", call.query["state"])].compactMap {
            name, value in
            value.map { "\(name)=\($0.percentEncoded)" }
        }
        return Response(
            status: .found,
            headers: [
                .location: uri + (uri.contains("?") ? "&" : "?") + items.joined(separator: "&"),
                .cacheControl: "no-store",
            ])
    }

    /// `GET az/v1/authorization/redirect/{clientId}`: where a web client has its codes sent, as JSON.
    func showRedirect(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        try .json(
            AuthorizationResponse(
                code: call.query["code"], error: call.query["error"].map { OAuthErrorWord(rawValue: $0) },
                state: call.query["state"]))
    }
}
