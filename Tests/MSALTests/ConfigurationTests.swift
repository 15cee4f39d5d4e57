import ClientHTTP
import Foundation
import MSAL
import NativeAuthWire
import Testing

/// Authorities, applications and what they are made of. Source: MSAL for iOS.
@Suite struct ConfigurationTests {
    @Test(arguments: [
        ("https://contoso.ciamlogin.com", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
        ("https://contoso.ciamlogin.com/", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
        ("https://contoso.ciamlogin.com/TENANT/", "https://contoso.ciamlogin.com/TENANT"),
        (
            "https://contoso.ciamlogin.example.com:8443",
            "https://contoso.ciamlogin.example.com:8443/contoso.onmicrosoft.com"
        ),
        ("https://login.example.com/a/b?x=1#y", "https://login.example.com/a/b"),
        ("https://u:p@login.example.com/a", "https://login.example.com/a"),
        ("https://auth.test/", "https://auth.test"), ("http://localhost:8080/t", "http://localhost:8080/t"),
        ("http://127.0.0.1:8080/t", "http://127.0.0.1:8080/t"), ("http://[::1]:8080/t", "http://[::1]:8080/t"),
        ("https://localhost/t", "https://localhost/t"),
    ])
    func `An authority is a URL below which endpoints lie`(text: String, url: String) throws {
        #expect(try MSALCIAMAuthority(url: #require(URL(string: text))).url.absoluteString == url)
        #expect(
            try MSALCIAMAuthority(url: #require(URL(string: text)), validateFormat: false).url.absoluteString == url)
    }

    @Test(arguments: [
        ("http://login.example.com/t", MSALNativeAuthInternalError.insecureAuthority),
        ("ftp://127.0.0.1/t", .insecureAuthority), ("https:///t", .authorityWithoutHost),
        ("contoso", .authorityWithoutHost), ("https://intranet/t", .authorityWithoutHost),
    ])
    func `What is no authority is refused`(text: String, error: MSALNativeAuthInternalError) throws {
        let url = try #require(URL(string: text))
        #expect(throws: error) { try MSALCIAMAuthority(url: url) }
    }

    @Test(
        arguments: [
            (nil, "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
            ("", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/contoso.onmicrosoft.com"),
            ("https://login.example.com/auth/?x", "https://login.example.com/auth/contoso.onmicrosoft.com"),
        ] as [(String?, String)])
    func `A tenant's name lies on the server of the environment`(server: String?, url: String) throws {
        let environment = server.map { ["COUNTERSIGN_URL": $0] } ?? [:]
        #expect(try MSALCIAMAuthority(tenantSubdomain: "contoso", environment: environment).url.absoluteString == url)
    }

    @Test func `A tenant's name is a label, and the environment's server a URL`() {
        for name in ["", "a.b", "a/b", "a b", "ä"] {
            #expect(throws: MSALNativeAuthInternalError.invalidTenantSubdomain) {
                try MSALCIAMAuthority(tenantSubdomain: name, environment: [:])
            }
        }
        #expect(throws: MSALNativeAuthInternalError.insecureAuthority) {
            try MSALCIAMAuthority(tenantSubdomain: "a", environment: ["COUNTERSIGN_URL": "http://example.com"])
        }
        #expect(throws: MSALNativeAuthInternalError.self) {
            try MSALCIAMAuthority(tenantSubdomain: "a", environment: ["COUNTERSIGN_URL": "not a url"])
        }
    }

    @Test func `Native authentication needs a tenant for customers`() throws {
        let authority = try MSALAuthority(url: #require(URL(string: "https://login.example.com/t")))
        let config = MSALNativeAuthPublicClientApplicationConfig(
            clientId: "app", authority: authority, challengeTypes: [.OOB])
        #expect(throws: MSALNativeAuthInternalError.invalidAuthority) {
            try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: config)
        }
    }

    @Test(
        arguments: [
            (MSALNativeAuthChallengeTypes([]), MSALNativeAuthCapabilities([]), "redirect", nil),
            ([.OOB], [.registrationRequired], "oob redirect", "registration_required"),
            ([.password], [.mfaRequired], "password redirect", "mfa_required"),
            (
                [.password, .OOB], [.registrationRequired, .mfaRequired], "oob password redirect",
                "mfa_required registration_required"
            ),
        ] as [(MSALNativeAuthChallengeTypes, MSALNativeAuthCapabilities, String, String?)])
    func `What an app can do is announced in one order`(
        types: MSALNativeAuthChallengeTypes, capabilities: MSALNativeAuthCapabilities, typeText: String,
        capabilityText: String?
    ) async throws {
        let server = ScriptedServer()
        let config = MSALNativeAuthPublicClientApplicationConfig(
            clientId: "app", authority: try MSALCIAMAuthority(url: #require(URL(string: "https://a.example/t"))),
            challengeTypes: types)
        config.capabilities = capabilities
        let app = try MSALNativeAuthPublicClientApplication(
            nativeAuthConfiguration: config,
            environment: ClientEnvironment(transport: server, storage: MemoryStorage()))
        #expect(config.bypassRedirectURIValidation)
        // Changes come too late.
        config.capabilities = []
        _ = await app.signIn(parameters: MSALNativeAuthSignInParameters(username: "a"))
        #expect(server.form(.initiate)["challenge_type"] == typeText)
        #expect(server.form(.initiate)["capabilities"] == capabilityText)
        #expect((app.configuration as? MSALNativeAuthPublicClientApplicationConfig)?.capabilities == capabilities)
        #expect(app.configuration.authority.url.absoluteString == "https://a.example/t")
    }

    @Test func `Claims are asked for by token and name`() throws {
        let request = MSALClaimsRequest()
        #expect(request.jsonString() == nil)
        let claim = MSALIndividualClaimRequest(name: "acrs")
        let info = MSALIndividualClaimRequestAdditionalInfo()
        info.essential = true
        info.values = ["c1", 2]
        claim.additionalInfo = info
        try request.requestClaim(claim, for: .accessToken)
        try request.requestClaim(MSALIndividualClaimRequest(name: "name"), for: .idToken)
        #expect(
            request.jsonString()
                == #"{"access_token":{"acrs":{"essential":true,"values":["c1",2]}},"id_token":{"name":null}}"#)
        let read = try MSALClaimsRequest(jsonString: try #require(request.jsonString()))
        #expect(read.claimRequests(for: .accessToken).map(\.name) == ["acrs"])
        #expect(read.claimRequests(for: .accessToken).first?.additionalInfo?.essential == true)
        #expect(read.claimRequests(for: .idToken).first?.additionalInfo == nil)
        read.removeClaimRequest(withName: "name", target: .idToken)
        read.removeClaimRequest(withName: "acrs", target: .accessToken)
        #expect(read.jsonString() == nil)
        for text in ["", "[]", "x", #""x""#] {
            #expect(throws: MSALNativeAuthInternalError.invalidClaims) { try MSALClaimsRequest(jsonString: text) }
        }
        info.value = Date()
        #expect(throws: MSALNativeAuthInternalError.invalidClaims) { try request.requestClaim(claim, for: .idToken) }
    }
}

/// The log. It is one for the process, so these tests run one after the other. Source: MSAL for iOS.
@Suite(.serialized) struct LogTests {
    private static let secrets = ["Secr3t-password", "s3cret-c0de", "at-first", "rt-first", "continuation-s3cret"]

    /// What is logged of a sign-in by password and one by code.
    private func lines(
        _ level: MSALLogLevel, _ masking: MSALLogMaskingLevel
    ) async throws -> [(level: MSALLogLevel, text: String, hasPII: Bool)] {
        let lines = Locked<[(level: MSALLogLevel, text: String, hasPII: Bool)]>([])
        let id = UUID()
        let config = MSALGlobalConfig.loggerConfig
        config.logLevel = level
        config.logMaskingLevel = masking
        config.setLogCallback { level, message, hasPII in
            // Other tests log too, meanwhile.
            guard let message, message.contains(id.uuidString) else { return }
            lines.withLock { $0.append((level, message, hasPII)) }
        }
        defer {
            config.logLevel = .error
            config.logMaskingLevel = .settingsMaskAllPII
        }
        let app = try TestApp()
        app.server.on(.initiate, .token("continuation-s3cret"))
        app.server.on(.challenge, .password("continuation-s3cret"), .code("continuation-s3cret"))
        app.server.on(
            .token, .tokens("first"), .refusal("invalid_grant", "invalid_oob_value", text: "ada@example.com?"))
        let parameters = MSALNativeAuthSignInParameters(username: "Ada@Example.com")
        parameters.correlationId = id
        parameters.password = "Secr3t-password"
        _ = await app.nativeAuth.signIn(parameters: parameters)
        if case .codeRequired(let state, _, _, _) = await app.nativeAuth.signIn(parameters: parameters) {
            _ = await state.submitCode(code: "s3cret-c0de")
        }
        return lines.current
    }

    @Test func `Nothing about a person is logged unless the app allows it, and secrets never`() async throws {
        let masked = try await lines(.verbose, .settingsMaskAllPII)
        #expect(masked.contains { $0.text.contains("Sign-in of <masked>") })
        #expect(masked.allSatisfy { !$0.hasPII })
        #expect(masked.allSatisfy { !$0.text.lowercased().contains("ada@") && !$0.text.contains("oid.tid") })
        let some = try await lines(.verbose, .settingsMaskEUIIOnly)
        #expect(some.contains { $0.text.contains("oid.tid") && $0.hasPII })
        #expect(some.allSatisfy { !$0.text.lowercased().contains("ada@") })
        let all = try await lines(.verbose, .settingsMaskSecretsOnly)
        #expect(all.contains { $0.text.contains("Ada@Example.com") && $0.hasPII })
        for line in masked + some + all {
            for secret in Self.secrets { #expect(!line.text.contains(secret)) }
        }
    }

    @Test func `Lines beyond the level are left out`() async throws {
        #expect(try await lines(.nothing, .settingsMaskAllPII).isEmpty)
        let warnings = try await lines(.warning, .settingsMaskAllPII)
        #expect(warnings.map(\.level) == [.warning])
        #expect(warnings.first?.text.contains("the password is not used") == true)
        let levels = Set(try await lines(.last, .settingsMaskAllPII).map(\.level))
        #expect(levels == [.warning, .info, .verbose])
    }
}
