/// What a request of an app that leads an attempt step by step goes by, beside its application: all as one transaction saw it.
public struct JourneyGround: Sendable {
    /// Whether every user has to give a second factor, whatever the application says.
    public let requiresSecondFactor: Bool
    /// What the settings say of tokens.
    public let tokens: TokenSettings
    /// The extensions that are asked for the application, by event; none where the request asks none.
    public let listeners: [ExtensionEvent: CustomExtension]
    /// How the attempt stands that the request is about; nil where that was not asked.
    public let status: FlowStatus?
}

extension Journeys {
    /// What a request looks at before its answer is judged.
    public struct Look: Sendable {
        /// The attempt whose status is wanted, and what it has to be.
        public var attempt: (handle: FlowHandle, expectation: FlowExpectation)?
        /// Whether extensions may be asked.
        public var consults: Bool

        /// By default no attempt, and no extensions.
        public init(
            at attempt: (handle: FlowHandle, expectation: FlowExpectation)? = nil, consults: Bool = false
        ) {
            self.attempt = attempt
            self.consults = consults
        }
    }

    /// The ground of a request, read with its application: each read is a transaction and two changes of threads
    /// (docs/decisions/0587). Telling is not judging: what an answer is judged by, the transaction that judges reads for itself.
    public func ground(_ look: Look) -> Applications.Companion<JourneyGround> {
        let realm = realm
        let now = realm.clock.now
        return Applications.Companion(writes: false) { transaction, application, _ in
            let settings = try transaction.sharedSettings()
            let status = try look.attempt.map { attempt in
                try Authenticator.status(
                    of: attempt.handle, expecting: attempt.expectation, at: now, sealer: realm.sealer,
                    proofs: realm.proofs, in: transaction)
            }
            return JourneyGround(
                requiresSecondFactor: settings.wrappedValue.secondFactors.state == .mandatory,
                tokens: settings.wrappedValue.tokens,
                listeners: look.consults ? try transaction.customExtensions().listeners(of: application.id) : [:],
                status: status)
        }
    }
}
