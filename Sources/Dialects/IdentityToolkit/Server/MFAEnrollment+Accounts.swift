import CountersignCore
import Foundation
import IdentityToolkitWire
import OneTimePassword

extension IdentityToolkit {
    /// `mfaEnrollment:start`: a fresh TOTP secret (REST reference of Identity Platform, v2 `accounts.mfaEnrollment`).
    func startMFAEnrollment(
        _ request: StartMFAEnrollmentRequest, _ call: Call
    ) async throws -> StartMFAEnrollmentResponse {
        if request.totpEnrollmentInfo != nil && request.phoneEnrollmentInfo != nil {
            throw IdentityToolkitError(
                message:
                    "Invalid value (oneof), oneof field 'enrollment_info' is already set. Cannot set 'phoneEnrollmentInfo'"
            )
        }
        guard request.totpEnrollmentInfo != nil || request.phoneEnrollmentInfo != nil else {
            throw IdentityToolkitError.invalidArgument
        }
        let bearer = try await tokens(call).bearer(request.idToken, allowsUnenrolled: true)
        guard request.totpEnrollmentInfo != nil else {
            throw IdentityToolkitError(.operationNotAllowed, "SMS based MFA not enabled.")
        }
        switch try await realm.enrolments.beginTOTP(
            for: bearer.user.id, evidence: bearer.evidence, asOf: bearer.user.tokenEpoch,
            in: bearer.session.session, by: call.client)
        {
        case .refused(let refusal): throw IdentityToolkitError(enrolment: refusal)
        case .offered(let offer):
            return StartMFAEnrollmentResponse(
                totpSessionInfo: TOTPSessionInfo(
                    sharedSecretKey: Base32.encode(offer.secret.reveal()), verificationCodeLength: offer.digits,
                    hashingAlgorithm: offer.algorithm.rawValue, periodSec: offer.period,
                    sessionInfo: offer.handle.token.reveal(),
                    finalizeEnrollmentTime: WireTimestamp.string(from: offer.expiresAt)))
        }
    }

    /// `mfaEnrollment:finalize`: session, then name, then code.
    func finalizeMFAEnrollment(
        _ request: FinalizeMFAEnrollmentRequest, _ call: Call
    ) async throws -> FinalizeMFAEnrollmentResponse {
        let bearer = try await tokens(call).bearer(request.idToken, allowsUnenrolled: true)
        guard let info = request.totpVerificationInfo else {
            if request.phoneVerificationInfo != nil { throw IdentityToolkitError(.invalidSessionInfo) }
            throw IdentityToolkitError.invalidArgument
        }
        guard let session = info.sessionInfo, !session.isEmpty else { throw IdentityToolkitError(.invalidSessionInfo) }
        let handle = FlowHandle(session)
        let expectation = FlowExpectation.enrolment(of: bearer.user.id)
        switch try await realm.authenticator.status(of: handle, expecting: expectation) {
        case .open: break
        case .unknown: throw IdentityToolkitError(enrolment: Refusal(.unknownFlow))
        case .expired: throw IdentityToolkitError(enrolment: Refusal(.flowExpired))
        case .finished: throw IdentityToolkitError(enrolment: Refusal(.flowFinished))
        case .exhausted: throw IdentityToolkitError(enrolment: Refusal(.flowExhausted))
        }
        guard let name = request.displayName, !name.isEmpty else {
            throw IdentityToolkitError(.missingDisplayName, "display name cannot be empty")
        }
        let verdict = try await realm.authenticator.answer(
            .enrolmentCode(Secret(info.verificationCode ?? ""), name: String(name.prefix(256))),
            to: .flow(handle, expectation), by: call.client)
        switch verdict {
        case .accomplished(.enrolled(_, let signedIn)):
            let (idToken, _) = try await tokens(call).idToken(for: signedIn)
            return FinalizeMFAEnrollmentResponse(
                idToken: idToken, refreshToken: signedIn.refreshToken.reveal(), totpAuthInfo: EmptyObject())
        case .refused(let refusal): throw IdentityToolkitError(enrolment: refusal)
        default: throw IdentityToolkitError.internal
        }
    }

    /// `mfaEnrollment:withdraw`: tokens that go on, or none where the session ends.
    func withdrawMFA(_ request: WithdrawMFARequest, _ call: Call) async throws -> WithdrawMFAResponse {
        let bearer = try await tokens(call).bearer(request.idToken)
        guard let id = request.mfaEnrollmentId, !id.isEmpty else {
            throw IdentityToolkitError(.mfaEnrollmentNotFound)
        }
        let outcome = try await realm.enrolments.withdraw(
            FactorID(rawValue: id), of: bearer.user.id, evidence: bearer.evidence, asOf: bearer.user.tokenEpoch,
            in: bearer.session.session, by: call.client)
        switch outcome {
        case .unknownFactor: throw IdentityToolkitError(.mfaEnrollmentNotFound)
        case .revoked: throw IdentityToolkitError(.tokenExpired)
        case .withdrawnAndSignedOut: return WithdrawMFAResponse()
        case .withdrawn(let signedIn):
            let (idToken, _) = try await tokens(call).idToken(for: signedIn)
            return WithdrawMFAResponse(idToken: idToken, refreshToken: signedIn.refreshToken.reveal())
        }
    }
}
