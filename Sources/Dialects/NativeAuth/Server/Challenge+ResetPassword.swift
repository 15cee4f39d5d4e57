import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST resetpassword/v1.0/challenge`: sends a code, another one each time.
    func challengeReset(_ request: ChallengeRequest, _ call: NativeAuthCall) async throws -> ChallengeResponse {
        let handle = try call.handle(request.continuationToken)
        guard try call.takenIfSaid(request.challengeType).contains(.mailedCode) else {
            throw NativeAuthError.beyond(.mailedCode)
        }
        return try await ask(handle, call.expectation(.resetPassword, at: [.firstProof]), hasGrants: false, call)
    }
}
