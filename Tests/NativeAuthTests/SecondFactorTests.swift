import CountersignCore
import DialectTestSupport
import Foundation
import NativeAuthWire
import OneTimePassword
import PasskeyTestSupport
import Testing

@Suite("Second factors in native authentication")
struct SecondFactorTests {
    private static let other = "lovelace@example.org"

    /// A password sign-in that was told to give or to register a second factor.
    private func pending(
        _ client: NativeClient, _ suberror: String, capabilities: String = NativeClient.capabilities
    ) async throws -> String {
        let begun = try await client.post(
            .initiate,
            [
                "username": NativeClient.email, "challenge_type": NativeClient.everything, "capabilities": capabilities,
            ])
        let reply = try await client.token(
            .password, ["continuation_token": begun.token, "password": NativeClient.password])
        expectRefused(reply, "invalid_grant", suberror)
        return try #require(reply.token)
    }

    /// Registers a mailbox, and comes out with tokens.
    private func register(_ contact: String, _ client: NativeClient) async throws -> Reply {
        var token = try await pending(client, "registration_required")
        let methods = try await client.post(.registerIntrospect, ["continuation_token": token])
        #expect(methods.json["methods"][0]["id"] == "email", "\(methods.text)")
        #expect(methods.json["methods"][0]["challenge_channel"] == "email")
        token = try #require(methods.token)
        let asked = try await client.post(
            .registerChallenge,
            [
                "continuation_token": token, "challenge_type": "oob", "challenge_channel": "email",
                "challenge_target": contact,
            ])
        token = try #require(asked.token)
        var fields: [String: String?] = ["continuation_token": token, "grant_type": "continuation_token"]
        if asked.json["challenge_type"] == "oob" {
            #expect(asked.json["challenge_target"].text == contact, "\(asked.text)")
            #expect(asked.json["challenge_target_label"] == .null && asked.json["code_length"] == 8)
            fields["grant_type"] = "oob"
            fields["oob"] = "00"
            expectRefused(try await client.post(.registerContinue, fields), "invalid_grant", "invalid_oob_value")
            fields["oob"] = try await client.codes(to: contact).last
        } else {
            #expect(asked.json["challenge_type"] == "preverified", "\(asked.text)")
        }
        let continued = try await client.post(.registerContinue, fields)
        #expect(continued.status == 200, "\(continued.text)")
        return try await client.token(.continuationToken, ["continuation_token": continued.token])
    }

    @Test
    func `Registering the own address needs no code; afterwards a code is asked for`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(requiresMFA: true)
            try await server.account()
            #expect(try await register(NativeClient.email, client).status == 200)
            #expect(try await client.codes().isEmpty)

