import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import JWTKit
import NativeAuthWire
import OneTimePassword
import Testing

@Suite("Tokens of native authentication")
struct TokenTests {
    private func signIn(
        _ client: NativeClient, scope: String = "openid profile offline_access"
    ) async throws -> Reply {
        let begun = try await client.initiate()
        return try await client.token(
            .password, ["continuation_token": begun.token, "password": NativeClient.password, "scope": scope])
    }

    @Test
    func `What stands in the tokens`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account(
                profile: UserProfile(
                    displayName: "Ada Lovelace", customClaims: ["level": 7, "iss": "forged", "nothing": .null],
                    attributes: ["givenName": "Ada", "surname": "Lovelace", "city": "London"]))
            let reply = try await signIn(client, scope: "api openid profile offline_access api")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(
                reply.json.names == [
                    "access_token", "client_info", "expires_in", "ext_expires_in", "id_token", "refresh_token", "scope",
                    "token_type",
                ])
            #expect(reply.json["scope"] == "api openid profile offline_access")
            let tenant = try await server.realm.tenant().id
            let info = try #require([UInt8](base64URL: reply.json["client_info"].text ?? ""))
            let objectID = try await server.realm.tenant().directoryID(of: user.id)
            #expect(try JSON(parsing: info) == ["uid": .string(objectID), "utid": .string(tenant)])

