import CountersignCore
import Foundation
import NativeAuthWire

extension NativeAuth {
    /// `POST resetpassword/v1.0/continue`: the code.
    func continueReset(
        _ request: ResetPasswordContinueRequest, _ call: NativeAuthCall
    ) async throws -> ResetPasswordContinueResponse {
        let handle = try call.handle(request.continuationToken)
        guard try call.required(request.grantType, "grant_type") == GrantType.oob.rawValue else {
            throw NativeAuthError.invalidParameter("grant_type")
        }
        let code = Secret(try call.required(request.oob, "oob"))
        let expectation = call.expectation(.resetPassword, at: [.firstProof])
        let verdict = try await realm.authenticator.answer(
            .mailedCode(code), to: .flow(handle, expectation), by: call.client)
        switch verdict {
        case .advanced(.newPassword(let until)):
            let seconds = Int(until.timeIntervalSince(realm.clock.now).rounded(.down))
            return ResetPasswordContinueResponse(continuationToken: continuation(handle), expiresIn: max(1, seconds))
        case .refused(let refusal): throw refused(refusal, .code)
        default: throw refused(Refusal(.unexpectedAnswer))
        }
    }
}
