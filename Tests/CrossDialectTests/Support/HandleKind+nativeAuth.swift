import CountersignCore
import DialectTestSupport
import Foundation
import NativeAuthWire
import Testing

/// Continuation tokens of native authentication, at each of their steps.
extension HandleKind {
    private static let challenge = "/oauth2/v2.0/challenge"
    private static let codes = ["/oauth2/v2.0/token oob", "/oauth2/v2.0/token mfa_oob"]
    private static let poll = "/resetpassword/v1.0/poll_completion"

    private static func begun(_ scene: Scene, _ email: String, by application: String) async throws -> String {
        let reply = try await scene.native(
            .initiate, of: application,
            [
                "username": email, "challenge_type": NativeClient.everything,
                "capabilities": NativeClient.capabilities,
            ])
        return try #require(reply.token, "\(reply.text)")
    }

    private static func token(
        _ scene: Scene, _ grant: String, _ fields: [String: String], of application: String
    ) async throws -> Reply {
        try await scene.native(.token, of: application, fields.merging(["grant_type": grant]) { $1 })
    }

    private static func password(_ scene: Scene, _ text: String, of application: String) async throws -> Reply {
        try await token(
            scene, "password", ["continuation_token": text, "password": NativeClient.password], of: application)
    }

    /// Goes on to the second factor, which Ada has.
    private static func leadsToSecondFactor(_ scene: Scene, _ text: String, of application: String) async throws -> Bool
    {
        try await password(scene, text, of: application).suberror == "mfa_required"
    }

    static let nativeAuth = signIns + resets

    private static let signIns = [
        HandleKind(
            "sign-in that waits for the password", at: [challenge, "/oauth2/v2.0/token password"] + codes
        ) { scene in
            try await Handle(begun(scene, NativeClient.email, by: scene.application.id), in: scene) { text in
                try await leadsToSecondFactor(scene, text, of: scene.application.id)
            }
        },
        HandleKind("sign-in of another application", at: []) { scene in
            try await Handle(begun(scene, NativeClient.email, by: scene.other.id), in: scene) { text in
                try await leadsToSecondFactor(scene, text, of: scene.other.id)
            }
        },
        HandleKind(
            "sign-in of nobody", at: [challenge, "/oauth2/v2.0/token password"] + codes
        ) { scene in
            try await Handle(begun(scene, "nobody@example.org", by: scene.application.id), in: scene) { text in
                let reply = try await scene.native(
                    .challenge, of: scene.application.id,
                    ["continuation_token": text, "challenge_type": NativeClient.everything])
                return reply.status == 200
            }
        },
        HandleKind("sign-in that waits for a code", at: [challenge] + codes) { scene in
            let begun = try await begun(scene, Scene.cleo, by: scene.application.id)
            let asked = try await scene.native(
                .challenge, of: scene.application.id,
                ["continuation_token": begun, "challenge_type": NativeClient.everything])
            let code = try await scene.mailedCode(to: Scene.cleo)
            return try Handle(asked.token, in: scene, answer: code) { text in
                try await token(
                    scene, "oob", ["continuation_token": text, "oob": code], of: scene.application.id
                ).status == 200
            }
        },
        HandleKind(
            "sign-in that waits for a second factor", at: [challenge, "/oauth2/v2.0/introspect"] + codes
        ) { scene in
            let begun = try await begun(scene, NativeClient.email, by: scene.application.id)
            let pending = try await password(scene, begun, of: scene.application.id)
            return try Handle(pending.token, in: scene) { text in
                let asked = try await scene.native(
                    .challenge, of: scene.application.id, ["continuation_token": text, "id": scene.totpID])
                #expect(asked.status == 200, "\(asked.text)")
                return try await token(
                    scene, "mfa_oob", ["continuation_token": text, "oob": scene.code], of: scene.application.id
                ).status == 200
            }
        },
    ]

    private static func reset(_ scene: Scene) async throws -> (token: String?, code: String) {
        let started = try await scene.native(
            .resetPasswordStart, of: scene.application.id,
            ["username": Scene.bob, "challenge_type": NativeClient.everything])
        let asked = try await scene.native(
            .resetPasswordChallenge, of: scene.application.id,
            ["continuation_token": started.token ?? "", "challenge_type": NativeClient.everything])
        return (asked.token, try await scene.mailedCode(to: Scene.bob))
    }

