import CountersignCore

extension Requirement {
    /// OWASP ASVS 5.0, chapter V9.
    static let tokens: [Requirement] = [
        .asvs(
            "9.1.1", 1, "A token counts after its signature is verified.", .settings(\.production),
            "TokenVerificationTests: What no key of this server signed is no token, whatever its header says",
            "KeyringTests: Every altered character is noticed"),
        .asvs(
            "9.1.2", 1,
            "Tokens are signed and verified with listed algorithms, each key with its own, and never with none.",
            .settings(\.production), "KeyringTests: No other algorithm, key or kid than ours verifies",
            "KeyringTests: A key verifies only its own algorithm, even where it signed the wrong name itself",
            "CustomTokenTests: A MAC with the public key is no signature"),
        .asvs(
            "9.1.3", 1, "Keys come from where they were registered, and never from the token.", .construction,
            "KeyringTests: Critical headers, which we do not know, are refused although the signature is right",
            "ClientAuthenticationTests: An assertion is taken where all of it is right, and the log says what is not",
            "BestPracticeTests: No address of a request is fetched: CVE-2020-10770, CVE-2026-1180"),
        .asvs(
            "9.2.1", 1, "A token counts within its times.", .construction,
            "TokenVerificationTests: A token is refused for the one thing that is not as expected",
            "TokenVerificationTests: What only names an attempt counts after its time, and nothing else of it is forgiven"
        ),
        .asvs(
            "9.2.2", 2, "A token of one kind is not taken for one of another.", .construction,
            "TokenVerificationTests: The type in the header decides, without regard to case or to the media type's first part",
            "TokenTests: Within a protocol a token acts only where its own type and audience are expected"),
        .asvs(
            "9.2.3", 2, "A service takes tokens that are for it.", .construction,
            "TokenVerificationTests: An expectation that names no type, no issuer or no audience admits nothing",
            "TokenTests: An access token or an ID token acts for its user in its own protocol alone"),
        .asvs(
            "9.2.4", 2, "Each token says whom it is for, and applications get tokens for listed services alone.",
            .settings { situation in
                .unless([
                    situation.shortcoming(
                        of: situation.applications.filter { $0.registration.audiences == nil },
                        "Applications that get tokens for any audience", mend: "--audience URI")
                ])
            }, "BestPracticeTests: Access tokens are for one audience (section 2.3)",
            "AppCommandTests: Audiences are replaced and emptied and any is warned of and logged"),
    ]

    /// OWASP ASVS 5.0, chapter V10.
    static let oauth: [Requirement] = clients + resourceServers + authorizationServer + relyingParties + provider

    private static let application = "The application's own program does it."

    /// V10.1 and V10.2
    private static let clients: [Requirement] = [
        .asvs("10.1.1", 2, "Tokens are where they are needed and nowhere else.", .elsewhere(application)),
        .asvs(
            "10.1.2", 2, "An application takes answers to requests that the same browser began.",
            .elsewhere(application), "RealServerTests: The request has PKCE, state and nonce, and none of them twice",
            "BestPracticeTests: State and nonce come back byte for byte (section 4.7)"),
        .asvs(
            "10.2.1", 2, "An application protects its code flow with a proof key or a state.", .elsewhere(application),
            "BestPracticeTests: Every application proves its code with S256, and a downgrade is refused (section 2.1.1 and 4.8)"
        ),
        .asvs(
            "10.2.2", 2, "An application of several servers cannot be made to mix them up.", .elsewhere(application),
            "BestPracticeTests: Every answer says whose it is (RFC 9207)"),
        .asvs("10.2.3", 3, "An application asks for scopes that it needs.", .elsewhere(application)),
    ]

    /// V10.3: the server's own endpoints, and APIs that the library `ScopeProtection` guards.
    private static let resourceServers: [Requirement] = [
        .asvs(
            "10.3.1", 2, "An API takes access tokens that are for it.", .construction,
            "TokenEndpointTests: A token for an API has the API as its audience, and userinfo does not take it",
            "ProtectedResourceTests: A token with one wrong claim is refused"),
        .asvs(
            "10.3.2", 2, "An API decides by the scopes of the token.", .construction,
            "AdministrationAccessTests: A token without the scope, the second factor, the time or the life opens nothing",
            "ScopeRequirementTests: All elements have to be there, in whatever order"),
        .asvs(
            "10.3.3", 2, "A user is known by what no other user can get.", .construction,
            "TrapTests: An account that takes the address of one that was deleted is another subject"),
        .asvs(
            "10.3.4", 2, "An API that wants a certain strength or recency looks for it in the token.", .construction,
            "AdministrationAccessTests: One factor is answered by asking for the second",
            "ScopeRequirementTests: An authentication that is too old, unknown or too weak is asked for again"),
        .asvs(
            "10.3.5", 3, "A stolen access token is worth nothing, as it is bound to a key.", .settings(boundTokens),
            "PossessionTests: A bound token opens userinfo with its key's proof, and not as a bearer",
            "ProtectedResourceTests: An API that wants bound tokens alone says so"),
    ]

