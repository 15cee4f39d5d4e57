import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST resetpassword/v1.0/poll_completion`: whether the new password is in force. Here it is at once.
    func pollReset(_ request: ContinuationRequest, _ call: NativeAuthCall) async throws -> ResetPasswordPollResponse {
        let handle = try call.handle(request.continuationToken)
        let expectation = call.expectation(.resetPassword, at: [.firstProof, .newPassword, .complete])
        switch try await realm.authenticator.status(of: handle, expecting: expectation) {
        case .open(let summary):
            let isDone = summary.journey?.stage == .complete
            return ResetPasswordPollResponse(
                status: isDone ? .succeeded : .notStarted, continuationToken: continuation(handle))
        case .unknown: throw refused(Refusal(.unknownFlow))
        case .finished: throw refused(Refusal(.flowFinished))
        case .expired: throw refused(Refusal(.flowExpired))
        case .exhausted: throw refused(Refusal(.flowExhausted))
        }
    }
}
