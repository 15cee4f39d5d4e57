import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// Applications that register themselves (RFC 7591), and change what they registered (RFC 7592). Off unless an administrator switches it
/// on: then there is no such endpoint.
extension OAuth {
    /// Bytes that a registration's body has at most: ten keys, thirty addresses and their names.
    static let longestMetadata = 65_536

    /// `POST /oidc/register`.
    func register(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let (metadata, token) = (try await metadata(of: request), try bearer(of: request))
        let outcome = try await realm.registrations.register(
            metadata ?? .null, token: token, by: registering(context))
        switch outcome {
        case .success(let registered): return try await answer(registered, status: .created)
        case .failure(let refusal): throw failure(refusal, isReadable: metadata != nil, showed: token)
        }
    }

    /// `GET /oidc/register/{id}`.
    func showRegistration(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let token = try bearer(of: request)
        switch try await realm.registrations.show(clientID(context), token: token) {
        case .success(let application):
            return try await answer(application, accessToken: token)
        case .failure(let refusal): throw failure(refusal, showed: token)
        }
    }

    /// `PUT /oidc/register/{id}`.
    func changeRegistration(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let (metadata, token, id) = (try await metadata(of: request), try bearer(of: request), clientID(context))
        let outcome = try await realm.registrations.change(
            id, metadata ?? .null, token: token, by: registering(context, id))
        switch outcome {
        case .success(let registered): return try await answer(registered)
        case .failure(let refusal): throw failure(refusal, isReadable: metadata != nil, showed: token)
        }
    }

    /// `DELETE /oidc/register/{id}`.
    func removeRegistration(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let (token, id) = (try bearer(of: request), clientID(context))
        switch try await realm.registrations.remove(id, token: token, by: registering(context, id)) {
        case .success: return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        case .failure(let refusal): throw failure(refusal, showed: token)
        }
    }

    // MARK: Requests

    /// The members of the body; nil where it is no JSON. That is said once the request is known to be allowed.
    private func metadata(of request: Request) async throws -> JSONValue? {
        let body = try await request.bodyBytes(limit: Self.longestMetadata)
        let type = request.headers[.contentType]?.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        guard type.map({ String(decoding: $0, as: UTF8.self).lowercased() }) == "application/json" else { return nil }
        return try? JSONParser.parse(body)
    }

    /// - Throws: `TokenChallenge` where there are several tokens.
    private func bearer(of request: Request) throws -> Secret<String>? {
        switch OwnResource.presented(by: request) {
        case .success(let presented): presented.isBound ? nil : Secret(presented.text)
        case .failure(let challenge) where challenge.error != nil: throw challenge
        case .failure: nil
        }
    }

    private func clientID(_ context: CountersignRequestContext) -> ClientID {
        ClientID(rawValue: context.parameters.get("id") ?? "")
    }

    private func registering(_ context: CountersignRequestContext, _ id: ClientID? = nil) -> ClientContext {
        context.client(id ?? ClientID(rawValue: "oauth"), of: .oauth)
    }

    // MARK: Answers

    private func answer(
        _ registered: Registrations.Registered, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        try await answer(
            registered.application, secret: registered.secret, accessToken: registered.accessToken, status: status)
    }

    private func answer(
        _ application: CountersignCore.Application, secret: Secret<String>? = nil, accessToken: Secret<String>?,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let id = application.id.rawValue
        var members = ClientMetadata.document(of: application, tokens: try await realm.keyring.settings())
        if let secret {
            members["client_secret"] = .string(secret.reveal())
            // It does not run out (RFC 7591, section 3.2.1).
            members["client_secret_expires_at"] = .integer(0)
        }
        members["registration_access_token"] = accessToken.map { .string($0.reveal()) }
        members["registration_client_uri"] = .string("\(base)\(Path.register)/\(id)")
        return try .json(JSONValue.object(members), status: status)
    }

    private func failure(
        _ refusal: Registrations.Refusal, isReadable: Bool = true, showed token: Secret<String>?
    ) -> OAuthFailure {
        switch refusal {
        case .off: .noEndpoint
        // RFC 6750, section 3.1: no error where there were no credentials.
        case .tokenMissing, .tokenRefused:
            token == nil
                ? OAuthFailure(
                    "invalid_token", "Show the token that an administrator made for this.", status: .unauthorized,
                    headers: [.wwwAuthenticate: "Bearer realm=\"countersign\""])
                : OAuthFailure(
                    "invalid_token", "The token is unknown, over, used up, or not of this application.",
                    status: .unauthorized,
                    headers: [.wwwAuthenticate: "Bearer realm=\"countersign\", error=\"invalid_token\""])
        case .limited(let until): .limited(until: until, at: realm.clock.now)
        case .full:
            OAuthFailure(
                "temporarily_unavailable", "No more applications can register here.", status: .serviceUnavailable)
        case .metadata where !isReadable:
            OAuthFailure("invalid_client_metadata", "The body has to be a JSON object, as application/json.")
        case .metadata(.redirectURI(let sentence)): OAuthFailure("invalid_redirect_uri", sentence)
        case .metadata(.metadata(let sentence)): OAuthFailure("invalid_client_metadata", sentence)
        }
    }
}
