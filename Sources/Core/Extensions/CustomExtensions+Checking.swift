import Foundation

extension CustomExtensions {
    /// What came of a call that was made to see whether it works.
    public struct CheckResult: Sendable {
        /// Nil where everything is right.
        public let failure: ExtensionFailure?
        /// What the action's type ends with; nil after a failure.
        public let action: String?
        /// Names of tokens' claims that the answer leads to, in alphabetical order.
        public let claims: [String]
    }

    /// Calls a service with a person that does not exist, and judges the answer. Nil where there is no such extension.
    ///
    /// The person's address is `check@example.invalid`, and a code is `00000000`: a service that sends codes will try to.
    public func check(_ id: String) async throws -> CheckResult? {
        guard let listener = try await extensionOf(id: id), let email = EmailAddress("check@example.invalid") else {
            return nil
        }
        let occasion = ExtensionOccasion(application: ClientID(rawValue: listener.clients.first ?? "check"))
        var content: [String: JSONValue] = [:]
        var user: User?
        let signUp = SignUpInformation(
            email: email, attributes: ["displayName": "Check"], types: ["displayName": "string"],
            builtIn: ["displayName"], read: { $1 })
        switch listener.event {
        case .tokenIssuanceStart:
            user = User(
                id: UserID(rawValue: "00000000-0000-0000-0000-000000000000"), email: email,
                profile: UserProfile(displayName: "Check"), createdAt: realm.clock.now)
        case .otpSend:
            content["otpContext"] = .object(["identifier": .string(email.canonical), "oneTimeCode": "00000000"])
        case .attributeCollectionStart, .attributeCollectionSubmit:
            content = signUp.json(publicURL: realm.extensionCaller.publicURL)
        }
        do {
            let action = try await ask(
                listener, occasion, content, user: user, requestType: listener.event == .otpSend ? "signIn" : nil)
            var claims: [String] = []
            switch action.kind {
            case .provideClaimsForToken: claims = try ProvidedClaims(action, for: listener).claims.keys.sorted()
            case .setPrefillValues: _ = try signUp.values(action.members["inputs"])
            case .modifyAttributeValues: _ = try signUp.values(action.members["attributes"])
            case .showValidationError: _ = try signUp.faults(action.members["attributeErrors"])
            case .continueWithDefaultBehavior, .showBlockPage: break
            }
            return CheckResult(failure: nil, action: action.kind.rawValue, claims: claims)
        } catch let failure as ExtensionFailure {
            return CheckResult(failure: failure, action: nil, claims: [])
        }
    }
}
