import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST resetpassword/v1.0/challenge`: sends a code, another one each time.
    func challengeReset(_ request: ChallengeRequest, _ call: NativeAuthCall) async throws -> ChallengeResponse {
        let handle = try call.handle(request.continuationToken)
        return try await ask(
            handle, call.expectation(.resetPassword, at: [.firstProof]),
            taking: try call.takenIfSaid(request.challengeType), hasGrants: false, call)
    }
}
