import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST register/v1.0/continue`: the code that went to the mailbox, or the word that it is to be registered.
    func continueRegistration(
        _ request: RegisterContinueRequest, _ call: NativeAuthCall
    ) async throws -> ContinuationResponse {
        let handle = try call.handle(request.continuationToken)
        let answer: Answer
        switch GrantType(rawValue: try call.required(request.grantType, "grant_type")) {
        case .oob: answer = .mailedCode(Secret(try call.required(request.oob, "oob")))
        case .continuationToken: answer = .confirmation
        default: throw NativeAuthError.invalidParameter("grant_type")
        }
        let expectation = call.anyExpectation(at: [.registration])
        switch try await realm.authenticator.answer(answer, to: .flow(handle, expectation), by: call.client) {
        case .advanced(.complete): return ContinuationResponse(continuationToken: continuation(handle))
        case .refused(let refusal): throw refused(refusal, .code)
        default: throw refused(Refusal(.unexpectedAnswer))
        }
    }
}
