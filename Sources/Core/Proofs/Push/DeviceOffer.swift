import Foundation

/// What waits to be enrolled: a device with a key, or the secret as that of an app that only makes codes. The id is known
/// beforehand, as the screen that shows the ticket waits for it.
struct DeviceOffer: Codable, Sendable, Equatable {
    var factorID: FactorID
    var totpSecret: Data?
    /// What may come of it; nil in offers made before there was a choice, which are for anything.
    var kinds: [FactorKind]?
    /// Whether it is good only as long as the user has no second factor.
    var onlyAsFirst: Bool?
    /// What the screen with the ticket shows beside it; the same is kept when it is used.
    var recoveryCode: String?

    /// What a device becomes that comes with its key.
    static let deviceKind = FactorKind.push

    var isOnlyFirst: Bool { onlyAsFirst ?? false }

    func allows(_ kind: FactorKind) -> Bool { kinds?.contains(kind) ?? true }

    /// The factor that an app without a key becomes by this offer, with its payload; nil where that is not offered.
    func codes(_ proofs: ProofRegistry) throws -> (kind: FactorKind, payload: Data)? {
        guard let method = proofs.ticketSecret, allows(method.kind), let totpSecret else { return nil }
        return (method.kind, try method.kept(totpSecret))
    }
}

/// What a device, or a user with an authenticator app, needs to enrol.
public struct DeviceTicket: Sendable {
    /// The handle that the device's registration, or the app's first code, goes to.
    public let handle: FlowHandle
    /// The id that the factor will have.
    public let factorID: FactorID
    /// The user who enrols it.
    public let user: User
    /// The secret of the codes; nil where codes are switched off.
    public let totpSecret: Secret<[UInt8]>?
    /// What may be enrolled with it: ``FactorKind/push``, ``FactorKind/totp``, or either.
    public let kinds: [FactorKind]
    /// What stands in for the factor once it is lost. Good when the ticket has been used; nil where the user has one.
    public let recoveryCode: Secret<String>?
    /// Until when it may be used.
    public let expiresAt: Date
    let offer: DeviceOffer

    init(
        handle: FlowHandle, offer: DeviceOffer, user: User, expiresAt: Date, settings: SecondFactorSettings,
        proofs: ProofRegistry
    ) {
        self.handle = handle
        factorID = offer.factorID
        self.user = user
        totpSecret = offer.totpSecret.map { Secret(Array($0)) }
        kinds = proofs.kindsByTicket.filter { offer.allows($0) && proofs.isOffered($0, settings) }
        recoveryCode = offer.recoveryCode.map { Secret($0) }
        self.expiresAt = expiresAt
        self.offer = offer
    }
}

/// How a user is invited to enrol.
public struct Invitation: Sendable {
    /// What may be enrolled; nil leaves it to the user.
    public var kinds: [FactorKind]?
    /// Whether it is for users too who have a second factor already.
    public var allowsMore = true
    /// Seconds that the invitation is good for.
    public var lifetime: TimeInterval = FlowLifetime.invitation
    /// Where to mail the link to, and in which language (BCP 47); nil mails nothing.
    public var mail: Mail?

    /// A mail with the link.
    public struct Mail: Sendable {
        /// Nil is the user's own address.
        public var to: EmailAddress?
        /// The language of the mail and of the page (BCP 47); nil takes the user's.
        public var locale: String?
        /// The path, below the public address, of the page that takes the ticket, and the query up to it.
        public var page: String

        /// A mail with a link to that page.
        public init(to: EmailAddress? = nil, locale: String? = nil, page: String) {
            self.to = to
            self.locale = locale
            self.page = page
        }

        /// The link that the mail shows: to the page, in the language of the mail.
        func link(to handle: FlowHandle) -> String {
            page + handle.token.reveal() + (locale.map { "&lang=\($0.percentEncoded)" } ?? "")
        }
    }

    /// An invitation to enrol either, good for five days and not mailed.
    public init() {}
}

