import CountersignCore
import Foundation
import NativeAuthWire

/// What a client says with a request, before it is known whether there is such an application.
struct NativeAuthMessage: Sendable {
    let endpoint: Endpoint
    let clientID: ClientID
    /// What the client calls the request; nil where it says nothing.
    let requestID: String?
    /// All that the body said.
    let fields: [String: String]

    /// What the handle of a continuation token has to be.
    func expectation(_ purposes: Set<FlowPurpose>, at steps: Set<JourneyStage>) -> FlowExpectation {
        var expectation = FlowExpectation(
            purposes, at: Set(steps.map { .journey($0) }), of: [.application(clientID, of: .nativeAuth)])
        // Sending again and signing in again are what people do on purpose too: only a client that names its requests can
        // have lost an answer (decision 83).
        let opensOrSends = [.token, .challenge, .signUpChallenge, .resetPasswordChallenge, .registerChallenge]
            .contains(endpoint)
        if requestID != nil || !opensOrSends {
            let said = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            expectation.request = Secret(([endpoint.path, requestID ?? ""] + said).joined(separator: "\u{0}"))
        }
        return expectation
    }

    /// An attempt of any kind.
    func anyExpectation(at steps: Set<JourneyStage>) -> FlowExpectation {
        expectation([.signIn, .signUp, .resetPassword], at: steps)
    }
}

/// One request, with what is not in its body.
struct NativeAuthCall: Sendable {
    let message: NativeAuthMessage
    /// The path in front of the endpoint, without slashes at its ends.
    let tenant: String
    let client: ClientContext
    /// The application, and what was read with it.
    let ground: JourneyGround

    var application: CountersignCore.Application { ground.seen.application }
    var registration: ApplicationRegistration { application.registration }

    /// What the handle of a continuation token has to be.
    func expectation(_ purposes: FlowPurpose..., at steps: Set<JourneyStage>) -> FlowExpectation {
        message.expectation(Set(purposes), at: steps)
    }

    /// An attempt of any kind.
    func anyExpectation(at steps: Set<JourneyStage>) -> FlowExpectation { message.anyExpectation(at: steps) }

    /// The flow that a continuation token names.
    func handle(_ continuation: String?) throws(NativeAuthError) -> FlowHandle {
        NativeAuth.handle(try required(continuation, "continuation_token"))
    }

    func required(_ value: String?, _ name: String) throws(NativeAuthError) -> String {
        guard let value, !value.isEmpty else { throw .invalidParameter(name) }
        return value
    }

    /// What is asked of the application's accounts first.
    var offered: Set<FirstMethod> {
        Self.methods(registration.challengeTypes.compactMap(ChallengeType.init(rawValue:)))
    }

    /// What the client can ask for (Microsoft Learn, Native authentication challenge types). It has to take `redirect`
    /// whatever else it takes.
    func taken(_ text: String?) throws(NativeAuthError) -> Set<FirstMethod> {
        let list = WordList<ChallengeType>(try required(text, "challenge_type"))
        guard list.unknown.isEmpty, !list.words.isEmpty, !list.contains(.preverified) else {
            throw .invalidParameter("challenge_type")
        }
        guard list.contains(.redirect) else { throw .missingRedirect }
        return Self.methods(list.words)
    }

    /// The same where the parameter may be missing: then nothing is said against any.
    func takenIfSaid(_ text: String?) throws(NativeAuthError) -> Set<FirstMethod> {
        guard let text, !text.isEmpty else { return Set(FirstMethod.allCases) }
        return try taken(text)
    }

    private static func methods(_ types: [ChallengeType]) -> Set<FirstMethod> {
        Set(
            types.compactMap { type in
                switch type {
                case .oob: .mailedCode
                case .password: .password
                case .redirect, .preverified: nil
                }
            })
    }

    /// A password that a user chooses.
    func newPassword(_ text: String?, _ name: String) throws(NativeAuthError) -> Secret<String> {
        let text = try required(text, name)
        if text.unicodeScalars.count > NativeAuth.longestPassword { throw .password(.passwordTooLong) }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw .password(.passwordIsInvalid)
        }
        return Secret(text)
    }
}

extension AnnouncingRequest {
    var abilities: JourneyAbilities {
        let announced = announcedCapabilities
        return JourneyAbilities(
            givesSecondFactor: announced.contains(.mfaRequired),
            registersSecondFactor: announced.contains(.registrationRequired))
    }
}

extension EmailAddress {
    /// Enough to recognise the address by, and not to learn it: `c***r@co**o.com`.
    var masked: String {
        let parts = canonical.split(separator: "@")
        guard parts.count == 2, let local = parts.first, let domain = parts.last else { return "***" }
        let dot = domain.lastIndex(of: ".") ?? domain.endIndex
        let (name, end) = (domain[..<dot], domain[dot...])
        let maskedLocal = "\(local.prefix(1))***\(local.count > 2 ? local.suffix(1) : "")"
        let maskedName = "\(name.prefix(name.count > 4 ? 2 : 1))**\(name.count > 2 ? name.suffix(1) : "")"
        return "\(maskedLocal)@\(maskedName)\(end)"
    }
}
