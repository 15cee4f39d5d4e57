import CountersignCore
import HTTPTypes
import ServerHTTP

extension OAuth {
    /// What `/openapi.json` says of the endpoints of OAuth and OpenID Connect. Their messages are those of the specifications, so that
    /// fields are named here and described there; a test compares the list with the routes.
    public static var openAPI: [OpenAPIEndpoint] {
        let documents = metadataPaths.enumerated().map { number, path in
            OpenAPIEndpoint(
                .get, path, id: "oauthMetadata\(number + 1)", "Metadata of the server (RFC 8414)", tag: "oauth",
                security: .none, response: .object(["type": "object"]))
        }
        let pages: [OpenAPIEndpoint] = [
            OpenAPIEndpoint(
                .get, Path.authorize, id: "oauthAuthorize", "Leads a browser through a sign-in", tag: "oauth",
                security: .none, query: authorization, status: 303),
            OpenAPIEndpoint(
                .post, Path.authorize, id: "oauthAuthorizePosted", "The same, as a form", tag: "oauth", security: .none,
                request: .form(authorization.map { ($0.name, $0.name == "client_id") }), status: 303),
            OpenAPIEndpoint(
                .get, Path.logout, id: "oauthLogout",
                "Signs out where the user says so (OpenID Connect RP-Initiated Logout 1.0)",
                tag: "oauth", security: .none,
                query: ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"].map { ($0, false, "") },
                status: 303),
            OpenAPIEndpoint(
                .post, Path.logout, id: "oauthLogoutPosted", "The same, as a form", tag: "oauth", security: .none,
                request: .form([("id_token_hint", false), ("client_id", false), ("post_logout_redirect_uri", false)]),
                status: 303),
            OpenAPIEndpoint(
                .get, Path.auth0Logout, id: "oauthLogoutV2", "Signs out, as Auth0's endpoint does", tag: "oauth",
                security: .none, query: [("client_id", false, ""), ("returnTo", false, "")], status: 303),
        ]
        return documents + pages + programs
    }

    /// What an authorization request has.
    private static let authorization: [(name: String, isNumber: Bool, summary: String)] =
        [
            "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
            "code_challenge_method", "prompt", "acr_values", "claims", "login_hint", "id_token_hint", "ui_locales",
            "resource", "request", "request_uri", "dpop_jkt",
        ].map { ($0, false, "OAuth 2.1; OpenID Connect Core 1.0, section 3.1.2.1") } + [
            ("max_age", true, "Seconds")
        ]