    @Sendable private static func boundTokens(_ situation: Situation) -> Finding {
        .unless([
            situation.shortcoming(
                of: situation.applications.filter { !$0.registration.oauth.requiresDPoP },
                "Applications that get tokens without a key", mend: "--require-dpop")
        ])
    }

    @Sendable private static func pushedRequests(_ situation: Situation) -> Finding {
        .unless([
            situation.shortcoming(
                of: situation.browserClients.filter { !$0.registration.oauth.requiresPAR },
                "Applications whose requests go through the browser", mend: "--require-par")
        ])
    }

    /// V10.4
    private static let authorizationServer: [Requirement] = [
        .asvs(
            "10.4.1", 1, "Redirect addresses are registered and compared to the letter.", .construction,
            "BestPracticeTests: Redirect addresses are compared exactly (section 2.1)",
            "RedirectTests: Nothing is sent to a hostile address, whatever the prompt"),
        .asvs(
            "10.4.2", 1, "A code counts once, and one that comes again ends what it brought.", .construction,
            "CodeFlowTests: A code is good once, and comes to nothing after it came twice",
            "CodeFlowTests: Twenty exchanges of one code at once bring one answer, and its tokens are dead",
            "TwoServersTests: One authorization code brings tokens once, and what it brought is dead"),
        .asvs(
            "10.4.3", 1, "A code lives ten minutes at most; for level 3, one.", .construction,
            "CodeRedemptionTests: A code of a minute ago is as unknown as one that never was, and is removed"),
        .asvs(
            "10.4.4", 1,
            "An application uses the grants that it was registered for; implicit and password grants are gone.",
            .settings { situation in
                .unless([
                    situation.shortcoming(
                        of: situation.applications.filter { application in
                            application.registration.oauth.kind == nil
                                || passwordGrants.contains { application.registration.oauth.allowsGrant($0) }
                        }, "Applications without a kind, or with a password grant, may use password grants",
                        mend: "--kind KIND --grant-types authorization_code,refresh_token")
                ])
            }, "BestPracticeTests: There is no implicit and no hybrid flow (section 2.1.2, CVE-2026-7571)",
            "BestPracticeTests: An application of a kind has no password grant (section 2.4)",
            "BestPracticeTests: A grant that is not registered is refused: CVE-2026-75866"),
        .asvs(
            "10.4.5", 1, "A refresh token that comes again ends its family.", .construction,
            "BestPracticeTests: Refresh tokens rotate, and reuse ends the family (section 4.14)",
            "SessionTests: A token that comes again later ends the whole family, and the log says so"),
        .asvs(
            "10.4.6", 2, "Every code takes a proof key, by S256.", .construction,
            "BestPracticeTests: Every application proves its code with S256, and a downgrade is refused (section 2.1.1 and 4.8)",
            "BestPracticeTests: A proof key cannot be left out: CVE-2023-48228, CVE-2024-23647, CVE-2024-22258, CVE-2026-123542"
        ),
        .asvs(
            "10.4.7", 2, "Applications that register themselves are checked, and users are warned of them.",
            .construction,
            "SelfRegistrationTests: Metadata that are not taken are refused with a sentence, and nothing is registered",
            "PageStepTests: Users of an application that registered itself read so, and where their answer goes, until it is approved"
        ),
        .asvs(
            "10.4.8", 2, "A refresh token ends, however much it is used.", .construction,
            "TokenEndpointTests: A refresh token of thirty days ago and a grant of ninety days ago are over"),
        .asvs(
            "10.4.9", 2, "Users can revoke what applications hold, on a page.",
            .construction,
            "PageStepTests: Consent is asked once, again for more scopes, and after it is taken back"),
        .asvs(
            "10.4.10", 2, "An application that has credentials shows them at every endpoint that it calls.",
            .construction,
            "TokenEndpointTests: An application authenticates by its registered method alone, and never by two",
            "BestPracticeTests: A method that needs credentials admits no application without any: CVE-2026-75866"),
        .asvs(
            "10.4.11", 2, "Applications are registered for scopes that they need.",
            .elsewhere("Those who register applications decide."),
            "AuthorizationRequestTests: An unknown scope is left out, and the answer says which were granted"),
        .asvs(
            "10.4.12", 3, "An application gets its answers in the mode that it is meant to.", .settings(pushedRequests),
            "AuthorizationRequestTests: An application that has to push its requests gets an error at its address otherwise",
            "CodeFlowTests: Answers are brought as response_mode says"),
        .asvs(
            "10.4.13", 3, "Every request for a code is pushed.", .settings(pushedRequests),
            "AuthorizationRequestTests: A pushed request is brought once, by its application, within a minute"),
        .asvs(
            "10.4.14", 3, "Every access token is bound to a key.", .settings(boundTokens),
            "PossessionTests: An application that has to prove a key gets nothing without"),
        .asvs(
            "10.4.15", 3, "`authorization_details` of a server come from that server.", .construction,
            "BackchannelTests: The device reads what it is asked to agree to, and each proof is good once"),
        .asvs(
            "10.4.16", 3, "Every application shows who it is with a key.",
            .settings { situation in
                .unless([
                    situation.shortcoming(
                        of: situation.applications.filter { !$0.registration.hasKeys }, "Applications without a key",
                        mend: "--jwks FILE --auth-method private_key_jwt")
                ])
            },
            "ClientAlgorithmTests: An application authenticates by a key of each algorithm, and by no other algorithm of its key",
            "ClientAuthenticationTests: An assertion is good once, also where it comes twenty times at once"),
    ]

