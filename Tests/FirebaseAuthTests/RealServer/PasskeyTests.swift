import FirebaseAuth
import Foundation
import PasskeyTestSupport
import Testing

/// Passkeys: the real client against the real server, with an authenticator in software.
@Suite struct PasskeyTests {
    private static let password = "a quiet afternoon"

    /// A user whose address is verified.
    private static func person(
        _ auth: Auth, _ server: RunningServer, email: String = "ada@example.com"
    ) async throws -> User {
        let user = try await auth.createUser(withEmail: email, password: password).user
        try await user.sendEmailVerification()
        try await auth.applyActionCode(#require(try await server.mailedCode()))
        return user
    }

    private static func authenticator(_ server: RunningServer) throws -> SoftwareAuthenticator {
        SoftwareAuthenticator(origin: "http://localhost:\(try #require(server.url.port))")
    }

    /// Adds a passkey, which the authenticator holds afterwards.
    private static func enrol(
        _ user: User, _ authenticator: inout SoftwareAuthenticator, name: String? = "Laptop"
    ) async throws {
        let request = try await user.startPasskeyEnrollment(withName: name)
        try await user.finalizePasskeyEnrollment(
            withPlatformCredential: PasskeyRegistration(json: authenticator.create(optionsJSON: request.json)))
    }

    private static func answer(
        _ authenticator: SoftwareAuthenticator, to request: PasskeyAssertionRequest
    ) throws -> PasskeyAssertion {
        var authenticator = authenticator
        return try PasskeyAssertion(json: authenticator.get(optionsJSON: request.json))
    }

    @Test func `A passkey is added, signs in without a name, is listed and removed`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let user = try await Self.person(auth, server)
            try await user.reload()
            #expect(user.enrolledPasskeys == nil)

            var authenticator = try Self.authenticator(server)
            let request = try await user.startPasskeyEnrollment(withName: "Laptop")
            #expect(request.relyingPartyIdentifier == "localhost" && request.name == "Laptop")
            #expect(request.userID == Data(user.uid.utf8) && request.challenge.count == 32)
            let made = try PasskeyRegistration(json: authenticator.create(optionsJSON: request.json))
            let before = user.refreshToken
            let enrolled = try await user.finalizePasskeyEnrollment(withPlatformCredential: made)
            #expect(enrolled.user === user && user.refreshToken != before)
            #expect(user.enrolledPasskeys?.map(\.name) == ["Laptop"])
            #expect(try await user.getIDTokenResult(forcingRefresh: true).signInProvider == "password")
            let uid = user.uid
            try auth.signOut()

            // Another device's program, which knows nobody.
            let other = server.auth()
            let question = try await other.startPasskeySignIn()
            #expect(question.relyingPartyIdentifier == "localhost")
            let result = try await other.finalizePasskeySignIn(
                withPlatformCredential: Self.answer(authenticator, to: question))
            #expect(result.user.uid == uid && other.currentUser === result.user && result.user.email != nil)
            #expect(try await result.user.getIDTokenResult().signInProvider == "passkey")
            try await result.user.reload()
            let passkey = try #require(result.user.enrolledPasskeys?.first)
            #expect(passkey.credentialID == SoftwareAuthenticator.base64URL(authenticator.credentialID))

            #expect(
                await code { try await result.user.unenrollPasskey(withCredentialID: "") } == .missingPasskeyEnrollment)
            try await result.user.unenrollPasskey(withCredentialID: passkey.credentialID)
            #expect(result.user.enrolledPasskeys == nil && other.currentUser === result.user)
            let last = try await other.startPasskeySignIn()
            #expect(
                await code {
                    try await other.finalizePasskeySignIn(withPlatformCredential: Self.answer(authenticator, to: last))
                } == .missingPasskeyEnrollment)
        }
    }

    @Test func `A wrong answer is refused and uses its question up`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let user = try await Self.person(auth, server)
            var authenticator = try Self.authenticator(server)
            var elsewhere = authenticator
            elsewhere.origin = "http://localhost.example.org"

            let creation = try await user.startPasskeyEnrollment(withName: nil)
            let wrong = try PasskeyRegistration(json: elsewhere.create(optionsJSON: creation.json))
            #expect(
                await code { try await user.finalizePasskeyEnrollment(withPlatformCredential: wrong) }
                    == .invalidAuthenticatorResponse)
            let late = try PasskeyRegistration(json: authenticator.create(optionsJSON: creation.json))
            #expect(
                await code { try await user.finalizePasskeyEnrollment(withPlatformCredential: late) }
                    == .invalidAuthenticatorResponse)
            #expect(auth.currentUser === user)
            try await Self.enrol(user, &authenticator, name: nil)
            #expect(user.enrolledPasskeys?.map(\.name) == ["Unnamed account (Apple)"])
            try auth.signOut()

            elsewhere = authenticator
            elsewhere.origin = "http://localhost.example.org"
            let question = try await auth.startPasskeySignIn()
            var codes: [AuthErrorCode.Code?] = []
            for attempt in [elsewhere, authenticator] {
                let answer = try Self.answer(attempt, to: question)
                codes.append(await code { try await auth.finalizePasskeySignIn(withPlatformCredential: answer) })
            }
            #expect(codes == [.invalidAuthenticatorResponse, .invalidAuthenticatorResponse])
            #expect(auth.currentUser == nil)
            try await auth.finalizePasskeySignIn(
                withPlatformCredential: Self.answer(authenticator, to: await auth.startPasskeySignIn()))
            #expect(auth.currentUser?.uid == user.uid)
        }
    }

    @Test func `The same answer counts once`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            let user = try await Self.person(auth, server)
            var authenticator = try Self.authenticator(server)
            let creation = try await user.startPasskeyEnrollment(withName: "Laptop")
            let made = try PasskeyRegistration(json: authenticator.create(optionsJSON: creation.json))
            try await user.finalizePasskeyEnrollment(withPlatformCredential: made)
            #expect(await code { try await user.finalizePasskeyEnrollment(withPlatformCredential: made) } != nil)
            try await user.reload()
            #expect(user.enrolledPasskeys?.count == 1)

            let answer = try Self.answer(authenticator, to: try await auth.startPasskeySignIn())
            try await auth.finalizePasskeySignIn(withPlatformCredential: answer)
            let thief = server.auth()
            #expect(
                await code { try await thief.finalizePasskeySignIn(withPlatformCredential: answer) }
                    == .invalidAuthenticatorResponse)
            #expect(thief.currentUser == nil)
        }
    }

    @Test func `A credential of another user, and a sign-in too long ago, have codes of their own`() async throws {
        try await RealServer.run { server in
            let auth = server.auth()
            var authenticator = try Self.authenticator(server)
            try await Self.enrol(try await Self.person(auth, server), &authenticator)
            let bob = try await Self.person(auth, server, email: "bob@example.com")
            var copy = authenticator
            let request = try await bob.startPasskeyEnrollment(withName: "Copy")
            let made = try PasskeyRegistration(json: copy.create(optionsJSON: request.json))
            #expect(
                await code { try await bob.finalizePasskeyEnrollment(withPlatformCredential: made) }
                    == .credentialAlreadyInUse)
            try await server.advanceClock(seconds: 301)
            #expect(
                await code { _ = try await bob.startPasskeyEnrollment(withName: "Late") } == .requiresRecentLogin)
            #expect(auth.currentUser === bob)
        }
    }
}
