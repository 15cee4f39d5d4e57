import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST resetpassword/v1.0/submit`: the new password, which is in force with the answer. All tokens that were issued
    /// before count no more.
    func submitReset(
        _ request: ResetPasswordSubmitRequest, _ call: NativeAuthCall
    ) async throws -> ResetPasswordSubmitResponse {
        let handle = try call.handle(request.continuationToken)
        let password = try call.newPassword(request.newPassword, "new_password")
        let expectation = call.expectation(.resetPassword, at: [.newPassword])
        let verdict = try await realm.authenticator.answer(
            .newPassword(password), to: .flow(handle, expectation), by: call.client)
        switch verdict {
        case .advanced(.complete):
            return ResetPasswordSubmitResponse(
                continuationToken: continuation(handle), pollInterval: Self.pollInterval)
        case .refused(let refusal): throw refused(refusal, hasGrants: false)
        default: throw refused(Refusal(.unexpectedAnswer), hasGrants: false)
        }
    }
}
