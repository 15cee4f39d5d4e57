import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST signup/v1.0/challenge`: sends a code, another one each time; once the address is proven, says that a password
    /// is asked for.
    func challengeSignUp(_ request: ChallengeRequest, _ call: NativeAuthCall) async throws -> ChallengeResponse {
        let handle = try call.handle(request.continuationToken)
        let taken = try call.takenIfSaid(request.challengeType)
        return try await ask(
            handle, call.expectation(.signUp, at: [.firstProof, .details]), taking: taken, hasGrants: true, call)
    }
}
