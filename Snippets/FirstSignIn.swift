// Signs a user up, and in again. A server has to run on this machine: make dev

import FirebaseAuth
import Foundation

let options = FirebaseOptions()
options.apiKey = "dev-app"
FirebaseApp.configure(options: options)
Auth.auth().useEmulator(withHost: "127.0.0.1", port: 8080)

/// In a function, because at the top level Swift would take the twins with completion handlers.
func signUpAndIn(email: String, password: String) async throws {
    do {
        try await Auth.auth().createUser(withEmail: email, password: password)
        print("\(email) has an account now.")
    } catch AuthErrorCode.emailAlreadyInUse {
        print("\(email) has an account already.")
    }
    try Auth.auth().signOut()

    let user = try await Auth.auth().signIn(withEmail: email, password: password).user
    let token = try await user.getIDTokenResult()
    print("Signed in as \(user.uid). The ID token is good until \(token.expirationDate).")
}

try await signUpAndIn(email: "ada@example.com", password: "a long and quiet afternoon")
