// Signs a user up with a mailed code, and in with another. A server has to run on this machine: make dev The codes are
// in its inbox: http://127.0.0.1:8080/dev/inbox

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

guard let url = URL(string: "http://127.0.0.1:8080/contoso") else { exit(1) }
let config = MSALNativeAuthPublicClientApplicationConfig(
    clientId: "dev-app", authority: try MSALCIAMAuthority(url: url), challengeTypes: [.OOB])
let nativeAuth = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: config)
let email = ask("Your e-mail address:")

switch await nativeAuth.signUp(parameters: MSALNativeAuthSignUpParameters(username: email)) {
case .codeRequired(let state, let sentTo, _, _):
    switch await state.submitCode(code: ask("The code that went to \(sentTo):")) {
    case .completed: print("\(email) has an account now.")
    case .error(let error, _): fail(error)
    case .attributesRequired, .passwordRequired: print("The account asks for more than this program has.")
    }
case .attributesInvalid(let names): print("Not good: \(names)")
case .error(let error): fail(error)
}

switch await nativeAuth.signIn(parameters: MSALNativeAuthSignInParameters(username: email)) {
case .codeRequired(var state, let sentTo, _, _):
    // A wrong code can be given again, with the state that the error hands along.
    signIn: while true {
        switch await state.submitCode(code: ask("The code that went to \(sentTo) now:")) {
        case .completed(let result):
            print("Signed in as \(result.account.username ?? "an unknown user").")
            let parameters = MSALNativeAuthGetAccessTokenParameters()
            if case .completed(let token) = await result.getAccessToken(parameters: parameters),
                let end = token.expiresOn
            {
                print("The access token is good until \(end).")
            }
            break signIn
        case .error(let error, let next?) where error.isInvalidCode: state = next
        case .error(let error, _): fail(error)
        case .awaitingMFA, .strongAuthMethodRegistration:
            print("A second factor is asked for.")
            break signIn
        }
    }
case .error(let error): fail(error)
case .passwordRequired, .awaitingMFA, .strongAuthMethodRegistration, .completed: break
}
