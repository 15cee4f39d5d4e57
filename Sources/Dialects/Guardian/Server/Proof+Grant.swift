import CountersignCore
import Foundation
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// Signing in by a means of proof that this protocol knows only the name of: an extension grant (RFC 6749, section 4.5), ours.
/// The challenge comes from `POST mfa/challenge` with the kind as `challenge_type` and no `mfa_token`.
extension Guardian {
    static let proofGrant = "urn:countersign:params:oauth:grant-type:proof"

    private struct ProofChallenge: Encodable {
        let challenge_type: String
        /// Names the attempt.
        let proof_token: String
        let challenge: JSONValue
        /// Seconds.
        let expires_in: Int
    }

    /// Begins a sign-in; nil where the request names no means of proof that one begins with.
    func beginProof(
        _ form: OAuthForm, _ application: CountersignCore.Application, _ client: ClientContext
    ) async throws -> Response? {
        guard form.text("mfa_token") == nil, let kind = form.text("challenge_type") else { return nil }
        let outcome = try await realm.authenticator.begin(
            FactorKind(rawValue: kind), terms: try terms(form, application), by: client)
        switch outcome {
        case .begun(let begun):
            let seconds = Int(begun.expiresAt.timeIntervalSince(realm.clock.now))
            return try .json(
                ProofChallenge(
                    challenge_type: kind, proof_token: begun.handle.token.reveal(), challenge: begun.challenge,
                    expires_in: seconds))
        case .refused(let refusal) where refusal.reason == .unexpectedAnswer: return nil
        case .refused(let refusal): throw OAuthError(refusal)
        }
    }

    /// `proof_kind`, `proof_token`, and `response`: a JSON object, or its text.
    func proof(
        _ form: OAuthForm, _ application: CountersignCore.Application, _ client: ClientContext
    ) async throws -> SignedIn {
        let kind = FactorKind(rawValue: try form.required("proof_kind"))
        guard realm.authenticator.begins(with: kind) else { throw OAuthError.unsupportedGrant }
        let handle = FlowHandle(try form.required("proof_token"))
        var response = form.members["response"] ?? .null
        if case .string(let text) = response {
            response = (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) ?? .null
        }
        let expectation = FlowExpectation(
            [.signIn], at: [.proof(kind)], of: [.application(application.id, of: .guardian)])
        return try await signedIn(
            byFirstFactor: realm.authenticator.answer(
                .proof(of: kind, response: response), to: .flow(handle, expectation), by: client))
    }
}
