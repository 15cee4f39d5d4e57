import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import ServerHTTP
import Testing

extension HandleEndpoint {
    /// Every endpoint of every protocol that takes a handle.
    static let all = identityToolkit + oauth + browser + devices + pages + nativeAuth + securityChecks + passkeys

    // MARK: Identity Toolkit

    private static func toolkit(_ path: String, _ body: @escaping @Sendable (Scene, Handle) throws -> JSON)
        -> HandleEndpoint
    {
        toolkit(path, as: path, body)
    }

    private static func toolkit(
        _ path: String, as name: String, _ body: @escaping @Sendable (Scene, Handle) throws -> JSON
    ) -> HandleEndpoint {
        HandleEndpoint(name) { scene, handle in
            try await scene.json("\(path)?key=\(handle.application)", body(scene, handle))
        }
    }

    private static func emulator(_ mode: String) -> HandleEndpoint {
        HandleEndpoint("emulator/action \(mode)") { scene, handle in
            try await scene.get(
                "/emulator/action",
                ["mode": mode, "oobCode": handle.text, "apiKey": "any", "newPassword": newPassword])
        }
    }

    static let newPassword = "difference engine"

    private static let identityToolkit = [
        toolkit("/v2/accounts/mfaSignIn:finalize") { scene, handle in
            [
                "mfaPendingCredential": .string(handle.text), "mfaEnrollmentId": .string(scene.totpID),
                "totpVerificationInfo": ["verificationCode": .string(handle.answer)],
            ]
        },
        toolkit("/v2/accounts/mfaEnrollment:finalize") { _, handle in
            [
                "idToken": .string(handle.idToken), "displayName": "TOTP",
                "totpVerificationInfo": [
                    "sessionInfo": .string(handle.text), "verificationCode": .string(handle.answer),
                ],
            ]
        },
        toolkit("/v1/accounts:resetPassword", as: "accounts:resetPassword that asks") { _, handle in
            ["oobCode": .string(handle.text)]
        },
        toolkit("/v1/accounts:resetPassword", as: "accounts:resetPassword") { _, handle in
            ["oobCode": .string(handle.text), "newPassword": .string(newPassword)]
        },
        toolkit("/v1/accounts:signInWithEmailLink") { _, handle in
            ["oobCode": .string(handle.text), "email": .string(NativeClient.email)]
        },
        toolkit("/v1/accounts:update") { _, handle in ["oobCode": .string(handle.text)] },
        toolkit("/v1/token") { _, handle in
            ["grant_type": "refresh_token", "refresh_token": .string(handle.text)]
        },
        emulator("verifyEmail"), emulator("verifyAndChangeEmail"), emulator("resetPassword"),
    ]

    // MARK: Guardian

    private static func grant(
        _ name: String, _ body: @escaping @Sendable (Scene, Handle) throws -> JSON
    ) -> HandleEndpoint {
        HandleEndpoint("/oauth/token \(name)") { scene, handle in
            try await scene.oauth(of: handle.application, body(scene, handle))
        }
    }

    private static let mfaGrant = "http://auth0.com/oauth/grant-type/mfa-"

    private static let oauth = [
        grant("mfa-otp") { _, handle in
            ["grant_type": "\(mfaGrant)otp", "mfa_token": .string(handle.text), "otp": .string(handle.answer)]
        },
        grant("mfa-oob") { _, handle in
            ["grant_type": "\(mfaGrant)oob", "mfa_token": .string(handle.text), "oob_code": "0123"]
        },
        grant("mfa-recovery-code") { scene, handle in
            [
                "grant_type": "\(mfaGrant)recovery-code", "mfa_token": .string(handle.text),
                "recovery_code": scene.phone.answer["recovery_code"],
            ]
        },
        grant("ciba") { _, handle in
            ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": .string(handle.text)]
        },
        grant("refresh_token") { _, handle in
            ["grant_type": "refresh_token", "refresh_token": .string(handle.text)]
        },
        HandleEndpoint("/mfa/challenge") { scene, handle in
            try await scene.oauth(
                "/mfa/challenge", of: handle.application,
                ["mfa_token": .string(handle.text), "challenge_type": "otp oob"])
        },
        HandleEndpoint("/mfa/authenticators") { scene, handle in
            try await scene.get("/mfa/authenticators", [:], scene.bearer(handle.text))
        },
        HandleEndpoint("/mfa/authenticators DELETE") { scene, handle in
            try await scene.server.send(
                .delete, "/mfa/authenticators/totp%7C\(scene.totpID)", headers: scene.bearer(handle.text))
        },
        HandleEndpoint("/mfa/associate otp") { scene, handle in
            try await scene.json("/mfa/associate", ["authenticator_types": ["otp"]], scene.bearer(handle.text))
        },
        HandleEndpoint("/mfa/associate oob") { scene, handle in
            try await scene.json(
                "/mfa/associate", ["authenticator_types": ["oob"], "oob_channels": ["auth0"]],
                scene.bearer(handle.text))
        },
    ]