    private static func proven(_ scene: Scene, _ text: String?, _ code: String) async throws -> Reply {
        try await scene.native(
            .resetPasswordContinue, of: scene.application.id,
            ["continuation_token": text ?? "", "grant_type": "oob", "oob": code])
    }

    private static func submitted(_ scene: Scene, _ text: String?) async throws -> Reply {
        try await scene.native(
            .resetPasswordSubmit, of: scene.application.id,
            ["continuation_token": text ?? "", "new_password": HandleEndpoint.newPassword])
    }

    private static let resets = [
        HandleKind(
            "reset that waits for the code",
            at: ["/resetpassword/v1.0/challenge", "/resetpassword/v1.0/continue", poll]
        ) { scene in
            let (asked, code) = try await reset(scene)
            return try Handle(asked, in: scene, answer: code) { text in
                try await proven(scene, text, code).status == 200
            }
        },
        HandleKind("reset that waits for the password", at: ["/resetpassword/v1.0/submit", poll]) { scene in
            let (asked, code) = try await reset(scene)
            return try await Handle(proven(scene, asked, code).token, in: scene, answer: code) { text in
                try await submitted(scene, text).status == 200
            }
        },
        HandleKind("reset that is done", at: [poll, "/oauth2/v2.0/token continuation_token"]) { scene in
            let (asked, code) = try await reset(scene)
            let done = try await submitted(scene, proven(scene, asked, code).token)
            return try Handle(done.token, in: scene, answer: code) { text in
                try await token(
                    scene, "continuation_token", ["continuation_token": text], of: scene.application.id
                ).status == 200
            }
        },
    ]

    // MARK: Signing up, and registering a mailbox

    private static let signUpContinue = ["oob", "password", "attributes"].map { "/signup/v1.0/continue \($0)" }
    private static let newcomer = "new@example.org"

    private static func signUp(_ scene: Scene) async throws -> (token: String?, code: String) {
        let started = try await scene.native(
            .signUpStart, of: scene.application.id,
            ["username": newcomer, "challenge_type": NativeClient.everything])
        let asked = try await scene.native(
            .signUpChallenge, of: scene.application.id,
            ["continuation_token": started.token ?? "", "challenge_type": NativeClient.everything])
        return (asked.token, try await scene.mailedCode(to: newcomer))
    }

    private static func continued(_ scene: Scene, _ text: String?, _ fields: [String: String]) async throws -> Reply {
        try await scene.native(
            .signUpContinue, of: scene.application.id, fields.merging(["continuation_token": text ?? ""]) { $1 })
    }

    static let registrations = [
        HandleKind("sign-up that waits for the code", at: ["/signup/v1.0/challenge"] + signUpContinue) { scene in
            let (asked, code) = try await signUp(scene)
            return try Handle(asked, in: scene, answer: code) { text in
                try await continued(scene, text, ["grant_type": "oob", "oob": code]).error == "credential_required"
            }
        },
        HandleKind("sign-up that waits for the password", at: ["/signup/v1.0/challenge"] + signUpContinue) { scene in
            let (asked, code) = try await signUp(scene)
            let proven = try await continued(scene, asked, ["grant_type": "oob", "oob": code])
            return try Handle(proven.token, in: scene, answer: code) { text in
                try await continued(
                    scene, text, ["grant_type": "password", "password": HandleEndpoint.newPassword]
                ).status == 200
            }
        },
        HandleKind(
            "sign-in that waits for a mailbox to be registered",
            at: [
                "/register/v1.0/introspect", "/register/v1.0/challenge", "/register/v1.0/continue oob",
                "/register/v1.0/continue continuation_token",
            ]
        ) { scene in
            let begun = try await begun(scene, Scene.bob, by: scene.strict.id)
            let pending = try await password(scene, begun, of: scene.strict.id)
            #expect(pending.suberror == "registration_required", "\(pending.text)")
            return try Handle(pending.token, in: scene, application: scene.strict.id) { text in
                let reply = try await scene.native(
                    .registerIntrospect, of: scene.strict.id, ["continuation_token": text])
                return reply.status == 200
            }
        },
    ]
}
