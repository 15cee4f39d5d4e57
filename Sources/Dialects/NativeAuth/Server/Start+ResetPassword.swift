import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST resetpassword/v1.0/start`: begins a reset. Whether the address has an account does not show.
    func startReset(_ request: InitiateRequest, _ call: NativeAuthCall) async throws -> ContinuationResponse {
        let email = try address(request.username, call)
        let taken = try call.taken(request.challengeType)
        guard call.offered.contains(.password) else { throw refused(Refusal(.noPassword)) }
        guard call.offered.contains(.mailedCode) else { throw NativeAuthError.beyond(.mailedCode) }
        return try await begin(
            .resetPassword(email), offered: call.offered, taken: taken, abilities: request.abilities, call)
    }
}
