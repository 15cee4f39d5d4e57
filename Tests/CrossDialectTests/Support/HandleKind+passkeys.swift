import CountersignCore
import DialectTestSupport
import Foundation
import PasskeyTestSupport
import Testing

/// Challenges for passkeys: each is the handle of its attempt.
extension HandleKind {
    static let passkeys = [
        HandleKind("challenge of a passkey's enrolment", at: ["/v2/accounts/passkeyEnrollment:finalize"]) { scene in
            let challenge = try await scene.passkeyCreation(scene.idTokens.bob)
            return try Handle(challenge, in: scene, idToken: scene.idTokens.bob) { text in
                var authenticator = SoftwareAuthenticator.ofScenes()
                return try await scene.enrolPasskey(&authenticator, challenge: text).status == 200
            }
        },
        HandleKind("challenge of a sign-in by passkey", at: ["/v2/accounts/passkeySignIn:finalize"]) { scene in
            var authenticator = SoftwareAuthenticator.ofScenes()
            let challenge = try await scene.passkeyCreation(scene.idTokens.bob)
            #expect(try await scene.enrolPasskey(&authenticator, challenge: challenge).status == 200)
            let owned = authenticator
            let begun = try await scene.json("/v2/accounts/passkeySignIn:start?key=\(scene.application.id)", [:])
            let text = Scene.urlText(begun.json["credentialRequestOptions"]["challenge"])
            return try Handle(text, in: scene) { text in
                let reply = try await scene.json(
                    "/v2/accounts/passkeySignIn:finalize?key=\(scene.application.id)",
                    ["authenticatorAuthenticationResponse": try owned.assertion(of: text)])
                return reply.json["idToken"].text != nil
            }
        },
        HandleKind("auth_session of a sign-up by passkey", at: ["/oauth/token webauthn sign-up"]) { scene in
            let begun = try await scene.json(
                "/passkey/register",
                ["client_id": "dev-native", "user_profile": ["email": "dora@example.org"]])
            let asked = try Scene.challenge(begun)
            return try Handle(begun.json["auth_session"].text, in: scene) { text in
                var authenticator = SoftwareAuthenticator.ofScenes()
                let user = try #require(begun.json["authn_params_public_key"]["user"]["id"].text)
                authenticator.userHandle = [UInt8](base64URL: user) ?? []
                return try await scene.webAuthnGrant(text, authenticator.registration(of: asked)).status == 200
            }
        },
        HandleKind("auth_session of a sign-in by passkey", at: ["/oauth/token webauthn"]) { scene in
            var authenticator = SoftwareAuthenticator.ofScenes()
            let challenge = try await scene.passkeyCreation(scene.idTokens.bob)
            #expect(try await scene.enrolPasskey(&authenticator, challenge: challenge).status == 200)
            let owned = authenticator
            let begun = try await scene.json("/passkey/challenge", ["client_id": "dev-native"])
            let asked = try Scene.challenge(begun)
            return try Handle(begun.json["auth_session"].text, in: scene) { text in
                try await scene.webAuthnGrant(text, owned.assertion(of: asked)).status == 200
            }
        },
        HandleKind("auth_session of a passkey for one's own account", at: [ownAccount]) { scene in
            var authenticator = SoftwareAuthenticator.ofScenes()
            let challenge = try await scene.passkeyCreation(scene.idTokens.bob)
            #expect(try await scene.enrolPasskey(&authenticator, challenge: challenge).status == 200)
            let begun = try await scene.json("/passkey/challenge", ["client_id": "dev-native"])
            let session = try #require(begun.json["auth_session"].text)
            let token = try await scene.accountToken(session, authenticator.assertion(of: Scene.challenge(begun)))
            let made = try await scene.json(
                "/me/v1/authentication-methods", ["type": "passkey"], scene.bearer(token))
            let asked = try Scene.challenge(made)
            return try Handle(made.json["auth_session"].text, in: scene) { text in
                var another = SoftwareAuthenticator.ofScenes()
                another.userHandle = Array(scene.bob.id.rawValue.utf8)
                return try await scene.verifyMethod(text, another.registration(of: asked), token).status == 200
            }
        },
    ]

    fileprivate static let ownAccount = "/me/v1/authentication-methods/{id}/verify"
}

