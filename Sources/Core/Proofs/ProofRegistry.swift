/// All means of proof of a realm. A new built-in one is a line in ``standard``; a realm takes others when it is made.
public struct ProofRegistry: Sendable {
    let methods: [any ProofMethod]
    private let byKind: [FactorKind: any ProofMethod]

    /// Ours.
    public static let standard = ProofRegistry([
        PasswordFactor(),
        TOTPFactor(),
        PushFactor(), DeviceStatement(), ApprovalClaim(),
        RecoveryCodeFactor(),
        MailboxFactor(), MailedCode(), MailedLink(),
        CustomToken(),
        PasskeyFactor(),
    ])

    /// What evidence names and no answer proves: how much it counts.
    private static let unjudged: [FactorKind: Assurance] = [.anonymous: .delegated]

    /// - Precondition: no two methods have one kind.
    private init(_ methods: [any ProofMethod]) {
        self.methods = methods
        byKind = Dictionary(uniqueKeysWithValues: methods.map { ($0.kind, $0) })
    }

    /// The same, and another one.
    /// - Precondition: its kind is new.
    package func adding(_ method: any ProofMethod) -> ProofRegistry { ProofRegistry(methods + [method]) }

    /// All kinds that answers may be of.
    package var kinds: [FactorKind] { methods.map(\.kind) }

    /// The method of a kind; nil where nothing judges it.
    package func method(_ kind: FactorKind) -> (any ProofMethod)? { byKind[kind] }

    package func traits(_ kind: FactorKind) -> ProofTraits? { byKind[kind]?.traits }

    /// How much a proof of the kind is that does not say it itself.
    func assurance(of kind: FactorKind) -> Assurance {
        byKind[kind]?.traits.assurance ?? Self.unjudged[kind] ?? .knowledge
    }

    /// Whether a factor of the kind is given beside a first proof.
    public func isSecondFactor(_ kind: FactorKind) -> Bool { byKind[kind]?.traits.role == .second }

    /// Whether a factor of the kind is one of a user's ways to sign in that only a session proven with one may change.
    public func guardsFactors(_ kind: FactorKind) -> Bool { byKind[kind]?.traits.role.guardsFactors ?? false }

    /// The second factors among these, in their order.
    public func secondFactors(among factors: [FactorRecord]) -> [FactorRecord] {
        factors.filter { isSecondFactor($0.kind) }
    }

    /// Whether a factor of the kind may be given beside a first proof, wherever one is asked for.
    func isGivenAsSecond(_ kind: FactorKind) -> Bool { byKind[kind]?.traits.role.isGivenAsSecond ?? false }

    /// What goes when a user's second factors are all removed: they, and what stands in for them.
    func isSecondFactorOrStandIn(_ kind: FactorKind) -> Bool {
        isSecondFactor(kind) || byKind[kind]?.traits.role == .standIn
    }

    /// Whether the realm has the kind switched on.
    public func isOffered(_ kind: FactorKind, _ settings: SecondFactorSettings) -> Bool {
        byKind[kind]?.traits.isOffered(settings) ?? true
    }

    /// What wrong answers by a factor of the kind cost.
    func lockout(of kind: FactorKind) -> LockoutPolicy { byKind[kind]?.traits.lockout ?? .oneTimeCode }

    /// Factors of the kind that one user may have.
    func limitPerUser(of kind: FactorKind) -> Int { byKind[kind]?.traits.limitPerUser ?? 0 }

    /// What a client's response can enrol.
    var kindsByResponse: [FactorKind] { methods.filter { $0 is any ResponseEnrolledProof }.map(\.kind) }

    /// What a ticket can enrol. Devices that receive requests come first, as pages offer them first.
    var kindsByTicket: [FactorKind] {
        let enrolled = methods.filter(\.traits.isEnrolledByTicket)
        let devices = enrolled.filter { $0.traits.prompt == .device }
        return (devices + enrolled.filter { $0.traits.prompt != .device }).map(\.kind)
    }
}
