import AdminServer

/// How a program is set up for an application, with the application's own values. Secrets are never among them.
struct Snippet: Sendable, Equatable {
    /// A name of a library, which is not translated.
    let title: String
    let text: String

    private static let placeholder = "THE-CLIENT-SECRET"

    /// Those that an application of its kind has use for.
    static func all(for application: ApplicationSummary, issuer: String) -> [Snippet] {
        let all = values(of: application, issuer)
        let ofKind: [Snippet] =
            switch application.oauth.kind {
            case "web": [apache(all), django(all)]
            case "native": [swift(all), msal(all), guardian(all)]
            case "device": [swift(all)]
            case "browser": [discovery(all)]
            case "service": [credentials(all)]
            default: [firebase(all), msal(all), guardian(all)]
            }
        return ofKind + mobileFirst(application.checkedVersions, all)
    }

    /// What snippets put in, each as a literal of the language that it stands in.
    private struct Values {
        let id: String
        let issuer: String
        let redirect: String
        let logout: String
        let scopes: String
        let isConfidential: Bool
        /// What its ID tokens are signed with.
        let algorithm: String
    }

    private static func values(of application: ApplicationSummary, _ issuer: String) -> Values {
        Values(
            id: application.id, issuer: issuer,
            redirect: application.redirectURIs.first ?? "https://app.example.com/callback",
            logout: application.oauth.postLogoutRedirectURIs.first ?? "https://app.example.com/",
            scopes: application.scopes.isEmpty ? "openid" : application.scopes.joined(separator: " "),
            isConfidential: application.isConfidential,
            algorithm: application.oauth.idTokenAlgorithmInUse ?? application.oauth.idTokenAlgorithm ?? "RS256")
    }

