import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import OAuthHTTP
import ServerHTTP

extension Guardian {
    private struct Challenge: JSONWritable {
        let challenge_type: String
        var oob_code: String?
        var binding_method: String?
        /// What the app has to show; ours.
        var number: String?

        func write(to json: inout JSONWriter) {
            json.beginObject()
            json.write("binding_method", text: binding_method)
            json.write("challenge_type", text: challenge_type)
            json.write("number", text: number)
            json.write("oob_code", text: oob_code)
            json.endObject()
        }
    }

    /// `POST mfa/challenge`: asks a device, or says that a code is waited for (Auth0, Authentication API,
    /// "Challenge Request").
    func mfaChallenge(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let form = try await OAuthForm(request)
        var client = call.client
        // Verified first, so that the sign-in is looked at where the application is found.
        var sent: FlowHandle?
        if let token = form.text("mfa_token") { sent = try await handle(ofMFAToken: token) }
        let looking = sent.map { handle in
            realm.authenticator.looking(at: handle) { FlowExpectation.pendingSignIn(of: $0) }
        }
        let (application, look) = try await application(form, call, judging: looking)
        client.clientID = application.id
        if let begun = try await beginProof(form, application, client) { return begun }
        let expectation = FlowExpectation.pendingSignIn(of: application.id)
        _ = try form.required("mfa_token")
        guard let handle = sent, let look else { throw OAuthError.wrongMFAToken }
        let factors = look.factors
        let summary = try summary(of: look.status)
        guard summary.userID != nil else { throw OAuthError.wrongMFAToken }
        try admit(summary.terms, for: application)
        // A no with a key in hand is final for this sign-in: no other factor is asked either.
        if case .decided(_, let decision) = summary.approval, !decision.isAllowed { throw OAuthError.rejected }
        let types = form.text("challenge_type")?.spaceSeparated ?? ["oob", "otp"]
        var wanted: AuthenticatorName?
        if let text = form.text("authenticator_id") {
            guard let name = AuthenticatorName(text), let factor = factors.first(where: { $0.id == name.id }),
                name.names(factor)
            else { throw OAuthError.unknownAuthenticator }
            wanted = name
        }
        let wantsPush = wanted.map { $0.type != "totp" && $0.type != "recovery-code" }
        guard wantsPush ?? (types.contains("oob") && factors.contains { $0.kind == .push }), types.contains("oob")
        else {
            guard types.contains("otp"), wantsPush != true, wanted?.type != "recovery-code" else {
                throw OAuthError(403, "unsupported_challenge_type", "The user has no device that could be asked.")
            }
            return try .json(Challenge(challenge_type: "otp"))
        }
        let asksForNumber = form.text("binding_method") == "prompt"
        switch try await ask(
            for: handle, expectation, device: wanted?.id, asksForNumber: asksForNumber, request, client)
        {
        case .asked(let asked):
            return try .json(
                Challenge(
                    challenge_type: "oob", oob_code: asked.id, binding_method: asksForNumber ? "prompt" : nil,
                    number: asked.number), headers: asked.standing.headers)
        case .limited(let standing): throw OAuthError.tooManyPushes(standing)
        case .refused(let refusal): throw OAuthError(asking: refusal)
        }
    }
}
