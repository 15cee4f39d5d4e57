import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP

extension IdentityToolkit {
    /// `GET emulator/action?mode=…&oobCode=…`: does at once, without a page or a button, what a mailed link is for, so
    /// that tests of apps can follow it. Under `--dev` alone (firebase-tools, the Authentication emulator).
    func emulatorAction(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let query = request.queryItems
        guard query["apiKey"]?.isEmpty == false else {
            return try Outcome.failure(
                "missing apiKey query parameter", "Please modify the URL to specify an apiKey."
            ).response
        }
        guard let code = query["oobCode"], !code.isEmpty else {
            return try Outcome.failure(
                "missing oobCode query parameter", "Please modify the URL to specify an oobCode."
            ).response
        }
        let call = try await call(request, context, .open)
        if query["mode"] == "signIn" { return try signInRedirect(query, call) }
        let outcome =
            switch query["mode"] {
            case "verifyEmail": try await follow(code, .verifyEmail, call)
            case "verifyAndChangeEmail": try await follow(code, .changeEmail, call)
            case "resetPassword": try await resetPassword(code, query["newPassword"], call)
            case "recoverEmail":
                Outcome.failure("Requested mode does not match the OOB code provided.", "No address is ever recovered.")
            default: Outcome.failure("Invalid mode", nil)
            }
        if case .success = outcome, let target = query["continueUrl"].flatMap({ target(of: $0, call) }) {
            return Response.redirect(to: target.absoluteString, type: .normal)
        }
        return try outcome.response
    }

    /// What became of it, in the emulator's own form.
    private enum Outcome {
        case success(String, email: String?, newEmail: String?)
        case failure(String, String?)

        var response: Response {
            get throws {
                let answer: [String: String?]
                let status: HTTPResponse.Status
                switch self {
                case .success(let sentence, let email, let newEmail):
                    answer = ["success": sentence, "email": email, "newEmail": newEmail]
                    status = .ok
                case .failure(let sentence, let instructions):
                    answer = ["error": sentence, "instructions": instructions]
                    status = .badRequest
                }
                return try .json(["authEmulator": answer.compactMapValues { $0 }], status: status)
            }
        }
    }

    private func follow(_ code: String, _ purpose: FlowPurpose, _ call: Call) async throws -> Outcome {
        let verdict = try await realm.authenticator.answer(
            .link(), to: .flow(FlowHandle(code), .oobCode(purpose)), by: call.client)
        return switch verdict {
        case .accomplished(.emailVerified(let user)):
            .success("The email has been successfully verified.", email: user.email?.canonical, newEmail: nil)
        case .accomplished(.emailChanged(let user)):
            .success("The email has been successfully changed.", email: nil, newEmail: user.email?.canonical)
        default:
            .failure("Your request has expired or the link has already been used.", "Try asking for a new link.")
        }
    }

    private func resetPassword(_ code: String, _ password: String?, _ call: Call) async throws -> Outcome {
        guard let password, !password.isEmpty else {
            return .failure(
                "missing newPassword query parameter",
                "To reset the password, send the same request with &newPassword=YOUR_NEW_PASSWORD at its end.")
        }
        let verdict = try await realm.authenticator.answer(
            .link(newPassword: Secret(password)), to: .flow(FlowHandle(code), .oobCode(.resetPassword)),
            by: call.client)
        switch verdict {
        case .accomplished(.passwordReset(let user)):
            return .success("The password has been successfully updated.", email: user.email?.canonical, newEmail: nil)
        case .refused(let refusal) where refusal.reason == .weakPassword:
            return .failure(IdentityToolkitError(link: refusal).message, "Choose another password.")
        default:
            return .failure(
                "Your request to reset your password has expired or the link has already been used.",
                "Try resetting your password again.")
        }
    }

    /// Back to the app, which completes the sign-in: with everything that the link carries.
    private func signInRedirect(_ query: [String: String], _ call: Call) throws -> Response {
        guard let target = query["continueUrl"].flatMap({ target(of: $0, call) }),
            var components = URLComponents(url: target, resolvingAgainstBaseURL: false)
        else {
            return try Outcome.failure(
                "Missing 'continueUrl' query parameter",
                "To sign in, append &continueUrl=YOUR_APP_URL to the link. Its host has to be one of authorizedDomains."
            ).response
        }
        let carried = query.filter { $0.key != "continueUrl" }.sorted { $0.key < $1.key }
        components.queryItems =
            (components.queryItems ?? []).filter { query[$0.name] == nil }
            + carried.map { URLQueryItem(name: $0.key, value: $0.value) }
        // Which is left alone there, and read as a space.
        components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%2B")
        return Response.redirect(to: components.url?.absoluteString ?? target.absoluteString, type: .normal)
    }

    /// Where the link may lead on to, if anywhere.
    private func target(of text: String, _ call: Call) -> URL? {
        linkTargets(call.settings).fault(of: text) == nil ? URL(string: text) : nil
    }
}