/// The random values of an offer, drawn before its transaction.
struct DeviceDraft: Sendable {
    let now: Date
    let sealer: Sealer
    let proofs: ProofRegistry
    let handle: FlowHandle
    let factorID: FactorID
    let secret: [UInt8]
    let standInCode: Secret<String>?

    init(realm: Realm, prefix: String = "") {
        now = realm.clock.now
        sealer = realm.sealer
        proofs = realm.proofs
        handle = FlowHandle(random: realm.random, prefix: prefix)
        factorID = FactorID(rawValue: "dev_\(realm.random.string(16, of: .alphanumeric))")
        secret = realm.random.bytes(20)
        standInCode = realm.proofs.standIn?.fresh(random: realm.random)
    }

    /// - Parameters:
    ///   - wanted: what may be enrolled, as far as it is switched on and the user has room for it; nil is anything.
    ///   - evidence: the evidence of the caller's session; it goes on with the app's first code.
    ///   - showsCode: whether there is a screen on which the recovery code can be shown.
    ///   - session: which has to go on until the device enrols.
    func offer(
        to user: User, kinds wanted: [FactorKind]?, onlyAsFirst: Bool, lifetime: TimeInterval, client: ClientContext,
        invitation: Data? = nil, showsCode: Bool = true, evidence: SessionEvidence? = nil,
        startedBy session: SessionID? = nil, in transaction: any StoreTransaction
    ) throws -> Enrolments.DeviceOutcome {
        let settings = try transaction.settings().secondFactors
        let factors = try transaction.factors(of: user.id)
        let offered = (wanted ?? proofs.kindsByTicket).filter { proofs.isOffered($0, settings) }
        guard !offered.isEmpty else { return .refused(.notOffered) }
        let kinds = offered.filter { kind in
            factors.count { $0.kind == kind } < proofs.limitPerUser(of: kind)
        }
        guard !kinds.isEmpty, !onlyAsFirst || proofs.secondFactors(among: factors).isEmpty else {
            return .refused(.limitReached)
        }
        let offersSecret = proofs.ticketSecret.map { proofs.isOffered($0.kind, settings) } ?? false
        var offer = DeviceOffer(
            factorID: factorID, totpSecret: offersSecret ? Data(secret) : nil, kinds: kinds, onlyAsFirst: onlyAsFirst)
        if showsCode, proofs.standIn(among: factors) == nil {
            offer.recoveryCode = standInCode?.reveal()
        }
        var body = FlowBody(
            purpose: .enrolFactor, client: client, challenge: .registration(offer), tokenEpoch: user.tokenEpoch)
        body.invitation = invitation
        try body.start(by: session, in: transaction)
        if let evidence {
            body.proven = evidence.proofs
            body.terms = evidence.terms
        }
        let expiresAt = now + lifetime
        _ = try transaction.insert(
            FlowRecord(
                digest: handle.digest, userID: user.id, purpose: FlowPurpose.enrolFactor.rawValue, createdAt: now,
                expiresAt: expiresAt, body: try body.sealed(by: sealer, digest: handle.digest, in: transaction),
                offeredFactor: factorID))
        return .offered(
            DeviceTicket(
                handle: handle, offer: offer, user: user, expiresAt: expiresAt, settings: settings,
                proofs: proofs))
    }
}

extension DeviceOffer: StoredJSON {
    init(from json: inout JSONReader) throws {
        var factorID: FactorID?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "factorID": factorID = try json.read()
            case "totpSecret": totpSecret = try json.readOptional()
            case "kinds": kinds = try json.readOptional()
            case "onlyAsFirst": onlyAsFirst = try json.readOptional()
            case "recoveryCode": recoveryCode = try json.readOptional()
            default: try json.skip()
            }
        }
        self.factorID = try json.required(factorID, "factorID")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("factorID", factorID)
        try json.write("kinds", optional: kinds)
        try json.write("onlyAsFirst", optional: onlyAsFirst)
        try json.write("recoveryCode", optional: recoveryCode)
        try json.write("totpSecret", optional: totpSecret)
        json.endObject()
    }
}
