// Signs in a user whose account asks for a second factor, on the app's own screens. A server has to run on this machine:
// make dev. FirstSignIn and EnrolTOTP make such an account; codes that are mailed are in http://127.0.0.1:8080/dev/inbox

import Foundation
import MSAL

func ask(_ question: String) -> String {
    print(question, terminator: " ")
    return readLine() ?? ""
}

func fail(_ error: MSALNativeAuthError) -> Never {
    print(error.errorDescription ?? "It failed.", error.cause?.description ?? "")
    exit(1)
}

/// Lets the user choose a method, and gives its code.
func secondFactor(_ methods: [MSALAuthMethod], _ state: AwaitingMFAState) async -> MSALNativeAuthUserAccountResult {
    for (number, method) in methods.enumerated() {
        // `email`; or, from this server, `totp` and `push`.
        print("\(number): \(method.channelTargetType.value) \(method.loginHint ?? "")")
    }
    guard let choice = Int(ask("Which one?")), methods.indices.contains(choice) else { exit(1) }
    switch await state.requestChallenge(authMethod: methods[choice]) {
    case .verificationRequired(var next, let sentTo, _, let length):
        while true {
            // A device is asked by itself: any text asks whether it has answered.
            let code = length < 0 ? "answered" : ask("The code of \(sentTo):")
            switch await next.submitChallenge(challenge: code) {
            case .completed(let result): return result
            case .error(let error, let again?) where error.isInvalidChallenge && length > 0: next = again
            case .error(let error, let again?) where error.cause?.isApprovalPending == true:
                next = again
                try? await Task.sleep(nanoseconds: 5_000_000_000)
            case .error(let error, _): fail(error)
            }
        }
    case .selectionRequired(let methods, _):
        print("Choose one of \(methods.count) first.")
        exit(1)
    case .error(let error, _): fail(error)
    }
}

guard let url = URL(string: "http://127.0.0.1:8080/contoso") else { exit(1) }
let config = MSALNativeAuthPublicClientApplicationConfig(
    clientId: "dev-app", authority: try MSALCIAMAuthority(url: url), challengeTypes: [.password, .OOB])
// Without it an account with a second factor is sent to a browser, which is not here.
config.capabilities = [.mfaRequired]
let nativeAuth = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: config)

let parameters = MSALNativeAuthSignInParameters(username: ask("Your e-mail address:"))
parameters.password = ask("Your password:")
switch await nativeAuth.signIn(parameters: parameters) {
case .awaitingMFA(let methods, let state):
    let result = await secondFactor(methods, state)
    print("Signed in as \(result.account.username ?? "an unknown user"), with two factors.")
case .completed(let result):
    print("Signed in as \(result.account.username ?? "an unknown user"): one factor was enough.")
case .error(let error): fail(error)
case .codeRequired, .passwordRequired, .strongAuthMethodRegistration: print("The account asks for something else.")
}