            let token = try await pending(client, "mfa_required")
            let methods = try await client.post(.introspect, ["continuation_token": token])
            #expect(methods.json["methods"].elements.count == 1, "\(methods.text)")
            #expect(methods.json["methods"][0]["login_hint"] == "a***a@ex**e.org")
            let id = methods.json["methods"][0]["id"].text
            let asked = try await client.post(
                .challenge, ["continuation_token": methods.token, "challenge_type": NativeClient.everything, "id": id])
            #expect(asked.json["challenge_type"] == "oob" && asked.json["challenge_channel"] == "email")
            let wrong = try await client.token(.mfaOOB, ["continuation_token": asked.token, "oob": "12345678"])
            expectRefused(wrong, "invalid_grant", "invalid_oob_value")
            // The same request after a wrong answer is a wish for another code, which is good under the token of the first.
            _ = try await client.post(
                .challenge, ["continuation_token": methods.token, "challenge_type": NativeClient.everything, "id": id])
            let codes = try await client.codes()
            #expect(codes.count == 2)
            let tokens = try await client.token(
                .mfaOOB, ["continuation_token": asked.token, "oob": codes.last])
            #expect(tokens.status == 200, "\(tokens.text)")
            let claims = try Tokens.claims(tokens.json["id_token"])
            #expect(claims["amr"] == ["pwd", "otp", "mfa"])
        }
    }

    @Test
    func `Registering another address takes a code, which is the second factor of this once`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(requiresMFA: true)
            let user = try await server.account()
            let tokens = try await register(Self.other, client)
            #expect(tokens.status == 200, "\(tokens.text)")
            #expect(try Tokens.claims(tokens.json["id_token"])["amr"] == ["pwd", "otp", "mfa"])
            let token = try await pending(client, "mfa_required")
            let asked = try await client.post(.challenge, ["continuation_token": token])
            #expect(asked.json["challenge_target_label"] == "l***e@ex**e.org", "\(asked.text)")
            // What an administrator takes away has to be registered again.
            _ = try await server.realm.enrolments.reset(of: user.id, by: .testAdministrator)
            _ = try await pending(client, "registration_required")
        }
    }

    @Test
    func `A mailbox counts only where a second factor is required, and never twice in one sign-in`() async throws {
        try await TestServer.with { server in
            let strict = try await server.application(requiresMFA: true)
            let codes = try await server.application(types: ["oob", "redirect"], requiresMFA: true)
            let plain = try await server.application()
            try await server.account()
            _ = try await register(NativeClient.email, strict)
            let begun = try await plain.initiate()
            let tokens = try await plain.token(
                .password, ["continuation_token": begun.token, "password": NativeClient.password])
            #expect(tokens.status == 200, "\(tokens.text)")
            // Signed in by the mailbox: the mailbox is no second factor.
            let (token, code) = try await codes.signInByCode()
            let reply = try await codes.token(.oob, ["continuation_token": token, "oob": code])
            expectRefused(reply, "invalid_grant", "registration_required")
        }
    }

    @Test
    func `Without a password the sign-in address cannot be the second factor`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(requiresMFA: true)
            try await server.account(password: nil)
            let (token, code) = try await client.signInByCode()
            let reply = try await client.token(.oob, ["continuation_token": token, "oob": code])
            expectRefused(reply, "invalid_grant", "registration_required")
            func contact(_ target: String, channel: String = "email") async throws -> Reply {
                try await client.post(
                    .registerChallenge,
                    [
                        "continuation_token": reply.token, "challenge_type": "oob", "challenge_channel": channel,
                        "challenge_target": target,
                    ])
            }
            expectRefused(try await contact(NativeClient.email), "invalid_request", number: 901_001)
            expectRefused(try await contact("nonsense"), "invalid_request", number: 901_001)
            expectRefused(try await contact("+15555550142", channel: "sms"), "invalid_request", number: 901_001)
            #expect(try await contact(Self.other).status == 200)
        }
    }

    @Test
    func `The mailbox that began the sign-in cannot be registered as its second factor, password or not`() async throws
    {
        try await TestServer.with { server in
            let client = try await server.application(types: ["oob", "redirect"], requiresMFA: true)
            try await server.account()
            let (token, code) = try await client.signInByCode()
            let reply = try await client.token(.oob, ["continuation_token": token, "oob": code])
            expectRefused(reply, "invalid_grant", "registration_required")
            let methods = try await client.post(.registerIntrospect, ["continuation_token": reply.token])
            #expect(methods.json["methods"][0]["login_hint"] == .null, "\(methods.text)")
            func contact(_ target: String) async throws -> Reply {
                try await client.post(
                    .registerChallenge,
                    [
                        "continuation_token": reply.token, "challenge_type": "oob", "challenge_channel": "email",
                        "challenge_target": target,
                    ])
            }
            expectRefused(try await contact(NativeClient.email), "invalid_request", number: 901_001)
            #expect(try await contact(Self.other).json["challenge_type"] == "oob")
        }
    }

    @Test
    func `A client without the capability is sent to a browser, and told which it lacks`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(requiresMFA: true)
            try await server.account()
            func signIn(_ name: String, _ capabilities: String?) async throws -> Reply {
                let begun = try await client.post(
                    .initiate,
                    [
                        "username": NativeClient.email, "challenge_type": NativeClient.everything, name: capabilities,
                    ])
                return try await client.token(
                    .password, ["continuation_token": begun.token, "password": NativeClient.password])
            }
            let lacking = try await signIn("capabilities", nil)
            #expect(lacking.status == 200 && lacking.json["challenge_type"] == "redirect", "\(lacking.text)")
            #expect(lacking.json["redirect_reason"] == "Client is missing registration_required capability")
            // Under both names, with both separators.
            for (name, text) in [
                ("capabilities", "mfa_required registration_required"),
                ("capability", "registration_required,mfa_required"),
            ] {
                expectRefused(try await signIn(name, text), "invalid_grant", "registration_required")
            }
            _ = try await register(NativeClient.email, client)
            let second = try await signIn("capabilities", "registration_required")
            #expect(second.json["redirect_reason"] == "Client is missing mfa_required capability", "\(second.text)")
        }
    }

    @Test
    func `Where only a passkey would do, the answer is redirect`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await server.application(requiresMFA: true)
            let user = try await server.account()
            // By the protocol that has passkeys; this one has no word for them.
            let signedIn = try await server.post(
                "/v1/accounts:signInWithPassword",
                [
                    "email": .string(NativeClient.email), "password": .string(NativeClient.password),
                    "returnSecureToken": true,
                ])
            let begun = try await server.post(
                "/v2/accounts/passkeyEnrollment:start", ["idToken": signedIn.json["idToken"]])
            var authenticator = SoftwareAuthenticator(origin: "http://localhost:8080")
            let made = try authenticator.create(optionsJSON: Data(begun.json["credentialCreationOptions"].bytes))
            let enrolled = try await server.post(
                "/v2/accounts/passkeyEnrollment:finalize",
                ["idToken": signedIn.json["idToken"], "authenticatorRegistrationResponse": try JSON(parsing: made)])
            #expect(enrolled.json["localId"] == .string(user.id.rawValue), "\(enrolled.text)")

            let start = try await client.post(
                .initiate,
                [
                    "username": NativeClient.email, "challenge_type": NativeClient.everything,
                    "capabilities": NativeClient.capabilities,
                ])
            let reply = try await client.token(
                .password, ["continuation_token": start.token, "password": NativeClient.password])
            #expect(reply.status == 200 && reply.json["challenge_type"] == "redirect", "\(reply.text)")
            #expect(reply.token == nil && reply.json["access_token"].text == nil, "\(reply.text)")
            // An app beside it can be asked for here.
            _ = try await server.authenticator(of: user, provenBy: .passkey)
            _ = try await pending(client, "mfa_required")
        }
    }

    @Test
    func `A user with an authenticator is asked for its code, in every application`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account()
            let totp = try await server.authenticator(of: user)
            let token = try await pending(client, "mfa_required")
            let methods = try await client.post(.introspect, ["continuation_token": token])
            #expect(
                methods.json["methods"].elements.count == 1 && methods.json["methods"][0]["challenge_type"] == "oob")
            #expect(methods.json["methods"][0]["challenge_channel"] == "totp", "\(methods.text)")
            let asked = try await client.post(
                .challenge, ["continuation_token": methods.token, "id": methods.json["methods"][0]["id"].text])
            #expect(asked.json["code_length"] == 6, "\(asked.text)")
            let right = totp.code(at: server.now).stringCode
            // The documents say oob, the clients mfa_oob.
            let wrong = try await client.token(
                .oob, ["continuation_token": asked.token, "oob": right == "000000" ? "000001" : "000000"])
            expectRefused(wrong, "invalid_grant", "invalid_oob_value")
            let tokens = try await client.token(.mfaOOB, ["continuation_token": asked.token, "oob": right])
            #expect(tokens.status == 200, "\(tokens.text)")
        }
    }

    @Test
    func `A sign-up is asked to register too, and not the address that it proved`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(requiresMFA: true)
            let begun = try await client.post(
                .signUpStart,
                [
                    "username": NativeClient.email, "password": NativeClient.password,
                    "challenge_type": NativeClient.everything, "capabilities": NativeClient.capabilities,
                ])
            _ = try await client.post(.signUpChallenge, ["continuation_token": begun.token])
            let done = try await client.post(
                .signUpContinue,
                ["continuation_token": begun.token, "grant_type": "oob", "oob": client.codes().last])
            let claimed = try await client.token(.continuationToken, ["continuation_token": done.token])
            expectRefused(claimed, "invalid_grant", "registration_required")
            func contact(_ target: String) async throws -> Reply {
                try await client.post(
                    .registerChallenge,
                    [
                        "continuation_token": claimed.token, "challenge_type": "oob", "challenge_channel": "email",
                        "challenge_target": target,
                    ])
            }
            expectRefused(try await contact(NativeClient.email), "invalid_request", number: 901_001)
            let asked = try await contact(Self.other)
            #expect(asked.json["challenge_type"] == "oob", "\(asked.text)")
            // Before it is confirmed there are no tokens.
            let early = try await client.token(.continuationToken, ["continuation_token": asked.token])
            expectRefused(early, "invalid_grant", number: 55200)
            let confirmed = try await client.post(
                .registerContinue,
                ["continuation_token": asked.token, "grant_type": "oob", "oob": client.codes(to: Self.other).last])
            let tokens = try await client.token(.continuationToken, ["continuation_token": confirmed.token])
            #expect(tokens.status == 200, "\(tokens.text)")
            _ = try await pending(client, "mfa_required")
        }
    }

    @Test
    func `A mailed code that began a sign-in, a sign-up or a reset registers its mailbox nowhere`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(requiresMFA: true)
            try await server.account()
            let begun = try await client.post(
                .resetPasswordStart,
                [
                    "username": NativeClient.email, "challenge_type": "oob redirect",
                    "capabilities": NativeClient.capabilities,
                ])
            let asked = try await client.post(.resetPasswordChallenge, ["continuation_token": begun.token])
            let continued = try await client.post(
                .resetPasswordContinue,
                ["continuation_token": asked.token, "grant_type": "oob", "oob": client.codes().last])
            let done = try await client.post(
                .resetPasswordSubmit, ["continuation_token": continued.token, "new_password": "difference engine"])
            let claimed = try await client.token(.continuationToken, ["continuation_token": done.token])
            expectRefused(claimed, "invalid_grant", "registration_required")
            let methods = try await client.post(.registerIntrospect, ["continuation_token": claimed.token])
            #expect(methods.json["methods"][0]["login_hint"] == .null, "\(methods.text)")
            let refused = try await client.post(
                .registerChallenge,
                [
                    "continuation_token": claimed.token, "challenge_type": "oob", "challenge_channel": "email",
                    "challenge_target": NativeClient.email,
                ])
            expectRefused(refused, "invalid_request", number: 901_001)
            #expect(try await client.codes().count == 1, "no code either")
        }
    }

    @Test
    func `The realm can require a second factor of every user`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            try await server.realm.changeSettings(by: .testAdministrator) { $0.secondFactors.state = .mandatory }
            _ = try await pending(client, "registration_required")
        }
    }

    @Test(arguments: [true, false])
    func `A second factor that is required since a sign-in began is required of it`(isOfEveryUser: Bool) async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            let begun = try await client.initiate()
            if isOfEveryUser {
                try await server.realm.changeSettings(by: .testAdministrator) { $0.secondFactors.state = .mandatory }
            } else {
                let changed = try await server.realm.applications.change(
                    ClientID(rawValue: client.id), by: .testAdministrator
                ) { $0.requiresSecondFactor = true }
                #expect(changed != nil)
            }
            let reply = try await client.token(
                .password, ["continuation_token": begun.token, "password": NativeClient.password])
            expectRefused(reply, "invalid_grant", "registration_required")
        }
    }

    @Test
    func `A reset does not get past the authenticator`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let totp = try await server.authenticator(of: server.account())
            let begun = try await client.post(
                .resetPasswordStart,
                [
                    "username": NativeClient.email, "challenge_type": "oob redirect",
                    "capabilities": NativeClient.capabilities,
                ])
            let asked = try await client.post(.resetPasswordChallenge, ["continuation_token": begun.token])
            let continued = try await client.post(
                .resetPasswordContinue,
                ["continuation_token": asked.token, "grant_type": "oob", "oob": client.codes().last])
            let done = try await client.post(
                .resetPasswordSubmit, ["continuation_token": continued.token, "new_password": "difference engine"])
            let claimed = try await client.token(.continuationToken, ["continuation_token": done.token])
            expectRefused(claimed, "invalid_grant", "mfa_required")
            let challenged = try await client.post(.challenge, ["continuation_token": claimed.token])
            let tokens = try await client.token(
                .mfaOOB,
                ["continuation_token": challenged.token, "oob": totp.code(at: server.now).stringCode])
            #expect(tokens.status == 200, "\(tokens.text)")
        }
    }

    @Test
    func `A claims request for an authentication context asks for a second factor, and the access token has it`()
        async throws
    {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c4"}}}"#
            let begun = try await client.initiate()
            let reply = try await client.token(
                .password,
                ["continuation_token": begun.token, "password": NativeClient.password, "claims": claims])
            expectRefused(reply, "invalid_grant", "registration_required")
            let broken = try await client.token(
                .password, ["continuation_token": begun.token, "password": "x", "claims": "{"])
            expectRefused(broken, "invalid_request", number: 90100)
        }
    }

    @Test
    func `A device is asked, and its signature is the answer`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account()
            let device = try await server.device(of: user)
            let token = try await pending(client, "mfa_required")
            let methods = try await client.post(.introspect, ["continuation_token": token]).json["methods"].elements
            #expect(methods.map(\.["challenge_channel"]) == ["push", "totp"])
            let asked = try await client.post(
                .challenge, ["continuation_token": token, "id": methods[0]["id"].text])
            // The vendor's JavaScript SDK takes a text of any length for it, and with 0 none at all.
            #expect(asked.json["challenge_channel"] == "push" && asked.json["code_length"] == -1, "\(asked.text)")
            let early = try await client.token(.mfaOOB, ["continuation_token": asked.token, "oob": "push"])
            expectRefused(early, "authorization_pending")
            try await device.allow()
            let tokens = try await client.token(.mfaOOB, ["continuation_token": asked.token, "oob": "push"])
            #expect(tokens.status == 200, "\(tokens.text)")
            #expect(try Tokens.claims(tokens.json["id_token"])["amr"] == ["pwd", "mca", "hwk", "user", "mfa"])

            // By its code instead, and after a no not at all.
            let second = try await pending(client, "mfa_required")
            _ = try await client.post(.challenge, ["continuation_token": second, "id": methods[1]["id"].text])
            let byCode = try await client.token(.mfaOOB, ["continuation_token": second, "oob": device.code()])
            #expect(byCode.status == 200, "\(byCode.text)")
            #expect(try Tokens.claims(byCode.json["id_token"])["amr"] == ["pwd", "otp", "mfa"])
            let third = try await pending(client, "mfa_required")
            _ = try await client.post(.challenge, ["continuation_token": third, "id": methods[0]["id"].text])
            try await device.reject()
            let refused = try await client.token(.mfaOOB, ["continuation_token": third, "oob": "push"])
            expectRefused(refused, "access_denied")
        }
    }
}
