import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST oauth2/v2.0/introspect`: the second factors to choose from.
    func introspect(_ request: ContinuationRequest, _ call: NativeAuthCall) async throws -> IntrospectResponse {
        let handle = try call.handle(request.continuationToken)
        switch try await realm.journeys.methods(handle, expecting: call.anyExpectation(at: [.secondFactor])) {
        case .secondFactors(let methods):
            var listed: [AuthenticationMethod] = []
            for method in methods { listed += try await entries(for: method) }
            guard !listed.isEmpty else { throw refused(Refusal(.unexpectedAnswer), hasGrants: false) }
            return IntrospectResponse(continuationToken: continuation(handle), methods: listed)
        case .registration: throw refused(Refusal(.unexpectedAnswer), hasGrants: false)
        case .refused(let refusal): throw refused(refusal, hasGrants: false)
        }
    }

    private func entries(for method: Journeys.Method) async throws -> [AuthenticationMethod] {
        let factor = method.factor
        func entry(_ channel: Channel, _ hint: String?, isCode: Bool = false) -> AuthenticationMethod {
            AuthenticationMethod(
                id: Method.id(factor, isCode: isCode), challengeType: ChallengeType.oob.rawValue,
                challengeChannel: channel.rawValue, loginHint: hint)
        }
        switch factor.kind {
        case .email: return [entry(.email, method.address?.masked)]
        case .push:
            let hasCodes = try await realm.devices.devices(of: factor.userID).contains {
                $0.id == factor.id && $0.hasCodes
            }
            return [entry(.push, factor.name)] + (hasCodes ? [entry(.totp, factor.name, isCode: true)] : [])
        default: return [entry(.totp, factor.name.isEmpty ? nil : factor.name)]
        }
    }
}