extension HandleEndpoint {
    /// Each with a response of an authenticator of its own, to the challenge that the handle would be.
    static let passkeys = [
        HandleEndpoint("/v2/accounts/passkeyEnrollment:finalize") { scene, handle in
            var authenticator = SoftwareAuthenticator.ofScenes()
            return try await scene.json(
                "/v2/accounts/passkeyEnrollment:finalize?key=\(handle.application)",
                [
                    "idToken": .string(handle.idToken),
                    "authenticatorRegistrationResponse": try authenticator.registration(of: handle.text),
                ])
        },
        HandleEndpoint("/v2/accounts/passkeySignIn:finalize") { scene, handle in
            try await scene.json(
                "/v2/accounts/passkeySignIn:finalize?key=\(handle.application)",
                ["authenticatorAuthenticationResponse": try SoftwareAuthenticator.ofScenes().assertion(of: handle.text)]
            )
        },
        HandleEndpoint("/oauth/token webauthn") { scene, handle in
            try await scene.webAuthnGrant(handle.text, SoftwareAuthenticator.ofScenes().assertion(of: handle.text))
        },
        HandleEndpoint("/oauth/token webauthn sign-up") { scene, handle in
            var authenticator = SoftwareAuthenticator.ofScenes()
            return try await scene.webAuthnGrant(handle.text, authenticator.registration(of: handle.text))
        },
        HandleEndpoint(HandleKind.ownAccount) { scene, handle in
            // With the token of an account that none of the handles is of.
            var authenticator = SoftwareAuthenticator.ofScenes()
            let begun = try await scene.json(
                "/passkey/register",
                [
                    "client_id": "dev-native",
                    "user_profile": ["email": .string("\(UInt32.random(in: 0 ... .max))@example.org")],
                ])
            let session = try #require(begun.json["auth_session"].text, "\(begun.text)")
            authenticator.userHandle =
                [UInt8](base64URL: begun.json["authn_params_public_key"]["user"]["id"].text ?? "") ?? []
            let token = try await scene.accountToken(session, authenticator.registration(of: Scene.challenge(begun)))
            var another = SoftwareAuthenticator.ofScenes()
            return try await scene.verifyMethod(handle.text, another.registration(of: handle.text), token)
        },
    ]
}

extension SoftwareAuthenticator {
    fileprivate static func ofScenes() -> SoftwareAuthenticator {
        SoftwareAuthenticator(origin: "http://localhost:8080", userHandle: Array("nobody".utf8))
    }

    /// The challenge that a text is; of what is none, its own characters, so that the response is well formed.
    private static func challenge(_ text: String) -> JSON {
        .string([UInt8](base64URL: text) == nil ? Array(text.utf8).base64URL : text)
    }

    fileprivate mutating func registration(of text: String) throws -> JSON {
        let options: JSON = [
            "challenge": Self.challenge(text), "rp": ["id": "localhost"],
            "user": ["id": .string(userHandle.base64URL)],
            "pubKeyCredParams": [["type": "public-key", "alg": -7]],
        ]
        return try JSON(parsing: create(optionsJSON: Data(options.bytes)))
    }

    fileprivate func assertion(of text: String) throws -> JSON {
        var copy = self
        let options: JSON = ["challenge": Self.challenge(text), "rpId": "localhost"]
        return try JSON(parsing: copy.get(optionsJSON: Data(options.bytes)))
    }
}

extension Scene {
    /// Identity Toolkit writes the alphabet that older clients read.
    static func urlText(_ json: JSON) -> String? {
        json.text.flatMap { Data(base64Encoded: $0) }.map { Array($0).base64URL }
    }

    /// The challenge beside an `auth_session`.
    fileprivate static func challenge(_ begun: Reply) throws -> String {
        try #require(begun.json["authn_params_public_key"]["challenge"].text, "\(begun.text)")
    }

    /// The challenge of an enrolment that was begun.
    fileprivate func passkeyCreation(_ idToken: String) async throws -> String {
        let begun = try await json(
            "/v2/accounts/passkeyEnrollment:start?key=\(application.id)", ["idToken": .string(idToken)])
        return try #require(Self.urlText(begun.json["credentialCreationOptions"]["challenge"]), "\(begun.text)")
    }

    /// Makes Bob's passkey.
    fileprivate func enrolPasskey(_ authenticator: inout SoftwareAuthenticator, challenge: String) async throws -> Reply
    {
        authenticator.userHandle = Array(bob.id.rawValue.utf8)
        return try await json(
            "/v2/accounts/passkeyEnrollment:finalize?key=\(application.id)",
            [
                "idToken": .string(idTokens.bob),
                "authenticatorRegistrationResponse": try authenticator.registration(of: challenge),
            ])
    }

    fileprivate func webAuthnGrant(_ session: String, _ response: JSON, _ more: [String: JSON?] = [:]) async throws
        -> Reply
    {
        let grant: JSON = [
            "grant_type": "urn:okta:params:oauth:grant-type:webauthn", "client_id": "dev-native",
            "auth_session": .string(session), "authn_response": response,
        ]
        return try await json("/oauth/token", grant.with(more))
    }

    /// An access token for the account that a passkey signs in to, or makes.
    fileprivate func accountToken(_ session: String, _ response: JSON) async throws -> String {
        let reply = try await webAuthnGrant(
            session, response, ["scope": "openid create:me:authentication_methods"])
        return try #require(reply.json["access_token"].text, "\(reply.text)")
    }

    fileprivate func verifyMethod(_ session: String, _ response: JSON, _ token: String) async throws -> Reply {
        try await json(
            "/me/v1/authentication-methods/passkey_new/verify",
            ["auth_session": .string(session), "authn_response": response], bearer(token))
    }
}
