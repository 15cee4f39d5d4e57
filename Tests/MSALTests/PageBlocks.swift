import MSAL

// What docs/native-auth-client.md shows, so that the build compiles it; `scripts/check-docs` compares.

@MainActor
final class SignInScreen {
    let nativeAuth: MSALNativeAuthPublicClientApplication

    /// What stands in for a field of UIKit.
    let codeField = (text: "", isSecure: false)

    init() throws {
        let config = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: "dev-app", tenantSubdomain: "contoso", challengeTypes: [.OOB, .password])
        let nativeAuth = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: config)
        self.nativeAuth = nativeAuth
    }

    func show(_ text: String) {}
    func askForCode(_ sentTo: String) -> String { sentTo }
    func welcome(_ account: MSALAccount) {}
    func choose(_ methods: [MSALAuthMethod], _ state: AwaitingMFAState) {}
    func tell(_ error: SignInStartError) {}

    func showsCalls(_ parameters: MSALNativeAuthSignInParameters) async {
        switch await nativeAuth.signIn(parameters: parameters) {
        case .codeRequired(let state, let sentTo, _, _):
            if case .completed(let result) = await state.submitCode(code: askForCode(sentTo)) {
                welcome(result.account)
            }
        case .completed(let result): welcome(result.account)
        case .awaitingMFA(let methods, let state): choose(methods, state)
        case .error(let error): tell(error)
        default: break
        }
    }

    func showsLogging() {
        MSALGlobalConfig.loggerConfig.logLevel = .verbose
        MSALGlobalConfig.loggerConfig.setLogCallback { level, message, containsPII in print(message ?? "") }
    }
}

extension SignInScreen: SignInStartDelegate {
    func onSignInStartError(error: SignInStartError) {
        if error.isUserNotFound || error.isInvalidUsername { show("Who is that?") }
    }

    func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        show("A code of \(codeLength) digits went to \(sentTo).")
        newState.submitCode(code: codeField.text, delegate: self)
    }
}

extension SignInScreen: SignInVerifyCodeDelegate {
    func onSignInVerifyCodeError(error: VerifyCodeError, newState: SignInCodeRequiredState?) {}
    func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {}
}
