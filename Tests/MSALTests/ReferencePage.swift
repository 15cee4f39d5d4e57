// The code of the page on signing in, UIKit aside, put together. Source: Microsoft Learn, Sign in users in a sample iOS app
// by native authentication. One import, as on the page; nothing else may be needed.
import MSAL

/// What stands in for UIKit's classes.
@MainActor
final class TextField {
    var text: String?
}

@MainActor
final class TextView {
    private let (texts, continuation) = AsyncStream.makeStream(of: String.self)
    var text = "" { didSet { continuation.yield(text) } }

    /// The next text that was set.
    func next() async -> String? {
        for await text in texts { return text }
        return nil
    }
}

@MainActor
class ViewController {
    let emailTextField = TextField()
    let resultTextView = TextView()
    var nativeAuth: MSALNativeAuthPublicClientApplication
    var accountResult: MSALNativeAuthUserAccountResult?
    var preferredUsername: String?

    init(_ application: MSALNativeAuthPublicClientApplication) {
        nativeAuth = application
        accountResult = nativeAuth.getNativeAuthUserAccount()
    }

    func signInPressed(_: Any) {
        guard let email = emailTextField.text else {
            resultTextView.text = "email not set"
            return
        }

        let parameters = MSALNativeAuthSignInParameters(username: email)
        nativeAuth.signIn(parameters: parameters, delegate: self)
    }

    func signOutPressed(_: Any) {
        guard let accountResult = accountResult else {
            print("Not currently signed in")
            return
        }

        accountResult.signOut()

        self.accountResult = nil

        resultTextView.text = "Signed out"
    }

    func retrieveNewCode() -> String { "22222222" }
}

extension ViewController: SignInStartDelegate {
    func onSignInStartError(error: MSAL.SignInStartError) {
        if error.isUserNotFound || error.isInvalidUsername {
            resultTextView.text = "Invalid username"
        } else {
            resultTextView.text = "Error signing in: \(error.errorDescription ?? "no description")"
        }
    }

    func onSignInCodeRequired(
        newState: MSAL.SignInCodeRequiredState,
        sentTo: String,
        channelTargetType: MSAL.MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        resultTextView.text = "Verification code sent to \(sentTo)"
        let userSuppliedCode = "11111111"
        newState.submitCode(code: userSuppliedCode, delegate: self)
    }
}

extension ViewController: SignInVerifyCodeDelegate {
    func onSignInVerifyCodeError(error: MSAL.VerifyCodeError, newState: MSAL.SignInCodeRequiredState?) {
        if error.isInvalidCode {
            // Inform the user that the submitted code was incorrect and ask for a new code to be supplied
            let userSuppliedCode = retrieveNewCode()
            newState?.submitCode(code: userSuppliedCode, delegate: self)
        } else {
            resultTextView.text = "Error verifying code: \(error.errorDescription ?? "no description")"
        }
    }

    func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {
        let claims = result.account.accountClaims
        preferredUsername = claims?["preferred_username"] as? String
        resultTextView.text = "Signed in successfully."
        accountResult = result
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        result.getAccessToken(parameters: parameters, delegate: self)
    }
}

extension ViewController: CredentialsDelegate {
    func onAccessTokenRetrieveError(error: MSAL.RetrieveAccessTokenError) {
        resultTextView.text = "Error retrieving access token"
    }

    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        resultTextView.text = "Signed in. Access Token: \(result.accessToken)"
    }
}

@MainActor
class PasswordViewController {
    let resultTextView = TextView()
}

extension PasswordViewController: SignInStartDelegate {
    func onSignInStartError(error: MSAL.SignInStartError) {
        resultTextView.text = "Error signing in: \(error.errorDescription ?? "no description")"
    }

    func onSignInCompleted(result: MSAL.MSALNativeAuthUserAccountResult) {
        resultTextView.text = "User successfully signed in"
    }
}

/// Compiled and not run: it would make an application for Microsoft's own host.
@available(*, deprecated)
@MainActor
private func theTutorialsPreparation() {
    do {
        let nativeAuth = try MSALNativeAuthPublicClientApplication(
            clientId: "Enter_the_Application_Id_Here",
            tenantSubdomain: "Enter_the_Tenant_Subdomain_Here",
            challengeTypes: [.OOB]
        )
        MSALGlobalConfig.loggerConfig.logLevel = .verbose
        MSALGlobalConfig.loggerConfig.setLogCallback { logLevel, message, containsPII in
            if !containsPII { print("\(logLevel): \(message ?? "")") }
        }
        _ = nativeAuth
    } catch {
        print("Unable to initialize MSAL \(error)")
    }
}
