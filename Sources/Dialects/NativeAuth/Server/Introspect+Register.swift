import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// What the one kind of method is called that can be registered here.
    static let mailbox = "email"

    /// `POST register/v1.0/introspect`: what can be registered as a second factor, which is a mailbox.
    func introspectRegistration(
        _ request: ContinuationRequest, _ call: NativeAuthCall
    ) async throws -> IntrospectResponse {
        let handle = try call.handle(request.continuationToken)
        switch try await realm.journeys.methods(handle, expecting: call.anyExpectation(at: [.registration])) {
        case .registration(let suggestion):
            // The address in full: it is what the recipient has typed.
            let method = AuthenticationMethod(
                id: Self.mailbox, challengeType: ChallengeType.oob.rawValue, challengeChannel: Channel.email.rawValue,
                loginHint: suggestion?.canonical)
            return IntrospectResponse(continuationToken: continuation(handle), methods: [method])
        case .secondFactors: throw refused(Refusal(.unexpectedAnswer), hasGrants: false)
        case .refused(let refusal): throw refused(refusal, hasGrants: false)
        }
    }
}
