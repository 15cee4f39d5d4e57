import Foundation

/// Signs people up and in, without a browser: the entrance to this module.
///
/// ```swift
/// let config = try MSALNativeAuthPublicClientApplicationConfig(
///     clientId: "dev-app", tenantSubdomain: "contoso", challengeTypes: [.OOB, .password])
/// let nativeAuth = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: config)
/// ```
///
/// Each method answers by calling one method of its delegate, on the main actor, and has a twin that is asynchronous and
/// returns what happened. On Linux the main actor is the main dispatch queue: it runs while an asynchronous `main` waits,
/// and in `RunLoop.main.run()` and `dispatchMain()`; the twins need none. Source: MSAL for iOS.
public final class MSALNativeAuthPublicClientApplication: MSALPublicClientApplication, @unchecked Sendable {
    // Proof: the one stored property is a constant of a Sendable type, as is that of the superclass.
    private let client: NativeAuthClient

    /// - Throws: ``MSALNativeAuthInternalError/invalidAuthority`` unless the authority is an ``MSALCIAMAuthority``.
    public convenience init(nativeAuthConfiguration: MSALNativeAuthPublicClientApplicationConfig) throws {
        try self.init(nativeAuthConfiguration: nativeAuthConfiguration, environment: ClientEnvironment())
    }

    package init(
        nativeAuthConfiguration config: MSALNativeAuthPublicClientApplicationConfig, environment: ClientEnvironment
    ) throws {
        guard config.authority is MSALCIAMAuthority else { throw MSALNativeAuthInternalError.invalidAuthority }
        if config.redirectUri == nil {
            config.bypassRedirectURIValidation = true
            Log.write(.warning, nil, "No redirect URI is set: a flow that needs a browser cannot come back to the app.")
        }
        let settings = ClientSettings(config)
        client = NativeAuthClient(settings: settings, environment: environment)
        super.init(settings: settings)
    }

    /// Makes an application of the other kind of configuration, without capabilities and interceptor.
    ///
    /// - Throws: ``MSALNativeAuthInternalError/invalidAuthority`` unless the authority is an ``MSALCIAMAuthority``.
    @available(*, deprecated, message: "Use init(nativeAuthConfiguration:) instead.")
    public convenience init(
        configuration config: MSALPublicClientApplicationConfig, challengeTypes: MSALNativeAuthChallengeTypes
    ) throws {
        let own = MSALNativeAuthPublicClientApplicationConfig(
            clientId: config.clientId, authority: config.authority, challengeTypes: challengeTypes)
        own.redirectUri = config.redirectUri
        own.sliceConfig = config.sliceConfig
        own.cacheConfig.keychainSharingGroup = config.cacheConfig.keychainSharingGroup
        try self.init(nativeAuthConfiguration: own)
    }

    /// Makes an application of a tenant's subdomain, found as
    /// ``MSALNativeAuthPublicClientApplicationConfig/init(clientId:tenantSubdomain:challengeTypes:)`` finds it.
    ///
    /// - Throws: ``MSALNativeAuthInternalError``.
    @available(*, deprecated, message: "Use init(nativeAuthConfiguration:) instead.")
    public convenience init(
        clientId: String, tenantSubdomain: String, challengeTypes: MSALNativeAuthChallengeTypes,
        redirectUri: String? = nil
    ) throws {
        let config = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: clientId, tenantSubdomain: tenantSubdomain, challengeTypes: challengeTypes)
        config.redirectUri = redirectUri
        try self.init(nativeAuthConfiguration: config)
    }

    /// Makes an account for an address: by a mailed code, and with a password where the parameters bring one or the server asks for it
    /// afterwards. Next comes `onSignUpCodeRequired`. Such a code
    /// has eight digits on a Countersign server and is good for ten minutes, once.
    ///
    /// - Parameters:
    ///   - parameters: the address, and what is known of the account already.
    ///   - delegate: kept until it has been called; one that lacks the method for the next step gets its error method.
    public func signUp(parameters: MSALNativeAuthSignUpParameters, delegate: any SignUpStartDelegate) {
        let flow = flow(parameters.username, parameters.correlationId)
        let (password, attributes) = (parameters.password, AttributesText(parameters.attributes))
        answer(delegate, flow.correlationID) { await flow.signUp(password: password, attributes: attributes) }
    }

    /// The twin of ``signUp(parameters:delegate:)``.
    nonisolated(nonsending) public func signUp(parameters: MSALNativeAuthSignUpParameters) async -> SignUpStartOutcome {
        let attributes = AttributesText(parameters.attributes)
        return await flow(parameters.username, parameters.correlationId)
            .signUp(password: parameters.password, attributes: attributes)
    }

    /// Signs a user in: by password where one is given and the account has one, else by a code. Where a second factor is asked for,
    /// the next step names the methods, if `.mfaRequired` is among the capabilities; else the error's
    /// `isBrowserRequired` is set.
    ///
    /// - Parameters:
    ///   - parameters: the address, perhaps the password, and the scopes of the first token.
    ///   - delegate: kept until it has been called; one that lacks the method for the next step gets its error method.
    public func signIn(parameters: MSALNativeAuthSignInParameters, delegate: any SignInStartDelegate) {
        let (flow, password) = (flow(parameters), parameters.password)
        answer(delegate, flow.correlationID) { await flow.signIn(password: password) }
    }

    /// The twin of ``signIn(parameters:delegate:)``.
    nonisolated(nonsending) public func signIn(parameters: MSALNativeAuthSignInParameters) async -> SignInStartOutcome {
        await flow(parameters).signIn(password: parameters.password)
    }

    /// Lets a user choose a new password, after a mailed code. All sessions of before end with it. An address without an account is
    /// answered alike, unless the application reveals addresses.
    public func resetPassword(
        parameters: MSALNativeAuthResetPasswordParameters, delegate: any ResetPasswordStartDelegate
    ) {
        let flow = flow(parameters.username, parameters.correlationId)
        answer(delegate, flow.correlationID) { await flow.resetPassword() }
    }

    /// The twin of ``resetPassword(parameters:delegate:)``.
    nonisolated(nonsending) public func resetPassword(
        parameters: MSALNativeAuthResetPasswordParameters
    ) async -> ResetPasswordStartOutcome {
        await flow(parameters.username, parameters.correlationId).resetPassword()
    }

    /// The account that is signed in on this device, or nil. It asks the keychain, and no server: whether the session goes on shows
    /// ``MSALNativeAuthUserAccountResult/getAccessToken(parameters:)``.
    public func getNativeAuthUserAccount(correlationId: UUID? = nil) -> MSALNativeAuthUserAccountResult? {
        client.cachedAccount(correlationID: correlationId ?? UUID())
    }

    private func flow(_ username: String, _ correlationID: UUID?) -> Flow {
        Flow(client: client, correlationID: correlationID ?? UUID(), username: username)
    }

    private func flow(_ parameters: MSALNativeAuthSignInParameters) -> Flow {
        var flow = flow(parameters.username, parameters.correlationId)
        flow.scopes = parameters.scopes ?? []
        flow.claims = parameters.claimsRequest?.jsonString()
        return flow
    }
}