    /// Guardian's, which an application without a kind may use.
    private static let passwordGrants = ["password", "http://auth0.com/oauth/grant-type/password-realm"]

    /// V10.5
    private static let relyingParties: [Requirement] = [
        .asvs(
            "10.5.1", 2, "An application looks for its nonce in the ID token.", .elsewhere(application),
            "JudgementTests: An ID token is its request's, its user's, of its type, and as fresh as was asked"),
        .asvs(
            "10.5.2", 2, "An application knows a user by `sub`.", .elsewhere(application),
            "TrapTests: An account that takes the address of one that was deleted is another subject"),
        .asvs(
            "10.5.3", 2, "An application takes metadata of the issuer that it was configured with.",
            .elsewhere(application),
            "JudgementTests: Metadata of another issuer, with plain addresses, or without PKCE are not taken"),
        .asvs(
            "10.5.4", 2, "An application takes ID tokens that are for it.", .elsewhere(application),
            "JudgementTests: An ID token with one wrong claim is not taken"),
        .asvs(
            "10.5.5", 2, "An application takes nothing but a logout token for one.", .elsewhere(application),
            "BackchannelLogoutTests: A logout token is verified by our keys, and is no other kind of token"),
    ]

    /// V10.6 and V10.7
    private static let provider: [Requirement] = [
        .asvs(
            "10.6.1", 2, "Tokens never come with the answer to an authorization request.", .construction,
            "BestPracticeTests: There is no implicit and no hybrid flow (section 2.1.2, CVE-2026-7571)"),
        .asvs(
            "10.6.2", 2, "No stranger signs a user out.", .construction,
            "TokenEndpointTests: A hint of the present session signs out at once, and leads to a registered address alone",
            "PageLockTests: Signing out takes the session from the browser, asks first, and ends it everywhere on request"
        ),
        .asvs(
            "10.7.1", 2,
            "Users consent to what applications get; each time where it is not certain which application asks.",
            .settings { situation in
                .unless([
                    situation.shortcoming(
                        of: situation.browserClients.filter {
                            $0.registration.oauth.isFirstParty || !$0.registration.isConfidential
                        },
                        "Applications that are not asked about, or that show no credentials and are asked about once",
                        mend: "--no-first-party --secret")
                ])
            }, "CodeFlowTests: A user of a third party is asked once, and again for more or after taking it back",
            "PageStepTests: A consent form without an answer is refused"),
        .asvs(
            "10.7.2", 2, "A question about consent says who asks, for what, and for how long.",
            .lacking("It says who asks, from which host and for what, and not for how long."),
            "WayBackTests: The consent page links to what the application says of itself"),
        .asvs(
            "10.7.3", 2, "Users can look at and take back what they allowed.",
            .construction,
            "PageStepTests: Consent is asked once, again for more scopes, and after it is taken back"),
    ]
}
