import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST signup/v1.0/start`: begins a sign-up. That the address has an account shows where the application reveals
    /// it; elsewhere only the recipient of the code learns it.
    ///
    /// The account is to have a password where the client gives one or can ask for one and the application has such
    /// accounts.
    func startSignUp(_ request: SignUpStartRequest, _ call: NativeAuthCall) async throws -> ContinuationResponse {
        let email = try address(request.username, call)
        let taken = try call.taken(request.challengeType)
        let attributes = try SignUpAttributes(request.attributes, call.registration)
        guard call.offered.contains(.mailedCode) else { throw NativeAuthError.beyond(.mailedCode) }
        let isGiven = !(request.password ?? "").isEmpty
        let hasPasswords = taken.contains(.password) && call.offered.contains(.password)
        if isGiven && !hasPasswords { throw NativeAuthError.beyond(.password) }
        let details = Journeys.SignUpDetails(
            password: isGiven ? try call.newPassword(request.password, "password") : nil, wantsPassword: hasPasswords,
            attributes: attributes.values, required: call.registration.attributes.filter(\.isRequired))
        return try await begin(
            .signUp(email, details), offered: call.offered, taken: taken, abilities: request.abilities, call)
    }
}
