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

    /// What a client wants to be asked for.
    private struct Wish: Sendable {
        let types: [String]
        /// The device, where the client names one.
        let authenticator: String?
        let asksForNumber: Bool

        init(_ form: OAuthForm) {
            types = form.text("challenge_type")?.spaceSeparated ?? ["oob", "otp"]
            authenticator = form.text("authenticator_id")
            asksForNumber = form.text("binding_method") == "prompt"
        }
    }

    private enum Choice {
        /// All devices, where none is named.
        case device(FactorID?)
        case code
    }

    /// Thrown where a device was to be chosen and a code is waited for.
    private struct CodeChosen: Error {}

    /// `POST mfa/challenge`: asks a device, or says that a code is waited for (Auth0, Authentication API,
    /// "Challenge Request").
    func mfaChallenge(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let form = try await OAuthForm(request)
        let wish = Wish(form)
        // Verified first, so that the sign-in is looked at where the application is found.
        var sent: FlowHandle?
        if let token = form.text("mfa_token") { sent = try await handle(ofMFAToken: token) }
        guard let handle = sent, wish.types.contains("oob") else {
            return try await challenge(sent, wish, form, request, call)
        }
        // Where a device is asked, the write that asks it finds out whether the application is as an earlier request saw it (docs/decisions/0552).
        return try await realm.assuming(seen(form, call)) { seen in
            try await ask(for: handle, wish, seen.application, request, call)
        } otherwise: {
            try await challenge(handle, wish, form, request, call)
        }
    }

    /// Reads the application with the sign-in, and does what is wished by them.
    /// - Parameter sent: the sign-in that the request names; nil where it names none.
    private func challenge(
        _ sent: FlowHandle?, _ wish: Wish, _ form: OAuthForm, _ request: Request, _ call: GuardianCall
    ) async throws -> Response {
        var client = call.client
        let looking = sent.map { handle in
            realm.authenticator.looking(at: handle) { FlowExpectation.pendingSignIn(of: $0) }
        }
        let (application, look) = try await application(form, call, judging: looking)
        client.clientID = application.id
        if let begun = try await beginProof(form, application, client) { return begun }
        _ = try form.required("mfa_token")
        guard let handle = sent, let look else { throw OAuthError.wrongMFAToken }
        if let seen = look.seen { seenApplications.note(seen) }
        switch try choice(of: wish, at: look, for: application) {
        case .code: return try .json(Challenge(challenge_type: "otp"))
        case .device(let device):
            return try answer(
                try await ask(
                    for: handle, FlowExpectation.pendingSignIn(of: application.id), device: device,
                    asksForNumber: wish.asksForNumber, request, client), wish)
        }
    }

    /// The application of a request that shows nothing but its name, as an earlier one saw it.
    private func seen(_ form: OAuthForm, _ call: GuardianCall) -> SeenApplication? {
        ClientCredentials(authorization: call.authorization, parameter: form.text).nameAlone
            .flatMap(seenApplications.application)
    }

    /// Asks a device that is chosen where it is asked.
    private func ask(
        for handle: FlowHandle, _ wish: Wish, _ application: CountersignCore.Application, _ request: Request,
        _ call: GuardianCall
    ) async throws -> Response {
        var client = call.client
        client.clientID = application.id
        do {
            let outcome = try await realm.approvals.ask(
                for: handle, expecting: .pendingSignIn(of: application.id), details: details(request, client),
                asksForNumber: wish.asksForNumber, by: client,
                choosing: { look in
                    switch try choice(of: wish, at: look, for: application) {
                    case .device(let device): return device
                    case .code: throw CodeChosen()
                    }
                })
            return try answer(outcome, wish)
        } catch is CodeChosen {
            return try .json(Challenge(challenge_type: "otp"))
        }
    }

    private func choice(
        of wish: Wish, at look: FlowLook, for application: CountersignCore.Application
    ) throws -> Choice {
        let summary = try summary(of: look.status)
        guard summary.userID != nil else { throw OAuthError.wrongMFAToken }
        try admit(summary.terms, for: application)
        // A no with a key in hand is final for this sign-in: no other factor is asked either.
        if case .decided(_, let decision) = summary.approval, !decision.isAllowed { throw OAuthError.rejected }
        let (types, factors) = (wish.types, look.factors)
        var wanted: AuthenticatorName?
        if let text = wish.authenticator {
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
            return .code
        }
        return .device(wanted?.id)
    }

    private func answer(_ outcome: Approvals.Outcome, _ wish: Wish) throws -> Response {
        switch outcome {
        case .asked(let asked):
            return try .json(
                Challenge(
                    challenge_type: "oob", oob_code: asked.id, binding_method: wish.asksForNumber ? "prompt" : nil,
                    number: asked.number), headers: asked.standing.headers)
        case .limited(let standing): throw OAuthError.tooManyPushes(standing)
        case .refused(let refusal): throw OAuthError(asking: refusal)
        }
    }
}
