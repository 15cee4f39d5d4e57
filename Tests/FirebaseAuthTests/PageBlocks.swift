import FirebaseAuth

// What README.md ("A first app") and docs/passkeys.md show, so that the build compiles it; `scripts/check-docs` compares.

func showsFirstApp() {
    let options = FirebaseOptions()
    options.apiKey = "dev-app"
    FirebaseApp.configure(options: options)
    Auth.auth().useEmulator(withHost: "127.0.0.1", port: 8080)

    func signIn(email: String, password: String, code: () async -> String) async throws -> User {
        do {
            return try await Auth.auth().signIn(withEmail: email, password: password).user
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            guard let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver,
                let factor = resolver.hints.first(where: { $0.factorID == TOTPMultiFactorID })
            else { throw error }
            let answer = TOTPMultiFactorGenerator.assertionForSignIn(
                withEnrollmentID: factor.uid, oneTimePassword: await code())
            return try await resolver.resolveSignIn(with: answer).user
        }
    }
}

func showsPasskeys(
    of user: User, registration: PasskeyRegistration, assertion: PasskeyAssertion, id: String
) async throws {
    let request = try await user.startPasskeyEnrollment(withName: "Laptop")
    try await user.finalizePasskeyEnrollment(withPlatformCredential: registration)

    let question = try await Auth.auth().startPasskeySignIn()
    try await Auth.auth().finalizePasskeySignIn(withPlatformCredential: assertion)

    try await user.reload()
    for passkey in user.enrolledPasskeys ?? [] { print(passkey.name) }
    try await user.unenrollPasskey(withCredentialID: id)
    _ = (request, question)
}
