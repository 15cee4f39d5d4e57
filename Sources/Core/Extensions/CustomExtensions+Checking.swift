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
        let signUp = SignUpInformation(
            email: email, attributes: ["displayName": "Check"], types: ["displayName": "string"],
            builtIn: ["displayName"], read: { $1 })
        let subject: ExtensionQuestion.Subject =
            switch listener.event {
            case .tokenIssuanceStart:
                .claims(
                    User(
                        id: UserID(rawValue: "00000000-0000-0000-0000-000000000000"), email: email,
                        profile: UserProfile(displayName: "Check"), createdAt: realm.clock.now))
            case .otpSend: .code(Secret("00000000"), address: email.canonical, purpose: "signIn")
            case .attributeCollectionStart, .attributeCollectionSubmit: .signUp(signUp)
            }
        do {
            let action = try await ask(listener, occasion, subject)
            var claims: [String] = []
            switch action.effect {
            case .provideClaims: claims = try ProvidedClaims(action, for: listener).claims.keys.sorted()
            case .prefill(let values), .change(let values): _ = try signUp.values(values)
            case .reject(let attributes, _): _ = try signUp.faults(attributes)
            case .proceed, .block: break
            }
            return CheckResult(failure: nil, action: action.name, claims: claims)
        } catch let failure as ExtensionFailure {
            return CheckResult(failure: failure, action: nil, claims: [])
        }
    }
}
