import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST signup/v1.0/continue`: a code, a password or attributes. What is still missing is said with status 400.
    func continueSignUp(_ request: SignUpContinueRequest, _ call: NativeAuthCall) async throws -> ContinuationResponse {
        let handle = try call.handle(request.continuationToken)
        let extensions = ExtensionConsultant(realm: realm, call: call)
        var expectation = call.expectation(.signUp, at: [.firstProof, .details])
        expectation.consultant = extensions
        let answer: Answer
        var judged = NativeAuthError.Judged.handle
        switch GrantType(rawValue: try call.required(request.grantType, "grant_type")) {
        case .oob:
            answer = .mailedCode(Secret(try call.required(request.oob, "oob")))
            judged = .code
        case .password:
            answer = .newPassword(try call.newPassword(request.password, "password"))
        case .attributes:
            let text = try call.required(request.attributes, "attributes")
            answer = .attributes(try SignUpAttributes(text, call.registration).values)
        default: throw NativeAuthError.invalidParameter("grant_type")
        }
        if judged == .handle, case .open(let summary)? = call.ground.status, summary.journey?.stage == .firstProof {
            throw NativeAuthError.verificationRequired
        }
        switch try await realm.authenticator.answer(answer, to: .flow(handle, expectation), by: call.client) {
        case .advanced(.complete): return ContinuationResponse(continuationToken: continuation(handle))
        case .advanced(.password): throw NativeAuthError.credentialRequired(continuation(handle))
        case .advanced(.attributes(let missing)):
            let prefill = extensions.prefills ? try await journey(handle, expectation)?.prefill ?? [:] : [:]
            throw NativeAuthError.attributesRequired(
                missing.map { RequiredAttribute($0, prefill: prefill[$0.name]?.fieldText) }, continuation(handle))
        case .refused(let refusal): throw refused(refusal, judged)
        default: throw refused(Refusal(.unexpectedAnswer))
        }
    }

    /// The sign-up that is continued, which may wait for a code.
    func lookOfContinue(_ request: SignUpContinueRequest, _ message: NativeAuthMessage) -> Look? {
        guard request.grantType != GrantType.oob.rawValue else { return nil }
        return Self.named(
            request.continuationToken, message.expectation([.signUp], at: [.firstProof, .details]))
    }
}

extension RequiredAttribute {
    /// An attribute as clients see it, with its pattern, so that they can validate before they send.
    init(_ attribute: ApplicationRegistration.Attribute, prefill: String? = nil) {
        let hasOptions = attribute.pattern != nil || prefill != nil
        self.init(
            name: attribute.name, type: attribute.type, required: attribute.isRequired,
            options: hasOptions ? Options(regex: attribute.pattern, prefill: prefill) : nil)
    }
}
