import Foundation

/// The right to judge, with what a judge may use. Only the core makes one: a module that calls
/// ``ProofMethod/judge(_:against:by:)`` by itself does not compile.
package struct JudgingPermit: Sendable {
    let realm: Realm
    /// Whether the application may tell that an address has no account.
    let revealsAddresses: Bool
    /// Whether the client may have put the host of its page in the place of the domain that passkeys belong to.
    let namesSiteByHost: Bool
    package let now: Date
    package let settings: RealmSettings

    package var hasher: any PasswordHasher { realm.hasher }
    package var random: any RandomSource { realm.random }

    init(
        _ realm: Realm, settings: RealmSettings, at now: Date, revealsAddresses: Bool = false,
        namesSiteByHost: Bool = false
    ) {
        self.realm = realm
        self.settings = settings
        self.now = now
        self.revealsAddresses = revealsAddresses
        self.namesSiteByHost = namesSiteByHost
    }
}

/// What a response is judged against.
package struct ProofMaterial<Payload: Sendable, Challenge: Sendable>: Sendable {
    /// What the factor keeps, opened; nil where there is no row: then no response is right that needs one.
    package let payload: Payload?
    /// What is open in the flow; nil where the response answers none.
    package let challenge: Challenge?
    package let user: User?
    package let factor: FactorRecord?
    package let flow: OpenFlow?

    package init(
        payload: Payload? = nil, challenge: Challenge? = nil, user: User? = nil, factor: FactorRecord? = nil,
        flow: OpenFlow? = nil
    ) {
        self.payload = payload
        self.challenge = challenge
        self.user = user
        self.factor = factor
        self.flow = flow
    }
}

/// What a judge says.
package enum Judgement<Payload: Sendable>: Sendable {
    case right(RightAnswer<Payload>)
    case wrong(Refusal)
    /// Wrong, and its factor's owner should know.
    case alarming(Refusal, FactorAlarm<Payload>)

    package static func wrong(_ reason: Refusal.Reason) -> Judgement { .wrong(Refusal(reason)) }
    package static var right: Judgement { .right(RightAnswer()) }
    package static func right(newPayload: Payload?) -> Judgement { .right(RightAnswer(newPayload: newPayload)) }
}

/// What a wrong answer gives reason for: what its factor keeps from now on, and who is told.
package struct FactorAlarm<Payload: Sendable>: Sendable {
    let newPayload: Payload
    let event: AuditEvent.Kind
    let notice: AccountNotice.Kind?
}

/// What a right answer says beside that it is right.
package struct RightAnswer<Payload: Sendable>: Sendable {
    /// Replaces what the factor keeps; settling it makes the answer count once.
    package var newPayload: Payload?
    package var result = ProofResult()

    package init(newPayload: Payload? = nil, _ result: ProofResult = ProofResult()) {
        self.newPayload = newPayload
        self.result = result
    }
}

/// What follows from a right answer, whatever the method.
package struct ProofResult: Sendable {
    /// What evidence calls it, where that differs from the method's.
    package var evidence: FactorKind?
    /// How much it proves, where that differs from the method's: whether a passkey has verified its user, each answer says.
    package var assurance: Assurance?
    /// The factor that gave it, where that is not the row which was judged.
    package var factorID: FactorID?
    /// What a factor that it makes is called where its user gives no name.
    package var factorName: String?
    /// When it was given, where that is not now.
    package var at: Date?
    /// Whether it is given beside a first proof; nil where that shows by what was proven before.
    package var isSecondFactor: Bool?
    /// Whether it shows that the claimed address is the user's.
    package var provesAddress = false
    /// Whether the claimed address becomes that of the user who gives it.
    package var takesAddress = false
    /// Whether the claimed address gets an account where it has none and sign-up is open.
    package var makesAccount = false
    /// Whose it is, where the answer alone says so: the account is made where it does not exist.
    package var account: VouchedAccount?
    /// Shown to the user once: what stands in for the factor from now on.
    package var replacement: Secret<String>?
    /// Whether the log has an own event of it already.
    package var isLogged = false
    /// What the log says beside that it was right.
    var alert: AuditEvent.Kind?
    /// What the owner of the account is notified of.
    var notice: AccountNotice?
    /// What settling by the method itself needs (``SettlingProof``).
    package var finding: (any Sendable)?

    package init() {}
}

/// An account that another system vouches for.
package struct VouchedAccount: Sendable {
    package var id: UserID
    /// What providers of the account it is listed under when it is made.
    package var provider: String
    /// Joins ``GrantTerms/details``.
    package var details: [String: JSONValue]

    package init(id: UserID, provider: String, details: [String: JSONValue] = [:]) {
        self.id = id
        self.provider = provider
        self.details = details
    }
}

/// A method whose right answers do something else than prove: within the core alone.
protocol SettlingProof: ProofMethod {
    /// The flows, beside the one that is answered, that settling writes.
    func writtenFlows(_ finding: (any Sendable)?, _ settlement: Settlement, in transaction: any StoreTransaction) throws
        -> Set<Data>
    func settle(_ finding: (any Sendable)?, _ settlement: Settlement, in transaction: any StoreTransaction) throws
        -> Authenticator.Settled
}
