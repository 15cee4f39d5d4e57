/// What a request of an app that leads an attempt step by step goes by, beside its answer: all as one transaction saw it, of this request or, where
/// its first write finds out whether it still is so, of an earlier one (``Realm/assuming(_:_:otherwise:)``).
public struct JourneyGround: Sendable {
    /// The application, with the settings and its extensions.
    public let seen: SeenApplication
    /// How the attempt stands that the request is about; nil where that was not asked.
    public let status: FlowStatus?

    /// What an earlier request saw. It looked at another attempt, or at none.
    public init(seenBefore seen: SeenApplication) {
        self.init(seen, status: nil)
    }

    fileprivate init(_ seen: SeenApplication, status: FlowStatus?) {
        self.seen = seen
        self.status = status
    }

    /// Whether every user has to give a second factor, whatever the application says.
    public var requiresSecondFactor: Bool { seen.settings.secondFactors.state == .mandatory }

    /// What the settings say of tokens.
    public var tokens: TokenSettings { seen.settings.tokens }

    /// The extensions that are asked for the application, by event.
    public var listeners: [ExtensionEvent: CustomExtension] { seen.listeners }
}

extension Journeys {
    /// The ground of a request, read with its application: each read is a transaction and two changes of threads
    /// (docs/decisions/0587). Telling is not judging: what an answer is judged by, the transaction that judges reads for itself.
    /// - Parameter attempt: the attempt whose status is wanted, and what it has to be.
    public func ground(
        of attempt: (handle: FlowHandle, expectation: FlowExpectation)?
    ) -> Applications.Companion<JourneyGround> {
        let realm = realm
        let now = realm.clock.now
        return Applications.Companion(writes: false) { transaction, application, _ in
            let status = try attempt.map { attempt in
                try Authenticator.status(
                    of: attempt.handle, expecting: attempt.expectation, at: now, sealer: realm.sealer,
                    proofs: realm.proofs, in: transaction)
            }
            return JourneyGround(try SeenApplication(application, consults: true, in: transaction), status: status)
        }
    }
}