    private static func browser(
        _ path: String, _ body: @escaping @Sendable (Scene, Handle) -> JSON = { _, _ in [:] }
    ) -> HandleEndpoint {
        HandleEndpoint(path) { scene, handle in
            try await scene.json("/api/\(path)", body(scene, handle), scene.bearer(handle.text))
        }
    }

    private static let browser = [
        browser("start-flow"),
        HandleEndpoint("start-flow Ticket") { scene, handle in
            try await scene.json("/api/start-flow", [:], scene.ticket(handle.text))
        },
        browser("transaction-state"), browser("send-push-notification"), browser("send-sms"),
        browser("verify-otp") { _, handle in ["type": "manual_input", "code": .string(handle.answer)] },
        browser("recover-account") { scene, _ in ["recovery_code": scene.phone.answer["recovery_code"]] },
    ]

    private static let devices = [
        HandleEndpoint("enroll") { scene, handle in
            try await scene.json("/api/enroll", Phone().registration, scene.ticket(handle.text))
        },
        HandleEndpoint("resolve-transaction") { scene, handle in
            let phone = scene.phone.phone
            let claims = phone.claims(for: ["mfa": ["c": .string(handle.answer)]], at: scene.server.now)
            return try await scene.json(
                "/appliance-mfa/api/resolve-transaction",
                ["challenge_response": .string(try phone.token(claims))], scene.bearer(handle.text))
        },
        HandleEndpoint("rich-consents") { scene, handle in
            try await scene.get(
                "/rich-consents/cns_0123", [:],
                [.authorization: "MFA-DPoP \(handle.text)", .known("MFA-DPoP"): "proof"])
        },
        HandleEndpoint("device-accounts") { scene, handle in
            try await scene.json(
                "/api/device-accounts/\(scene.phone.id)", ["name": "Mine"], scene.bearer(handle.text),
                method: .patch)
        },
        HandleEndpoint("device-accounts notifications") { scene, handle in
            try await scene.get(
                "/api/device-accounts/\(scene.phone.id)/notifications", [:], scene.bearer(handle.text))
        },
        HandleEndpoint("device-accounts DELETE") { scene, handle in
            try await scene.server.send(
                .delete, "/api/device-accounts/\(scene.phone.id)", headers: scene.bearer(handle.text))
        },
    ]

    // MARK: Pages

    private static func page(_ mode: String) -> [HandleEndpoint] {
        [
            HandleEndpoint("auth/action \(mode)") { scene, handle in
                try await scene.get("/auth/action", ["mode": mode, "oobCode": handle.text])
            },
            HandleEndpoint("auth/action \(mode) POST") { scene, handle in
                try await scene.form(
                    "/auth/action", ["mode": mode, "oobCode": handle.text, "newPassword": newPassword])
            },
        ]
    }

    private static let pages =
        ["verifyEmail", "verifyAndChangeEmail", "resetPassword", "signIn"].flatMap(page) + [
            HandleEndpoint("guardian/enroll ticket") { scene, handle in
                try await scene.get("/guardian/enroll", ["ticket": handle.text])
            },
            HandleEndpoint("guardian/enroll enrollment") { scene, handle in
                try await scene.get("/guardian/enroll", ["ticket": handle.text, "enrollment": handle.text])
            },
            HandleEndpoint("guardian/enroll begin") { scene, handle in
                try await scene.form("/guardian/enroll", ["ticket": handle.text, "method": "otp"])
            },
            HandleEndpoint("guardian/enroll code") { scene, handle in
                try await scene.form(
                    "/guardian/enroll",
                    ["ticket": handle.text, "enrollment": handle.text, "code": handle.answer])
            },
        ]

