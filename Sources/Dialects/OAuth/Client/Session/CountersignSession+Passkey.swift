import ClientHTTP
import Foundation
import JSON
import OAuthWire
import SignedTokens

/// Passkeys without a page, for programs that have an authenticator of their own. Servers have it that speak Auth0's "Native passkeys", this
/// project's among them; the application has to be the operator's own.
extension CountersignSession {
    /// The scope that ``addPasskey(name:_:)`` needs.
    public static let passkeyScope = "create:me:authentication_methods"

    /// Signs a user in by a passkey, in place of the user of before.
    /// - Parameter answer: makes `AuthenticationResponseJSON` of `PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3, section 5.1).
    /// - Throws: ``ClientFailure``, and what `answer` throws.
    @discardableResult
    public func signIn(byPasskey answer: @Sendable (_ options: Data) async throws -> Data) async throws -> SignedInUser?
    {
        let metadata = try await metadata()
        let key = application.bindsTokens ? PossessionKey() : nil
        let begun = try await endpoints.answer(
            JSONValue.self, [(name: "client_id", value: application.clientID)], to: try url("/passkey/challenge"),
            key: nil)
        let (session, options) = try Self.parts(of: begun)
        let response = try await answer(options)
        var fields = [
            (name: "grant_type", value: "urn:okta:params:oauth:grant-type:webauthn"),
            ("client_id", application.clientID), ("auth_session", session),
            ("authn_response", String(decoding: response, as: UTF8.self)),
            ("scope", application.scopes.joined(separator: " ")),
        ]
        if let resource = application.resources.first { fields.append(("resource", resource)) }
        let tokens = try await endpoints.answer(TokenResponse.self, fields, to: metadata.tokenEndpoint, key: key)
        return try await keep(tokens, key, .init(accessToken: tokens.accessToken))
    }

    /// Adds a passkey to the account of the user who is signed in, just now and with all factors.
    /// - Parameter make: makes `RegistrationResponseJSON` of `PublicKeyCredentialCreationOptionsJSON`.
    /// - Throws: ``ClientFailure``, and what `make` throws. What was made counts nowhere then.
    public func addPasskey(
        name: String, _ make: @Sendable (_ options: Data) async throws -> Data
    ) async throws {
        let path = "/me/v1/authentication-methods"
        let begun = try await post(["type": "passkey"], to: path)
        let (session, options) = try Self.parts(of: begun.body)
        guard let id = begun.location?.split(separator: "/").last else {
            throw ClientFailure.untrusted("The server does not say what it makes.")
        }
        let response = try await make(options)
        guard let credential = try? JSONParser.parse(Array(response)) else {
            throw ClientFailure(.unsupported, "The authenticator's answer is not JSON.")
        }
        _ = try await post(
            ["auth_session": .string(session), "authn_response": credential, "name": .string(name)],
            to: "\(path)/\(id)/verify")
    }

    private func post(
        _ body: [String: JSONValue], to path: String
    ) async throws -> (body: JSONValue, location: String?) {
        let data = Data(try JSONValue.object(body).jsonText())
        let reply = try await send(
            "POST", url(path), headers: ["Content-Type": "application/json", "Accept": "application/json"], body: data)
        let value = (try? JSONParser.parse(Array(reply.body))) ?? .null
        guard (200..<300).contains(reply.status) else {
            // RFC 9457 where the endpoint refuses, and RFC 6750 where the token does.
            throw ClientFailure.refused(
                value["error"]?.stringValue ?? value["title"]?.stringValue ?? "\(reply.status)",
                value["detail"]?.stringValue ?? value["error_description"]?.stringValue)
        }
        return (value, reply.headers.first { $0.key.lowercased() == "location" }?.value)
    }

    private func url(_ path: String) throws -> URL {
        let issuer = application.issuer
        guard let url = URL(string: (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + path) else {
            throw ClientFailure(.unsupported, "\(issuer) is no issuer: an https URL without query and fragment.")
        }
        return url
    }

    private static func parts(of begun: JSONValue) throws -> (session: String, options: Data) {
        guard let session = begun["auth_session"]?.stringValue, let options = begun["authn_params_public_key"] else {
            throw ClientFailure.untrusted("The server's answer is not what its specification says.")
        }
        return (session, Data(try options.jsonText()))
    }
}
