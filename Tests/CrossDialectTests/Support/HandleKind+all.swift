import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import OneTimePassword
import Testing

extension HandleKind {
    /// Every kind of handle of every protocol.
    static let all =
        identityToolkit + links + guardian + tickets + nativeAuth + registrations + securityChecks + passkeys

    // MARK: Identity Toolkit

    private static let identityToolkit = [
        HandleKind("pending credential", at: ["/v2/accounts/mfaSignIn:finalize"]) { scene in
            let reply = try await scene.json(
                "/v1/accounts:signInWithPassword?key=\(scene.application.id)",
                ["email": .string(NativeClient.email), "password": .string(NativeClient.password)])
            return try Handle(reply.json["mfaPendingCredential"].text, in: scene) { text in
                // Another application of the protocol may finish.
                let reply = try await scene.json(
                    "/v2/accounts/mfaSignIn:finalize?key=\(scene.other.id)",
                    [
                        "mfaPendingCredential": .string(text), "mfaEnrollmentId": .string(scene.totpID),
                        "totpVerificationInfo": ["verificationCode": .string(scene.code)],
                    ])
                return reply.json["idToken"].text != nil
            }
        },
        HandleKind("session info of an enrolment", at: ["/v2/accounts/mfaEnrollment:finalize"]) { scene in
            let started = try await scene.json(
                "/v2/accounts/mfaEnrollment:start?key=\(scene.application.id)",
                ["idToken": .string(scene.idTokens.bob), "totpEnrollmentInfo": [:]])
            let info = started.json["totpSessionInfo"]
            let totp = try TOTP(secret: Base32.decode(#require(info["sharedSecretKey"].text, "\(started.text)")))
            let code = totp.code(at: scene.server.now).stringCode
            return try Handle(info["sessionInfo"].text, in: scene, answer: code, idToken: scene.idTokens.bob) { text in
                let reply = try await scene.json(
                    "/v2/accounts/mfaEnrollment:finalize?key=\(scene.application.id)",
                    [
                        "idToken": .string(scene.idTokens.bob), "displayName": "TOTP",
                        "totpVerificationInfo": ["sessionInfo": .string(text), "verificationCode": .string(code)],
                    ])
                return reply.status == 200
            }
        },
    ]

    private static func link(_ type: String, _ mode: String, at own: [String], _ path: String, _ rest: JSON = [:])
        -> HandleKind
    {
        var endpoints = own + ["accounts:resetPassword that asks", "auth/action \(mode)", "auth/action \(mode) POST"]
        if mode != "signIn" { endpoints.append("emulator/action \(mode)") }
        return HandleKind("link \(type)", at: endpoints) { scene in
            let request: JSON = [
                "requestType": .string(type), "email": .string(NativeClient.email), "returnOobLink": true,
                "newEmail": "lovelace@example.org",
            ]
            let reply = try await scene.json("/v1/accounts:sendOobCode", request, scene.server.administrator)
            return try Handle(reply.json["oobCode"].text, in: scene) { text in
                try await scene.json(
                    "\(path)?key=\(scene.application.id)", rest.with(["oobCode": .string(text)])
                ).status == 200
            }
        }
    }

    private static let links = [
        link(
            "PASSWORD_RESET", "resetPassword", at: ["accounts:resetPassword"], "/v1/accounts:resetPassword",
            ["newPassword": .string(HandleEndpoint.newPassword)]),
        link("VERIFY_EMAIL", "verifyEmail", at: ["/v1/accounts:update"], "/v1/accounts:update"),
        link("VERIFY_AND_CHANGE_EMAIL", "verifyAndChangeEmail", at: ["/v1/accounts:update"], "/v1/accounts:update"),
        link(
            "EMAIL_SIGNIN", "signIn", at: ["/v1/accounts:signInWithEmailLink"], "/v1/accounts:signInWithEmailLink",
            ["email": .string(NativeClient.email)]),
        HandleKind(
            "link of an administrator",
            at: [
                "accounts:resetPassword", "accounts:resetPassword that asks", "auth/action resetPassword",
                "auth/action resetPassword POST", "emulator/action resetPassword",
            ]
        ) { scene in
            guard let email = scene.ada.email,
                case .sent(_, let handle?) = try await scene.server.realm.mailings.sendLink(
                    .resetPassword(email), by: .testAdministrator)
            else { throw Unexpected(what: "no link") }
            return try Handle(handle.token.reveal(), in: scene) { text in
                let reply = try await scene.form(
                    "/auth/action",
                    ["mode": "resetPassword", "oobCode": text, "newPassword": HandleEndpoint.newPassword])
                return reply.status == 303
            }
        },
    ]

    // MARK: Guardian

    /// Where an `mfa_token` is taken whichever application asks, as the requests do not say.
    private static let anyApplication = [
        "/mfa/authenticators", "/mfa/authenticators DELETE", "/mfa/associate otp", "/mfa/associate oob", "start-flow",
    ]
    private static let ofBrowsers = [
        "transaction-state", "send-push-notification", "send-sms", "verify-otp", "recover-account",
    ]
    private static let ofTickets = [
        "enroll", "start-flow Ticket", "guardian/enroll ticket", "guardian/enroll enrollment", "guardian/enroll begin",
        "guardian/enroll code",
    ]

    private static func mfaToken(_ scene: Scene, of application: String) async throws -> String? {
        try await scene.oauth(
            of: application,
            [
                "grant_type": "password", "username": .string(NativeClient.email),
                "password": .string(NativeClient.password),
            ]
        ).json["mfa_token"].text
    }

    private static func otp(_ scene: Scene, _ token: String, of application: String, _ code: String? = nil) async throws
        -> Reply
    {
        try await scene.oauth(
            of: application,
            [
                "grant_type": "http://auth0.com/oauth/grant-type/mfa-otp", "mfa_token": .string(token),
                "otp": .string(code ?? scene.code),
            ])
    }

    private static let guardian = [
        HandleKind(
            "mfa_token",
            at: anyApplication + [
                "/oauth/token mfa-otp", "/oauth/token mfa-oob", "/oauth/token mfa-recovery-code", "/mfa/challenge",
            ]
        ) { scene in
            try await Handle(mfaToken(scene, of: scene.application.id), in: scene) { text in
                try await otp(scene, text, of: scene.application.id).status == 200
            }
        },
        HandleKind("mfa_token of another application", at: anyApplication) { scene in
            try await Handle(mfaToken(scene, of: scene.other.id), in: scene) { text in
                try await otp(scene, text, of: scene.other.id).status == 200
            }
        },
        HandleKind("transaction token of a browser", at: ofBrowsers) { scene in
            let token = try #require(await mfaToken(scene, of: scene.application.id))
            let started = try await scene.json("/api/start-flow", [:], scene.bearer(token))
            return try Handle(started.json["transaction_token"].text, in: scene) { text in
                let reply = try await scene.json(
                    "/api/verify-otp", ["type": "manual_input", "code": .string(scene.code)], scene.bearer(text))
                return reply.status == 204
            }
        },
        HandleKind("transaction token of an invitation", at: ofBrowsers) { scene in
            let invitation = try await scene.server.ticket(for: "auth0|\(scene.bob.id)")
            let started = try await scene.json("/api/start-flow", [:], scene.ticket(invitation))
            return try Handle(started.json["transaction_token"].text, in: scene) { text in
                try await scene.json("/api/transaction-state", [:], scene.bearer(text)).status == 200
            }
        },
        HandleKind("auth_req_id", at: ["/oauth/token ciba"]) { scene in
            let hint: JSON = [
                "format": "iss_sub", "iss": "http://127.0.0.1:8080/", "sub": .string("auth0|\(scene.ada.id)"),
            ]
            let begun = try await scene.oauth(
                "/bc-authorize", of: Scene.confidential,
                ["scope": "openid", "login_hint": .string(String(decoding: hint.bytes, as: UTF8.self))])
            return try Handle(begun.json["auth_req_id"].text, in: scene, application: Scene.confidential) { text in
                let push = try await scene.phone.push(on: scene.server)
                #expect(try await scene.phone.phone.allow(push, on: scene.server).status == 204)
                let reply = try await scene.oauth(
                    of: Scene.confidential,
                    ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": .string(text)])
                return reply.status == 200
            }
        },
        HandleKind("request to a device", at: ["resolve-transaction", "rich-consents"]) { scene in
            let token = try #require(await mfaToken(scene, of: scene.application.id))
            let asked = try await scene.oauth(
                "/mfa/challenge", of: scene.application.id,
                ["mfa_token": .string(token), "challenge_type": "oob"])
            #expect(asked.status == 200, "\(asked.text)")
            let push = try await scene.phone.push(on: scene.server)
            return try Handle(push["mfa"]["txtkn"].text, in: scene, answer: push["mfa"]["c"].text) { _ in
                try await scene.phone.phone.allow(push, on: scene.server).status == 204
            }
        },
        HandleKind(
            "a device's own token",
            at: ["device-accounts", "device-accounts notifications", "device-accounts DELETE"]
        ) { scene in
            try Handle(scene.phone.token, in: scene) { text in
                try await scene.json(
                    "/api/device-accounts/\(scene.phone.id)", ["name": "Mine"], scene.bearer(text), method: .patch
                ).status == 200
            }
        },
        HandleKind(
            "access token of the MFA API",
            at: ["/mfa/authenticators", "/mfa/authenticators DELETE", "/mfa/associate otp", "/mfa/associate oob"]
        ) { scene in
            try await Handle(accessToken(scene), in: scene) { text in
                try await scene.get("/mfa/authenticators", [:], scene.bearer(text)).json.elements.count > 1
            }
        },
    ]

    /// An access token for one's own authenticators.
    private static func accessToken(_ scene: Scene, of email: String = NativeClient.email) async throws -> String? {
        let begun = try await scene.oauth(
            of: scene.application.id,
            [
                "grant_type": "password", "username": .string(email), "password": .string(NativeClient.password),
                "audience": "http://127.0.0.1:8080/mfa/",
                "scope": "enroll read:authenticators remove:authenticators",
            ])
        guard let token = begun.json["mfa_token"].text else { return begun.json["access_token"].text }
        return try await otp(scene, token, of: scene.application.id).json["access_token"].text
    }

    private static let tickets = [
        HandleKind("invitation", at: ofTickets) { scene in
            try await Handle(scene.server.ticket(for: "auth0|\(scene.bob.id)"), in: scene) { text in
                try await scene.server.enroll(Phone(), ticket: text).status == 201
            }
        },
        HandleKind("ticket that an invitation led to", at: ofTickets) { scene in
            let invitation = try await scene.server.ticket(for: "auth0|\(scene.bob.id)")
            let started = try await scene.json("/api/start-flow", [:], scene.ticket(invitation))
            return try Handle(started.json["enrollment_tx_id"].text, in: scene) { text in
                try await scene.server.enroll(Phone(), ticket: text).status == 201
            }
        },
        HandleKind("mfa_token of an association", at: ofTickets + ["/oauth/token mfa-otp"]) { scene in
            let token = try #require(await accessToken(scene, of: Scene.bob))
            let begun = try await scene.json(
                "/mfa/associate", ["authenticator_types": ["otp"]], scene.bearer(token))
            let totp = try TOTP(secret: Base32.decode(#require(begun.json["secret"].text, "\(begun.text)")))
            let code = totp.code(at: scene.server.now).stringCode
            return try Handle(begun.json["mfa_token"].text, in: scene, answer: code) { text in
                try await otp(scene, text, of: scene.application.id, code).status == 200
            }
        },
    ]

    // MARK: Security checks

    private static let securityChecks = [
        HandleKind("authorization code", at: ["az/v1/token authorization_code"]) { scene in
            expectGranted(
                try await scene.mobile.preauthorize("accessRestricted", ["PinCodeAttempts": ["pin": "1234"]]))
            return try await Handle(scene.mobile.code("accessRestricted"), in: scene) { text in
                try await scene.mobile.redeem(text).status == 200
            }
        },
        HandleKind("refresh token of security checks", at: ["az/v1/token refresh_token"]) { scene in
            try await Handle(scene.mobile.refreshToken(), in: scene) { text in
                try await scene.mobile.refresh(text).status == 200
            }
        },
        HandleKind("client id", at: ["az/v1/authorization", "preauth/v1/preauthorize"]) { scene in
            try Handle(scene.mobile.id, in: scene) { _ in
                try await scene.mobile.preauthorize("accessRestricted").status == 401
            }
        },
        // What the row of a registration is found by, spelled out.
        HandleKind("name of a registration's row", at: []) { scene in
            try Handle("security-checks\u{0}registration\u{0}\(scene.mobile.id)", in: scene) { _ in
                try await scene.mobile.preauthorize("accessRestricted").status == 401
            }
        },
    ]
}