    // MARK: Native authentication

    private static func native(
        _ endpoint: Endpoint, _ what: String = "", _ fields: [String: String] = [:],
        answer: String? = nil, handle name: String = "continuation_token"
    ) -> HandleEndpoint {
        HandleEndpoint(what.isEmpty ? endpoint.path : "\(endpoint.path) \(what)") { scene, handle in
            var fields = fields
            fields[name] = handle.text
            if let answer { fields[answer] = handle.answer }
            return try await scene.native(endpoint, of: handle.application, fields)
        }
    }

    private static let nativeAuth = [
        native(.challenge, "", ["challenge_type": NativeClient.everything]),
        native(.introspect),
        native(.token, "password", ["grant_type": "password", "password": NativeClient.password]),
        native(.token, "oob", ["grant_type": "oob"], answer: "oob"),
        native(.token, "mfa_oob", ["grant_type": "mfa_oob"], answer: "oob"),
        native(.token, "continuation_token", ["grant_type": "continuation_token"]),
        native(.token, "refresh_token", ["grant_type": "refresh_token"], handle: "refresh_token"),
        native(.signUpChallenge, "", ["challenge_type": NativeClient.everything]),
        native(.signUpContinue, "oob", ["grant_type": "oob"], answer: "oob"),
        native(.signUpContinue, "password", ["grant_type": "password", "password": newPassword]),
        native(.signUpContinue, "attributes", ["grant_type": "attributes", "attributes": "{}"]),
        native(.resetPasswordChallenge, "", ["challenge_type": NativeClient.everything]),
        native(.resetPasswordContinue, "", ["grant_type": "oob"], answer: "oob"),
        native(.resetPasswordSubmit, "", ["new_password": newPassword]),
        native(.resetPasswordPoll),
        native(.registerIntrospect),
        native(
            .registerChallenge, "",
            ["challenge_type": "oob", "challenge_channel": "email", "challenge_target": "else@example.org"]),
        native(.registerContinue, "oob", ["grant_type": "oob"], answer: "oob"),
        native(.registerContinue, "continuation_token", ["grant_type": "continuation_token"]),
    ]

    // MARK: Security checks

    private static let securityChecks = [
        HandleEndpoint("az/v1/token authorization_code") { scene, handle in
            try await scene.mobile.redeem(handle.text)
        },
        HandleEndpoint("az/v1/token refresh_token") { scene, handle in
            try await scene.mobile.refresh(handle.text)
        },
        HandleEndpoint("az/v1/authorization") { scene, handle in
            var mobile = scene.mobile
            mobile.id = handle.text
            return try await mobile.authorization("accessRestricted")
        },
        HandleEndpoint("preauth/v1/preauthorize") { scene, handle in
            var mobile = scene.mobile
            mobile.id = handle.text
            return try await mobile.preauthorize("accessRestricted")
        },
    ]
}

extension MobileClient {
    func refresh(_ token: String) async throws -> Reply {
        try await form(
            "/az/v1/token",
            [
                ("grant_type", "refresh_token"), ("refresh_token", token), ("redirect_uri", "http://mfpredirecturi"),
                ("client_assertion", try assertion("get_refresh_token")), ("client_id", id),
            ])
    }

    /// A refresh token, by a check that was passed.
    func refreshToken() async throws -> String {
        expectGranted(try await preauthorize("accessRestricted", ["PinCodeAttempts": ["pin": "1234"]]))
        let code = try await code("accessRestricted")
        let reply = try await form(
            "/az/v1/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "http://mfpredirecturi"),
                ("client_assertion", try assertion(code)), ("client_id", id), ("get_refresh_token", "TRUE"),
            ])
        return try #require(reply.json["refresh_token"].text, "\(reply.text)")
    }
}
