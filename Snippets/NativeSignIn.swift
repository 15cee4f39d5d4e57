// Signs somebody up with a mailed code, and in. A server has to run on this machine: make run ARGS=--dev
// Its inbox, where the codes are: http://127.0.0.1:8080/dev/inbox

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

/// Goes on until somebody is signed in.
func signIn(_ nativeAuth: MSALNativeAuthPublicClientApplication, _ email: String) async
    -> MSALNativeAuthUserAccountResult
{
    switch await nativeAuth.signIn(parameters: MSALNativeAuthSignInParameters(username: email)) {
    case .codeRequired(var state, let sentTo, _, _):
        while true {
            switch await state.submitCode(code: ask("The code that went to \(sentTo):")) {
            case .completed(let result): return result
            case .error(let error, let next?) where error.isInvalidCode: state = next
            case .error(let error, _): fail(error)
            default: exit(1)
            }
        }
    case .passwordRequired(let state):
        switch await state.submitPassword(password: ask("Your password:")) {
        case .completed(let result): return result
        case .error(let error, _): fail(error)
        default: exit(1)
        }
    case .error(let error): fail(error)
    default: exit(1)
    }
}

let authority = try MSALCIAMAuthority(url: URL(string: "http://127.0.0.1:8080/contoso")!)
let config = MSALNativeAuthPublicClientApplicationConfig(
    clientId: "dev-app", authority: authority, challengeTypes: [.OOB, .password])
let nativeAuth = try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: config)
let email = ask("Your e-mail address:")

switch await nativeAuth.signUp(parameters: MSALNativeAuthSignUpParameters(username: email)) {
case .codeRequired(let state, let sentTo, _, _):
    switch await state.submitCode(code: ask("The code that went to \(sentTo):")) {
    case .completed: print("\(email) has an account now.")
    case .error(let error, _): fail(error)
    default: exit(1)
    }
case .error(let error) where error.isUserAlreadyExists: print("\(email) has an account already.")
case .error(let error): fail(error)
default: exit(1)
}

let result = await signIn(nativeAuth, email)
print("Signed in as \(result.account.username ?? "somebody").")
if case .completed(let token) = await result.getAccessToken(parameters: MSALNativeAuthGetAccessTokenParameters()) {
    print("The access token is good until \(token.expiresOn.map { "\($0)" } ?? "some time").")
}
