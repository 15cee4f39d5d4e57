import AdminServer
import CountersignCore
import Foundation
import MSAL

/// The third act: a user signs up and in with mailed codes alone, in an app with screens of its own. Written against
/// the client SDK, as an app would be.
struct MailedCodeAct: DemoAct {
    let stage: DemoStage
    let narrator: DemoNarrator

    static let name = "mailed code"
    private let email = "katherine@example.com"

    func play() async throws {
        narrator.act("Act three: an app of one's own, and a code by mail")
        let app = try MSALNativeAuthPublicClientApplication(
            nativeAuthConfiguration: MSALNativeAuthPublicClientApplicationConfig(
                clientId: "dev-app",
                authority: try MSALCIAMAuthority(url: stage.url.appendingPathComponent("contoso.onmicrosoft.com")),
                challengeTypes: [.OOB]))
        let account = try await signUp(app)
        try await step("She signs out") {
            account.signOut()
            try expect(app.getNativeAuthUserAccount() == nil, "She is still signed in.")
        }
        let again = try await signIn(app)
        try await refresh(again)
        let act = self
        try await RolesService.run { service in try await act.claims(of: again, by: service) }
        again.signOut()
    }

    private func unexpected(_ error: MSALNativeAuthError) -> DemoNarrator.Disappointment {
        DemoNarrator.Disappointment(description: error.errorDescription ?? "The server refused.")
    }

    private func unexpected(_ outcome: some Sendable) -> DemoNarrator.Disappointment {
        DemoNarrator.Disappointment(description: "Something else came: \(outcome)")
    }

    private func mailedCode() async throws -> String {
        try await step(
            "The code is in her mailbox", tell: { (mail: (subject: String, code: String)) in "“\(mail.subject)”" }
        ) {
            try await stage.mailedCode(to: email)
        }.code
    }

    private func signUp(
        _ app: MSALNativeAuthPublicClientApplication
    ) async throws -> MSALNativeAuthUserAccountResult {
        let state = try await step(
            "Katherine signs up with her address; the app asks for a code",
            tell: { (asked: (state: SignUpCodeRequiredState, told: String)) in asked.told }
        ) {
            switch await app.signUp(parameters: MSALNativeAuthSignUpParameters(username: email)) {
            case .codeRequired(let state, let sentTo, _, let length):
                return (state, "\(length) digits, sent to \(sentTo)")
            case .error(let error): throw unexpected(error)
            case let other: throw unexpected(other)
            }
        }.state
        let code = try await mailedCode()
        let made = try await step("The code makes the account", tell: { _ in "code \(code)" }) {
            switch await state.submitCode(code: code) {
            case .completed(let state): return state
            case .error(let error, _): throw unexpected(error)
            case let other: throw unexpected(other)
            }
        }
        return try await step("She is signed in without typing anything more", tell: Self.user) {
            switch await made.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters()) {
            case .completed(let result): return result
            case .error(let error): throw unexpected(error)
            case let other: throw unexpected(other)
            }
        }
    }

    private static func user(_ result: MSALNativeAuthUserAccountResult) -> String {
        "user \(result.account.accountClaims?["oid"] as? String ?? "?")"
    }

    private func codeRequired(_ app: MSALNativeAuthPublicClientApplication) async throws -> SignInCodeRequiredState {
        switch await app.signIn(parameters: MSALNativeAuthSignInParameters(username: email)) {
        case .codeRequired(let state, _, _, _): return state
        case .error(let error): throw unexpected(error)
        case let other: throw unexpected(other)
        }
    }

    private func signIn(
        _ app: MSALNativeAuthPublicClientApplication
    ) async throws -> MSALNativeAuthUserAccountResult {
        let state = try await step("She signs in: the same address, another code") { try await codeRequired(app) }
        let first = try await mailedCode()
        let wrong = first == "00000000" ? "00000001" : "00000000"
        let next = try await step(
            "A wrong code is refused, and can be given again",
            tell: { (_: SignInCodeRequiredState) in "code \(wrong)" }
        ) {
            switch await state.submitCode(code: wrong) {
            case .error(let error, let state?) where error.isInvalidCode: return state
            case .error(let error, _): throw unexpected(error)
            case let other: throw unexpected(other)
            }
        }
        let resent = try await step("She asks for another one") {
            switch await next.resendCode() {
            case .codeRequired(let state, _, _, _): return state
            case .error(let error, _): throw unexpected(error)
            }
        }
        let second = try await mailedCode()
        let last = try await step("The code before is good no more", tell: { _ in "code \(first)" }) {
            switch await resent.submitCode(code: first) {
            case .error(let error, let state?) where error.isInvalidCode: return state
            case .error(let error, _): throw unexpected(error)
            case let other: throw unexpected(other)
            }
        }
        return try await step("The new one signs her in", tell: { _ in "code \(second)" }) {
            switch await last.submitCode(code: second) {
            case .completed(let result): return result
            case .error(let error, _): throw unexpected(error)
            case let other: throw unexpected(other)
            }
        }
    }

    private func token(
        of account: MSALNativeAuthUserAccountResult, refreshed: Bool
    ) async throws -> MSALNativeAuthTokenResult {
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        parameters.forceRefresh = refreshed
        switch await account.getAccessToken(parameters: parameters) {
        case .completed(let token): return token
        case .error(let error): throw unexpected(error)
        }
    }

    private func refresh(_ account: MSALNativeAuthUserAccountResult) async throws {
        let first = try await step(
            "The app has an access token for its services",
            tell: { (token: MSALNativeAuthTokenResult) in "scopes \(token.scopes.joined(separator: " "))" }
        ) {
            try await token(of: account, refreshed: false)
        }
        try await step("It gets a fresh one without her") {
            let fresh = try await token(of: account, refreshed: true)
            try expect(fresh.accessToken != first.accessToken, "The token is the old one.")
        }
    }

    private func claims(of account: MSALNativeAuthUserAccountResult, by service: RolesService) async throws {
        try await step("The developer registers a service that knows every user's roles") {
            let administration = try RemoteAdministration(
                server: stage.url.absoluteString, token: try stage.adminToken)
            _ = try await administration.perform(
                AddExtension(
                    event: "token-issuance-start", targetURL: service.url, applications: ["dev-app"],
                    claims: [ExtensionSummary.Claim(id: "roles", jwtClaimType: "my_roles")]))
        }
        try await step("The next token says what the service says", tell: { (roles: [String]) in "my_roles \(roles)" })
        {
            _ = try await token(of: account, refreshed: true)
            guard let roles = account.account.accountClaims?["my_roles"] as? [String], !roles.isEmpty else {
                throw DemoNarrator.Disappointment(description: "The token says nothing of roles.")
            }
            return roles
        }
    }
}