    private static var programs: [OpenAPIEndpoint] {
        let object = JSONValue.object(["type": "object"])
        func form(
            _ path: String, _ id: String, _ summary: String, _ fields: [(name: String, isRequired: Bool)],
            response: JSONValue? = object, status: Int = 200
        ) -> OpenAPIEndpoint {
            OpenAPIEndpoint(
                .post, path, id: id, summary, tag: "oauth", security: .client, request: .form(fields),
                response: response, status: status, refusal: OpenAPIEndpoint.oauthError)
        }
        func own(
            _ method: HTTPRequest.Method, _ path: String, _ id: String, _ scope: AccountScope, _ summary: String,
            hasBody: Bool = false, status: Int = 200
        ) -> OpenAPIEndpoint {
            OpenAPIEndpoint(
                method, path, id: id, summary, tag: "my account", security: .accessToken(scope: scope.rawValue),
                request: hasBody ? .json(object) : .none, response: status == 204 ? nil : object, status: status)
        }
        return [
            form(
                Path.token, "oauthToken", "Trades a grant for tokens (OAuth 2.1, section 3.2)",
                [
                    ("grant_type", true), ("code", false), ("redirect_uri", false), ("code_verifier", false),
                    ("refresh_token", false), ("scope", false), ("resource", false), ("device_code", false),
                    ("auth_req_id", false), ("client_id", false), ("client_secret", false),
                    ("client_assertion", false), ("client_assertion_type", false),
                ]),
            form(
                Path.push, "oauthPush", "Takes an authorization request beforehand (RFC 9126)",
                authorization.filter { $0.name != "request_uri" }.map { ($0.name, false) }
                    + [("client_secret", false), ("client_assertion", false), ("client_assertion_type", false)],
                status: 201),
            form(
                Path.revoke, "oauthRevoke", "Revokes a token (RFC 7009)",
                [("token", true), ("token_type_hint", false)],
                response: nil),
            form(
                Path.introspect, "oauthIntrospect", "Says what a token is (RFC 7662)",
                [("token", true), ("token_type_hint", false)]),
            form(
                Path.device, "oauthDevice", "Begins a sign-in of a device without browser (RFC 8628)",
                [
                    ("client_id", false), ("scope", true), ("resource", false), ("acr_values", false),
                    ("code_challenge", false), ("code_challenge_method", false),
                ]),
            form(
                Path.backchannel, "oauthBackchannel",
                "Begins a sign-in that a device allows (OpenID Connect Client-Initiated Backchannel Authentication)",
                [
                    ("login_hint", false), ("id_token_hint", false), ("scope", true), ("resource", false),
                    ("binding_message", false), ("requested_expiry", false), ("acr_values", false),
                    ("client_id", false),
                ]),
            OpenAPIEndpoint(
                .get, Path.userInfo, id: "oauthUserInfo", "Claims of the user (OpenID Connect Core 1.0, section 5.3)",
                tag: "oauth", security: .accessToken(scope: "openid"), response: object),
            OpenAPIEndpoint(
                .post, Path.userInfo, id: "oauthUserInfoPosted", "The same", tag: "oauth",
                security: .accessToken(scope: "openid"), response: object),
            OpenAPIEndpoint(
                .post, Path.passkeyChallenge, id: "oauthPasskeyChallenge", "Begins a sign-in by passkey without a page",
                tag: "oauth", security: .client, request: .json(object), response: object),
            OpenAPIEndpoint(
                .post, Path.passkeyRegister, id: "oauthPasskeyRegister", "Begins a sign-up by passkey without a page",
                tag: "oauth", security: .client, request: .json(object), response: object),
            OpenAPIEndpoint(
                .post, Path.register, id: "oauthRegister", "Registers an application (RFC 7591)", tag: "oauth",
                security: .initialAccessToken, request: .json(object), response: object, status: 201,
                refusal: OpenAPIEndpoint.oauthError),
            OpenAPIEndpoint(
                .get, "\(Path.register)/{id}", id: "oauthRegistration", "What it is registered with (RFC 7592)",
                tag: "oauth", security: .registrationAccessToken, response: object,
                refusal: OpenAPIEndpoint.oauthError),
            OpenAPIEndpoint(
                .put, "\(Path.register)/{id}", id: "oauthChangeRegistration", "Replaces that", tag: "oauth",
                security: .registrationAccessToken, request: .json(object), response: object,
                refusal: OpenAPIEndpoint.oauthError),
            OpenAPIEndpoint(
                .delete, "\(Path.register)/{id}", id: "oauthRemoveRegistration", "Removes the application",
                tag: "oauth", security: .registrationAccessToken, status: 204, refusal: OpenAPIEndpoint.oauthError),
            own(.post, Path.methods, "meCreateMethod", .create, "Begins to make a passkey", hasBody: true, status: 201),
            own(.get, Path.methods, "meMethods", .read, "The authentication methods"),
            own(.get, "\(Path.methods)/{id}", "meMethod", .read, "An authentication method"),
            own(.delete, "\(Path.methods)/{id}", "meRemoveMethod", .delete, "Removes one", status: 204),
            own(.post, "\(Path.methods)/{id}/verify", "meVerifyMethod", .create, "Makes the passkey", hasBody: true),
        ]
    }
}
