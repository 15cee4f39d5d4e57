// Protects an account with an authenticator app, and signs in with it. FirstSignIn makes the account; the server is the
// same: make dev

import FirebaseAuth
import Foundation

let options = FirebaseOptions()
options.apiKey = "dev-app"
FirebaseApp.configure(options: options)
let auth = Auth.auth()
auth.useEmulator(withHost: "127.0.0.1", port: 8080)

func ask(_ question: String) -> String {
    print(question)
    return readLine() ?? ""
}

func enrol(email: String, password: String) async throws {
    // Only a proven address may carry a second factor: otherwise a stranger could lock its owner out.
    let user = try await auth.signIn(withEmail: email, password: password).user
    if !user.isEmailVerified {
        try await user.sendEmailVerification()
        _ = ask("Press the button behind the link in http://127.0.0.1:8080/dev/inbox, then return here.")
        try await user.reload()
    }

    // The server makes the secret; the authenticator takes it from the URI or from what is typed.
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    print(secret.generateQRCodeURL(withAccountName: email, issuer: "Countersign"))
    print("or by hand: \(secret.sharedSecretKey())")

    // The first code proves that the authenticator has it right.
    let firstCode = ask("The code that it shows:")
    let enrolment = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: firstCode)
    try await user.multiFactor.enroll(with: enrolment, displayName: "My authenticator")
    try auth.signOut()
}

func signIn(email: String, password: String) async throws {
    // From now on the password is only half of it.
    do {
        try await auth.signIn(withEmail: email, password: password)
    } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
        guard let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver,
            let factor = resolver.hints.first(where: { $0.factorID == TOTPMultiFactorID })
        else { throw error }
        // A code counts once, and the one above is used up.
        let code = ask("The next code of \(factor.displayName ?? "the authenticator"):")
        let answer = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: factor.uid, oneTimePassword: code)
        let signedIn = try await resolver.resolveSignIn(with: answer).user
        print("Signed in as \(signedIn.uid), with \(try await signedIn.getIDTokenResult().signInSecondFactor).")
    }
}

try await enrol(email: "ada@example.com", password: "a long and quiet afternoon")
try await signIn(email: "ada@example.com", password: "a long and quiet afternoon")
