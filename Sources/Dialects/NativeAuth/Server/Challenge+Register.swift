import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST register/v1.0/challenge`: sends a code to the mailbox that is to be registered; to the account's own, which was
    /// proven before, none is needed.
    func challengeRegistration(
        _ request: RegisterChallengeRequest, _ call: NativeAuthCall
    ) async throws -> ChallengeResponse {
        let handle = try call.handle(request.continuationToken)
        guard try call.required(request.challengeType, "challenge_type") == ChallengeType.oob.rawValue else {
            throw NativeAuthError.invalidParameter("challenge_type")
        }
        let target = try call.required(request.challengeTarget, "challenge_target")
        guard try call.required(request.challengeChannel, "challenge_channel") == Channel.email.rawValue,
            let address = EmailAddress(target)
        else { throw NativeAuthError.invalidContact }
        let outcome = try await realm.journeys.register(
            address, for: handle, expecting: call.anyExpectation(at: [.registration]), by: call.client)
        switch outcome {
        case .proven:
            return ChallengeResponse(continuationToken: continuation(handle), challengeType: .preverified)
        case .mailed(let address):
            return ChallengeResponse(
                continuationToken: continuation(handle), challengeType: .oob, bindingMethod: "prompt",
                challengeTarget: address.canonical, challengeChannel: Channel.email.rawValue,
                codeLength: Self.codeLength, interval: Self.resendInterval)
        case .refused(let refusal):
            throw NativeAuthError(contact: refusal, hasGrants: false)
                .waiting(until: refusal.retryAt, now: realm.clock.now)
        case .password, .code, .device, .beyondClient: throw NativeAuthError.internalError
        }
    }
}
