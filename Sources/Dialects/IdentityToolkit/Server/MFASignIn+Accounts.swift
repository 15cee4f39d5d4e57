import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `mfaSignIn:start`: for factors that have something to send. TOTP has not.
    func startMFASignIn(_ request: StartMFASignInRequest, _ call: Call) async throws -> StartMFASignInResponse {
        guard request.phoneSignInInfo != nil else { throw IdentityToolkitError.invalidArgument }
        throw IdentityToolkitError(.invalidPhoneNumber, "Invalid format.")
    }

    /// `mfaSignIn:finalize`: the second factor's code completes a sign-in (REST reference of Identity Platform, v2
    /// `accounts.mfaSignIn`).
    func finalizeMFASignIn(
        _ request: FinalizeMFASignInRequest, _ call: Call
    ) async throws -> FinalizeMFASignInResponse {
        guard let credential = request.mfaPendingCredential, !credential.isEmpty else {
            throw IdentityToolkitError.invalidArgument
        }
        if request.phoneVerificationInfo != nil { throw IdentityToolkitError(.invalidSessionInfo) }
        guard let factorID = request.mfaEnrollmentId, !factorID.isEmpty,
            let code = request.totpVerificationInfo?.verificationCode, !code.isEmpty
        else { throw IdentityToolkitError.invalidArgument }
        let verdict = try await realm.authenticator.answer(
            .code(Secret(code), factor: FactorID(rawValue: factorID)),
            to: .flow(FlowHandle(credential), .pendingCredential), by: call.client)
        switch verdict {
        case .accomplished(.signedIn(let signedIn)):
            let (idToken, _) = try await tokens(call).idToken(for: signedIn)
            return FinalizeMFASignInResponse(idToken: idToken, refreshToken: signedIn.refreshToken.reveal())
        case .refused(let refusal): throw IdentityToolkitError(secondFactor: refusal)
        default: throw IdentityToolkitError.internal
        }
    }
}