    /// A literal in double quotes: Swift, Python, Kotlin and Apache's configuration read these escapes alike. What is no printable
    /// character of ASCII stands as a question mark; addresses and ids have none.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\\", "\"": "\\\(scalar)"
            case " "..."~": String(scalar)
            default: "?"
            }
        }.joined()
        return "\"\(escaped)\""
    }

    private static func swift(_ values: Values) -> Snippet {
        Snippet(
            title: "Swift, CountersignClient",
            text: """
                let session = CountersignSession(
                    ClientApplication(issuer: \(quoted(values.issuer)), clientID: \(quoted(values.id))))
                try await session.signIn(by: LoopbackBrowser())
                """)
    }

    private static func apache(_ values: Values) -> Snippet {
        Snippet(
            title: "Apache, mod_auth_openidc",
            text: """
                OIDCProviderMetadataURL \(quoted(values.issuer + "/.well-known/openid-configuration"))
                OIDCClientID \(quoted(values.id))
                OIDCClientSecret \(quoted(placeholder))
                OIDCRedirectURI \(quoted(values.redirect))
                OIDCScope \(quoted(values.scopes))
                OIDCPKCEMethod S256
                """)
    }

    private static func django(_ values: Values) -> Snippet {
        Snippet(
            title: "Django, mozilla-django-oidc",
            text: """
                OIDC_RP_CLIENT_ID = \(quoted(values.id))
                OIDC_RP_CLIENT_SECRET = os.environ["OIDC_RP_CLIENT_SECRET"]
                OIDC_RP_SIGN_ALGO = \(quoted(values.algorithm))
                OIDC_RP_SCOPES = \(quoted(values.scopes))
                OIDC_OP_JWKS_ENDPOINT = \(quoted(values.issuer + "/.well-known/jwks.json"))
                OIDC_OP_TOKEN_ENDPOINT = \(quoted(values.issuer + "/oauth/token"))
                OIDC_OP_AUTHORIZATION_ENDPOINT = \(quoted(values.issuer + "/authorize"))
                OIDC_OP_USER_ENDPOINT = \(quoted(values.issuer + "/userinfo"))
                OIDC_USE_PKCE = True
                OIDC_TOKEN_USE_BASIC_AUTH = True
                """)
    }

    private static func discovery(_ values: Values) -> Snippet {
        Snippet(
            title: "OpenID Connect",
            text: """
                issuer: \(quoted(values.issuer))
                client_id: \(quoted(values.id))
                redirect_uri: \(quoted(values.redirect))
                post_logout_redirect_uri: \(quoted(values.logout))
                scope: \(quoted(values.scopes))
                response_type: "code"
                code_challenge_method: "S256"
                """)
    }

    private static func credentials(_ values: Values) -> Snippet {
        Snippet(
            title: "curl",
            text: """
                curl --user \(quoted(values.id + ":" + placeholder)) \\
                  --data grant_type=client_credentials \(quoted(values.issuer + "/oauth/token"))
                """)
    }

    private static func firebase(_ values: Values) -> Snippet {
        Snippet(
            title: "Firebase, FirebaseAuth",
            text: """
                let options = FirebaseOptions()
                options.apiKey = \(quoted(values.id))
                FirebaseApp.configure(options: options)
                Auth.auth().useServer(URL(string: \(quoted(values.issuer)))!)
                """)
    }

    private static func msal(_ values: Values) -> Snippet {
        Snippet(
            title: "MSAL",
            text: """
                let authority = try MSALCIAMAuthority(url: URL(string: \(quoted(values.issuer + "/app")))!)
                let config = try MSALNativeAuthPublicClientApplicationConfig(
                    clientId: \(quoted(values.id)), authority: authority, challengeTypes: [.OOB, .password])
                """)
    }

    private static func guardian(_ values: Values) -> Snippet {
        Snippet(
            title: "Guardian",
            text: """
                let domain = \(quoted(values.issuer.hasPrefix("https://") ? String(values.issuer.dropFirst(8)) : values.issuer))
                let key = try KeychainRSAPrivateKey.new(with: "com.example.guardian")
                let device = try await Guardian.enroll(
                    forDomain: domain, usingUri: scanned, notificationToken: apnsToken, signingKey: key,
                    verificationKey: key.verificationKey()
                ).start()
                """)
    }

    /// Of an application that takes part in security checks: the module has those of iOS, and of another platform the vendor's SDK asks for
    /// the same values.
    private static func mobileFirst(
        _ versions: [ApplicationSummary.CheckedVersion], _ values: Values
    ) -> [Snippet] {
        let every = "*"
        let own = versions.first { ["ios", every].contains($0.platform) }
        guard let version = own ?? versions.first else { return [] }
        let server = values.issuer + "/mfp"
        let number = version.number == every ? "1.0.0" : version.number
        let scope = version.scopes.first
        guard own != nil else {
            return [
                Snippet(
                    title: "MobileFirst",
                    text: """
                        server: \(quoted(server + "/"))
                        application: \(quoted(values.id))
                        platform: \(quoted(version.platform))
                        version: \(quoted(number))
                        scope: \(quoted(scope ?? ""))
                        """)
            ]
        }
        let handlers = version.checks.prefix(mostHandlers).map {
            "client.registerChallengeHandler(challengeHandler: ChallengeHandler(securityCheck: \(quoted($0))))\n"
        }.joined()
        let asked = scope.map { ", scope: \(quoted($0))" } ?? ""
        return [
            Snippet(
                title: "MobileFirst, IBMMobileFoundationSwift",
                text: """
                    let client = WLClientSwift.sharedInstance()
                    client.setServerUrl(url: URL(string: \(quoted(server)))!)
                    client.setApplication(id: \(quoted(values.id)), version: \(quoted(number)))
                    \(handlers)let request = WLResourceRequest(
                        url: URL(string: "/adapters/ResourceAdapter/balance"), method: WLHttpMethodGet\(asked))
                    """)
        ]
    }

    /// Lines for checks; who has more of them sees how it is done.
    private static let mostHandlers = 8
}