            let identity = try Tokens.claims(reply.json["id_token"])
            let now = Int(server.now.seconds)
            let expected: [String: JSON] = [
                "iss": "http://127.0.0.1:8080/contoso.onmicrosoft.com/v2.0", "aud": .string(client.id),
                "sub": .string(user.id.rawValue), "oid": .string(objectID), "tid": .string(tenant),
                "ver": "2.0", "preferred_username": .string(NativeClient.email), "email": .string(NativeClient.email),
                "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace", "city": "London", "level": 7,
                "iat": .integer(now), "nbf": .integer(now), "exp": .integer(now + 3600), "auth_time": .integer(now),
                "amr": ["pwd"],
            ]
            for (name, value) in expected { #expect(identity[name] == value, "\(name)") }
            #expect(try Tokens.header(reply.json["id_token"])["alg"] == "RS256")
            let access = try Tokens.claims(reply.json["access_token"])
            #expect(access["scp"] == "api" && access["azp"].text == client.id && access["city"] == "London")
            #expect(!identity.names.contains("nothing") && !access.names.contains("nothing"), "no claim is null")
        }
    }

    @Test
    func `An app that signed in before accounts had GUIDs finds its account again`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account()
            var context = ClientContext.testAdministrator
            (context.clientID, context.dialect) = (ClientID(rawValue: client.id), .nativeAuth)
            let verdict = try await server.realm.authenticator.answer(
                .password(Secret(NativeClient.password)),
                to: .opening(
                    FlowOpening(
                        subject: .email(EmailAddress(kept: NativeClient.email)),
                        terms: GrantTerms(scopes: ["openid", "profile", "offline_access"]))),
                by: context)
            guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw Unexpected(what: "\(verdict)") }
            let reply = try await client.token(
                .refreshToken, ["refresh_token": signedIn.refreshToken.reveal(), "client_info": "1"])
            #expect(reply.status == 200, "\(reply.text)")
            let info = try #require([UInt8](base64URL: reply.json["client_info"].text ?? ""))
            #expect(try JSON(parsing: info)["uid"].text == user.id.rawValue)
            let identity = try Tokens.claims(reply.json["id_token"])
            #expect(try await identity["oid"].text == server.realm.tenant().directoryID(of: user.id))
            #expect(identity["sub"].text == user.id.rawValue)
        }
    }

    @Test
    func `A scope of an API names the audience of the access token`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(scopes: ["api://library/Books.Read", "api://library/Books & Co"])
            try await server.account()
            let reply = try await signIn(client, scope: "api://library/Books.Read openid")
            let access = try Tokens.claims(reply.json["access_token"])
            #expect(access["aud"] == "api://library" && access["scp"] == "Books.Read")
            #expect(reply.json["refresh_token"] == .null, "offline_access was not asked for")
        }
    }

    @Test
    func `The published keys verify the tokens, by another vendor's library`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            let reply = try await signIn(client)
            let keys = JWTKeyCollection()
            let jwks = try await server.send(.get, "/contoso.onmicrosoft.com/discovery/v2.0/keys")
            try await keys.add(jwksJSON: jwks.text)
            for name in ["id_token", "access_token"] {
                let claims = try await keys.verify(reply.json[name].text ?? "", as: TokenClaims.self)
                #expect(claims.string("preferred_username") == (name == "id_token" ? NativeClient.email : nil))
            }
        }
    }

    @Test
    func `Refreshing gives other tokens for the scopes asked for, and none that are not registered`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            let first = try await signIn(client)
            func refresh(_ token: JSON, _ scope: String?, _ client: NativeClient) async throws -> Reply {
                try await client.token(
                    .refreshToken, ["refresh_token": token.text, "scope": scope, "client_info": "1"])
            }
            let refused = try await refresh(first.json["refresh_token"], "openid User.Read", client)
            expectRefused(refused, "invalid_grant", "consent_required", number: 65001)
            #expect(
                refused.json["error_description"].text?.contains(
                    "Send an interactive authorization request for this user and resource.") == true)
            // The refusal used nothing up.
            let second = try await refresh(first.json["refresh_token"], "api openid profile offline_access", client)
            #expect(second.status == 200, "\(second.text)")
            #expect(second.json["scope"] == "api openid profile offline_access")
            #expect(second.json["id_token"] != first.json["id_token"])
            #expect(second.json["access_token"] != first.json["access_token"])
            #expect(second.json["refresh_token"] != first.json["refresh_token"])
            let same = try await refresh(second.json["refresh_token"], nil, client)
            #expect(same.json["scope"] == "openid profile offline_access")

            let other = try await server.application()
            expectRefused(try await refresh(same.json["refresh_token"], nil, other), "invalid_grant", number: 70000)
            expectRefused(try await refresh("nonsense", nil, client), "invalid_grant", number: 70000)
            server.clock.advance(11)
            expectRefused(try await refresh(first.json["refresh_token"], nil, client), "invalid_grant", number: 700_082)
            expectRefused(try await refresh(same.json["refresh_token"], nil, client), "invalid_grant", number: 700_082)
        }
    }

    @Test
    func `A refresh for one scope alone gives the next refresh token too, or the session would end with it`()
        async throws
    {
        try await TestServer.with { server in
            let client = try await server.application(scopes: ["api", "api://a/b&c=d+e"])
            try await server.account()
            var token = try await signIn(client).json["refresh_token"].text
            for scope in ["api", "openid", "api://a/b&c=d+e api"] {
                let reply = try await client.token(.refreshToken, ["refresh_token": token, "scope": scope])
                #expect(reply.status == 200 && reply.json["scope"].text == scope, "\(reply.text)")
                #expect(reply.json["refresh_token"].text != token)
                token = reply.json["refresh_token"].text
                server.clock.advance(60)
            }
        }
    }

    @Test
    func `An authentication context is refused to a session without a second factor, which goes on`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account()
            let wish = #"{"access_token":{"acrs":{"essential":true,"values":["c4","c5"]}}}"#
            func refresh(_ token: JSON, claims: String?) async throws -> Reply {
                try await client.token(.refreshToken, ["refresh_token": token.text, "claims": claims])
            }
            let weak = try await signIn(client).json["refresh_token"]
            for _ in 0..<2 {
                expectRefused(try await refresh(weak, claims: wish), "invalid_grant", "mfa_required", number: 50076)
                server.clock.advance(11)
            }
            let context = ClientContext(
                clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
            _ = try await server.realm.changeSettings(by: context) { $0.secondFactors.state = .mandatory }
            expectRefused(try await refresh(weak, claims: nil), "invalid_grant", "mfa_required", number: 50076)
            _ = try await server.realm.changeSettings(by: context) { $0.secondFactors.state = .enabled }
            server.clock.advance(11)
            let plain = try await refresh(weak, claims: nil)
            #expect(plain.status == 200, "\(plain.text)")
            #expect(try Tokens.claims(plain.json["access_token"])["acrs"] == .null)

            let totp = try await server.authenticator(of: user)
            let begun = try await client.initiate()
            let asked = try await client.token(
                .password, ["continuation_token": begun.token, "password": NativeClient.password])
            let challenged = try await client.post(.challenge, ["continuation_token": asked.token])
            let strong = try await client.token(
                .mfaOOB,
                ["continuation_token": challenged.token, "oob": totp.code(at: server.now).stringCode])
            #expect(strong.status == 200, "\(strong.text)")
            let refreshed = try await refresh(strong.json["refresh_token"], claims: wish)
            #expect(try Tokens.claims(refreshed.json["access_token"])["acrs"] == ["c4", "c5"], "\(refreshed.text)")
            // They are of the tokens that they were asked for with.
            let next = try await refresh(refreshed.json["refresh_token"], claims: nil)
            #expect(try Tokens.claims(next.json["access_token"])["acrs"] == .null)
            expectRefused(try await refresh(next.json["refresh_token"], claims: "{"), "invalid_request", number: 90100)
        }
    }

    @Test
    func `A scope that is not registered is refused before the answer is looked at`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            let (token, code) = try await client.signInByCode()
            let reply = try await client.token(
                .oob, ["continuation_token": token, "oob": code, "scope": "openid User.Read"])
            expectRefused(reply, "invalid_scope", number: 70011)
            let right = try await client.token(.oob, ["continuation_token": token, "oob": code])
            #expect(right.status == 200, "\(right.text)")
        }
    }

    @Test
    func `Attributes of a sign-up are claims, and go with the account`() async throws {
        try await TestServer.with { server in
            let age = ApplicationRegistration.Attribute(name: "extension_0a_age", type: "integer", isRequired: true)
            let client = try await server.application(attributes: [age])
            let begun = try await client.post(
                .signUpStart,
                [
                    "username": NativeClient.email, "challenge_type": "oob redirect",
                    "attributes":
                        #"{"displayName":"Ada","extension_0a_age":"36","hobbies":["maths"],"country":["UK","IT"]}"#,
                ])
            let asked = try await client.post(.signUpChallenge, ["continuation_token": begun.token])
            let done = try await client.post(
                .signUpContinue,
                ["continuation_token": asked.token, "grant_type": "oob", "oob": client.codes().last])
            let tokens = try await client.token(
                .continuationToken, ["continuation_token": done.token, "username": NativeClient.email])
            let claims = try Tokens.claims(tokens.json["id_token"])
            #expect(claims["name"] == "Ada" && claims["extension_0a_age"] == 36 && claims["country"] == "UK,IT")
            #expect(claims["hobbies"] == .null)
            let user = try #require(await server.realm.accounts.user(email: EmailAddress(kept: NativeClient.email)))
            let data = try #require(await server.realm.accounts.personalData(user.id, by: .testAdministrator))
            #expect(data.user.profile.attributes == ["extension_0a_age": 36, "country": "UK,IT"])
            #expect(data.user.profile.emailVerified && data.user.profile.displayName == "Ada")
        }
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
}
