import FirebaseAuth
import Foundation
import OneTimePassword
import TerminalQRCode

/// The first act: a user signs up, protects the account with TOTP, signs in with it, is refused where it is right to
/// refuse, takes the second factor off and signs out. Written against the client SDK, as an app would be.
struct SecondFactorAct: DemoAct {
    let stage: DemoStage
    let narrator: DemoNarrator

    static let name = "second factor"
    private let email = "ada@example.com"
    private let password = "a long and quiet afternoon"

    /// The authenticator in the user's hand: it knows what the QR code said, and the time.
    private struct Authenticator {
        let totp: TOTP
        /// Seconds that the server's clock was moved by.
        var ahead = 0

        init(scanning uri: String) throws {
            let parsed = try OTPAuthURI(parsing: uri)
            guard case .totp(let period) = parsed.kind else {
                throw DemoNarrator.Disappointment(description: "The QR code is not for time-based codes.")
            }
            totp = try TOTP(
                secret: parsed.secret, algorithm: parsed.algorithm, digits: parsed.digits, period: period)
        }

        var code: String { totp.code(at: Date().addingTimeInterval(Double(ahead))).stringCode }

        /// A code of the right form that is not right now.
        var wrongCode: String {
            let present = Set(
                (-1...1).map { totp.code(at: Date().addingTimeInterval(Double(ahead + 30 * $0))).stringCode })
            return ["000000", "111111", "222222", "333333"].first { !present.contains($0) } ?? "444444"
        }
    }

    func play() async throws {
        narrator.act("Act one: a password, and a code from an authenticator")
        let options = FirebaseOptions(googleAppID: "1:1:ios:demo", gcmSenderID: "1")
        options.apiKey = "dev-app"
        FirebaseApp.configure(name: "demo", options: options)
        guard let app = FirebaseApp.app(name: "demo") else {
            throw DemoNarrator.Disappointment(description: "The app could not be configured.")
        }
        let auth = Auth.auth(app: app)
        auth.useEmulator(withHost: stage.url.host ?? "127.0.0.1", port: stage.url.port ?? 80)

        try await signUp(auth)
        var authenticator = try await enrol(auth)
        try await signIn(auth, &authenticator)
        try await unenrol(auth)
        _ = await app.delete()
    }

    private func signUp(_ auth: Auth) async throws {
        let user = try await step("Ada signs up", tell: { "user \($0.uid)" }) {
            try await auth.createUser(withEmail: email, password: password).user
        }
        try await step("A mail asks her to confirm the address", tell: { (subject: String) in "“\(subject)”" }) {
            try await user.sendEmailVerification()
            let (subject, link) = try await stage.mailedLink(to: email)
            try await stage.press(buttonBehind: link)
            return subject
        }
        try await step("The address is confirmed") {
            try await user.reload()
            try expect(user.isEmailVerified, "The address is still unconfirmed.")
            _ = try await user.getIDToken(forcingRefresh: true)
        }
    }

    private func enrol(_ auth: Auth) async throws -> Authenticator {
        guard let user = auth.currentUser else {
            throw DemoNarrator.Disappointment(description: "No user is signed in.")
        }
        let (secret, uri) = try await step("The server makes a TOTP secret for her") {
            let session = try await user.multiFactor.session()
            let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
            let uri = secret.generateQRCodeURL(withAccountName: email, issuer: "Countersign Demo")
            return (secret, uri)
        }
        let authenticator = try await step("Her authenticator reads the QR code") {
            if !narrator.asJSON {
                narrator.show(try TerminalQRCode.render(uri, style: narrator.isColoured ? .colored : .plain))
                narrator.show("or by hand: \(secret.sharedSecretKey())")
            }
            await narrator.pause("Scan it, and press Return: your authenticator shows the code that follows.")
            return try Authenticator(scanning: uri)
        }
        try await step("The first code proves that it works", tell: { (code: String) in "code \(code)" }) {
            let code = authenticator.code
            let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
            try await user.multiFactor.enroll(with: assertion, displayName: "Ada’s terminal")
            try expect(auth.currentUser?.multiFactor.enrolledFactors.count == 1, "No factor is enrolled.")
            return code
        }
        try await step("She signs out") {
            try auth.signOut()
            try expect(auth.currentUser == nil, "She is still signed in.")
        }
        return authenticator
    }

    private func signIn(_ auth: Auth, _ authenticator: inout Authenticator) async throws {
        try await stage.advanceClock(seconds: 60)
        authenticator.ahead += 60
        let resolver = try await step(
            "The password alone does not sign her in",
            tell: { (resolver: MultiFactorResolver) in "asked for “\(resolver.hints.first?.displayName ?? "?")”" }
        ) {
            try await self.resolver(auth)
        }
        guard let hint = resolver.hints.first else {
            throw DemoNarrator.Disappointment(description: "No second factor is offered.")
        }
        func resolve(_ resolver: MultiFactorResolver, _ code: String) async throws -> AuthDataResult {
            try await resolver.resolveSignIn(
                with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: hint.uid, oneTimePassword: code))
        }
        let wrong = authenticator.wrongCode
        try await step("A wrong code is refused", tell: { (code: String) in "code \(code)" }) {
            try await expectRefusal(.invalidVerificationCode) { _ = try await resolve(resolver, wrong) }
            return wrong
        }
        let right = authenticator.code
        try await step(
            "The right code signs her in",
            tell: { (factor: String) in "code \(right), second factor “\(factor)” in the token" }
        ) {
            let user = try await resolve(resolver, right).user
            let token = try await user.getIDTokenResult()
            try expect(token.signInSecondFactor == "totp", "The token does not name the second factor.")
            return token.signInSecondFactor
        }
        try await step("The same code is refused a second time") {
            try auth.signOut()
            let again = try await self.resolver(auth)
            try await expectRefusal(.invalidVerificationCode) { _ = try await resolve(again, right) }
        }
        try await stage.advanceClock(seconds: 60)
        authenticator.ahead += 60
        let next = authenticator.code
        try await step("The next code signs her in again", tell: { _ in "code \(next)" }) {
            _ = try await resolve(try await self.resolver(auth), next)
        }
    }

    private func unenrol(_ auth: Auth) async throws {
        try await step("She takes the second factor off") {
            guard let user = auth.currentUser, let factor = user.multiFactor.enrolledFactors.first else {
                throw DemoNarrator.Disappointment(description: "There is no factor to take off.")
            }
            try await user.multiFactor.unenroll(with: factor)
            try expect(
                auth.currentUser?.multiFactor.enrolledFactors.isEmpty ?? false, "The factor is still there.")
        }
        try await step("From now on the password is enough again") {
            try auth.signOut()
            _ = try await auth.signIn(withEmail: email, password: password)
        }
        try await step("She signs out") {
            try auth.signOut()
            try expect(auth.currentUser == nil, "She is still signed in.")
        }
    }

    /// Signs in with the password, and answers what is asked for next.
    private func resolver(_ auth: Auth) async throws -> MultiFactorResolver {
        do {
            _ = try await auth.signIn(withEmail: email, password: password)
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            guard let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver else {
                throw DemoNarrator.Disappointment(description: "The error brings no resolver.")
            }
            return resolver
        }
        throw DemoNarrator.Disappointment(description: "The password was enough, and should not have been.")
    }

    private func expectRefusal(_ code: AuthErrorCode.Code, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as AuthErrorCode where error.code == code {
            return
        }
        throw DemoNarrator.Disappointment(description: "It was accepted, and should have been refused.")
    }
}
