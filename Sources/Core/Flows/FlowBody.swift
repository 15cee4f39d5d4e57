import Foundation

/// What a flow carries beside what stores need to find it. Sealed: it may hold a secret that is being enrolled.
///
/// Written as JSON; every member that came later has a default. The coder below
/// reads and writes the same as `Codable` does, which is how servers of earlier versions do it; the tests compare the two.
struct FlowBody: Codable, Sendable, Equatable {
    var purpose: FlowPurpose
    var dialect: Dialect
    var clientID: ClientID
    /// The claimed address, where the flow is about one.
    var email: String?
    /// What an address is to be changed to.
    var newEmail: String?
    /// What was proven so far; in an enrolment, what the session was proven with.
    var proven: [Proof]
    /// What is open.
    var challenge: FlowChallenge
    /// Answers that are judged.
    var maximumAttempts: Int
    var terms: GrantTerms
    /// Whether this application requires a second factor of every user.
    var requiresSecondFactor: Bool
    /// The user's token epoch when the flow began; a flow that relies on an earlier proof ends with it. Nil for flows
    /// that do not (the verification of an address).
    var tokenEpoch: Int?
    /// The latest request to the user's devices.
    var approval: Approval?
    /// The invitation that an enrolment, or a sign-up, makes use of: it is good for one.
    var invitation: Data?
    /// Whether a first second factor may be enrolled in the middle of this sign-in.
    var canEnrol = false
    /// Where the attempt goes step by step.
    var journey: Journey?
    /// What is offered to be enrolled in the middle of it, since it was asked for.
    var enrolment: DeviceOffer?
    /// What the user is asked to authorize.
    var requestedAuthorization: RequestedAuthorization?
    /// What one of the second factors is to respond to, where the client has asked for it; others may be given all the same.
    var opened: OpenChallenge?
    /// What the client was asked to make in the middle of the sign-in (``ResponseEnrolledProof``), beside what else may be enrolled.
    var creation: OpenChallenge?
    /// The account that the response makes, in a sign-up by one.
    var newAccount: NewAccount?
    /// The session that goes on when the attempt ends all sessions of its user: the one that began it.
    var keptSession: SessionID?
    /// The session that began it, which has to go on until it is completed; nil where none did, or where it may end.
    private(set) var startedBy: SessionID?
    /// Whether a browser held that session then: it has to hold it still. Nil where none did, and in attempts of before it was noted.
    private(set) var startedInBrowser: Bool?
    /// The request that completed an attempt in one go, for when its answer is lost; of one that goes step by step ``Journey/memory``.
    var memory: AnsweredRequest?

    private enum CodingKeys: String, CodingKey {
        case purpose, dialect, clientID, email, newEmail, proven, challenge, maximumAttempts, terms
        case requiresSecondFactor, tokenEpoch, approval, invitation, canEnrol, journey, enrolment, opened, creation
        case newAccount, keptSession, startedBy, startedInBrowser, memory
        case requestedAuthorization = "consent"
    }

    init(
        purpose: FlowPurpose, client: ClientContext, email: EmailAddress? = nil, newEmail: EmailAddress? = nil,
        proven: [Proof] = [], challenge: FlowChallenge, maximumAttempts: Int = 10, terms: GrantTerms = GrantTerms(),
        tokenEpoch: Int? = nil
    ) {
        self.purpose = purpose
        dialect = client.dialect
        clientID = client.clientID
        self.email = email?.canonical
        self.newEmail = newEmail?.canonical
        self.proven = proven
        self.challenge = challenge
        self.maximumAttempts = maximumAttempts
        self.terms = terms
        requiresSecondFactor = client.requiresSecondFactor
        self.tokenEpoch = tokenEpoch
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        purpose = try members.decode(FlowPurpose.self, forKey: .purpose)
        dialect = try members.decode(Dialect.self, forKey: .dialect)
        clientID = try members.decode(ClientID.self, forKey: .clientID)
        email = try members.decodeIfPresent(String.self, forKey: .email)
        newEmail = try members.decodeIfPresent(String.self, forKey: .newEmail)
        proven = try members.decodeIfPresent([Proof].self, forKey: .proven) ?? []
        challenge = try members.decode(FlowChallenge.self, forKey: .challenge)
        maximumAttempts = try members.decodeIfPresent(Int.self, forKey: .maximumAttempts) ?? 10
        terms = try members.decodeIfPresent(GrantTerms.self, forKey: .terms) ?? GrantTerms()
        requiresSecondFactor = try members.decodeIfPresent(Bool.self, forKey: .requiresSecondFactor) ?? false
        tokenEpoch = try members.decodeIfPresent(Int.self, forKey: .tokenEpoch)
        approval = try members.decodeIfPresent(Approval.self, forKey: .approval)
        invitation = try members.decodeIfPresent(Data.self, forKey: .invitation)
        canEnrol = try members.decodeIfPresent(Bool.self, forKey: .canEnrol) ?? false
        journey = try members.decodeIfPresent(Journey.self, forKey: .journey)
        enrolment = try members.decodeIfPresent(DeviceOffer.self, forKey: .enrolment)
        requestedAuthorization = try members.decodeIfPresent(
            RequestedAuthorization.self, forKey: .requestedAuthorization)
        opened = try members.decodeIfPresent(OpenChallenge.self, forKey: .opened)
        creation = try members.decodeIfPresent(OpenChallenge.self, forKey: .creation)
        newAccount = try members.decodeIfPresent(NewAccount.self, forKey: .newAccount)
        keptSession = try members.decodeIfPresent(SessionID.self, forKey: .keptSession)
        startedBy = try members.decodeIfPresent(SessionID.self, forKey: .startedBy)
        startedInBrowser = try members.decodeIfPresent(Bool.self, forKey: .startedInBrowser)
        memory = try members.decodeIfPresent(AnsweredRequest.self, forKey: .memory)
    }
}

/// What a flow waits for. As stored: `Proofs/StoredChallenge.swift`.
enum FlowChallenge: Sendable, Equatable {
    /// Any second factor of the user.
    case secondFactor
    /// A response to this means of proof.
    case proof(OpenChallenge)
    /// A code of the factor that is being enrolled.
    case enrolment(kind: FactorKind, payload: Data)
    /// A device that registers itself.
    case registration(DeviceOffer)
    /// Nothing: the code was not asked for yet.
    case unasked
    /// A password that is to be the account's.
    case newPassword
    /// Attributes that the application asks for.
    case attributes
    /// The word that the mailbox is to be registered.
    case confirmation
    /// The handle alone.
    case claim
}

extension FlowBody {
    func sealed(by sealer: Sealer, digest: Data, in transaction: any StoreTransaction) throws -> Data {
        try sealer.seal(stored, for: .flow(digest), in: transaction)
    }

    /// A link that signs in may be followed in another application than the one that had it mailed: the session is of the
    /// one that follows it, and what either application asks for is asked for.
    mutating func goOn(by client: ClientContext) {
        dialect = client.dialect
        clientID = client.clientID
        requiresSecondFactor = requiresSecondFactor || client.requiresSecondFactor
    }

    /// Whether what the attempt relies on goes on: the tokens of the user's that were good when it began, and the session that began it.
    func goesOn(for user: User, at now: Date, in transaction: any StoreTransaction) throws -> Bool {
        if let tokenEpoch, tokenEpoch != user.tokenEpoch { return false }
        return try isStillBegun(by: user, at: now, in: transaction)
    }

    /// Notes the session that begins the attempt; nil where none does.
    mutating func start(by session: SessionID?, in transaction: any StoreTransaction) throws {
        let present = try session.flatMap { try transaction.session($0) }
        startedBy = session
        startedInBrowser = present?.browserDigest == nil ? nil : true
    }

    /// Whether the session that began the attempt goes on; true where none did. One that a browser held is over for it once its user has
    /// signed out there, although applications may go on with it (``Sessions/signOut(_:of:by:)``).
    func isStillBegun(by user: User, at now: Date, in transaction: any StoreTransaction) throws -> Bool {
        guard let startedBy else { return true }
        guard let session = try transaction.session(startedBy), session.isLiving(of: user, at: now) else {
            return false
        }
        return startedInBrowser != true || session.browserDigest != nil
    }

    /// Whose address it is about.
    var address: EmailAddress? { email.map(EmailAddress.init(kept:)) }

    /// The device that an enrolment is for.
    var device: FactorID? { offer?.factorID }

    /// What can be enrolled with this flow.
    var offer: DeviceOffer? {
        if case .registration(let offer) = challenge { offer } else { enrolment }
    }

    /// Whether a first factor was proven and a second is waited for.
    var asksForSecondFactor: Bool {
        journey.map { $0.stage == .secondFactor } ?? (purpose == .signIn && challenge == .secondFactor)
    }

    /// What the client was asked to make, where the sign-in still waits for a factor to be registered.
    var openCreation: OpenChallenge? { journey?.stage == .registration ? creation : nil }

    /// Whether an answer has come to the challenge of the kind that is open.
    func isTaken(_ open: OpenChallenge, by charge: ChargeID) -> Bool {
        open.takenBy.map { $0 != charge.name } ?? false
    }

    /// Whether the user's devices may be asked to allow it.
    var isApprovable: Bool {
        if let journey { return journey.stage == .secondFactor && challenge == .secondFactor }
        return (purpose == .signIn && challenge == .secondFactor) || (purpose == .backchannel && challenge == .approval)
    }

    static func open(_ record: FlowRecord, with sealer: Sealer) throws -> FlowBody {
        try FlowBody(stored: sealer.open(record.body, for: .flow(record.digest)))
    }
}

extension FlowBody: StoredJSON {
    init(from json: inout JSONReader) throws {
        var purpose: FlowPurpose?
        var dialect: Dialect?
        var clientID: ClientID?
        var challenge: FlowChallenge?
        (proven, maximumAttempts, terms, requiresSecondFactor) = ([], 10, GrantTerms(), false)
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "purpose": purpose = try json.read()
            case "dialect": dialect = try json.read()
            case "clientID": clientID = try json.read()
            case "email": email = try json.readOptional()
            case "newEmail": newEmail = try json.readOptional()
            case "proven": proven = try json.readOptional() ?? []
            case "challenge": challenge = try json.read()
            case "maximumAttempts": maximumAttempts = try json.readOptional() ?? 10
            case "terms": terms = try json.readOptional() ?? GrantTerms()
            case "requiresSecondFactor": requiresSecondFactor = try json.readOptional() ?? false
            case "tokenEpoch": tokenEpoch = try json.readOptional()
            case "approval": approval = try json.readOptional()
            case "invitation": invitation = try json.readOptional()
            case "canEnrol": canEnrol = try json.readOptional() ?? false
            case "journey": journey = try json.readOptional()
            case "enrolment": enrolment = try json.readOptional()
            case "consent": requestedAuthorization = try json.readOptional()
            case "opened": opened = try json.readOptional()
            case "creation": creation = try json.readOptional()
            case "newAccount": newAccount = try json.readOptional()
            case "keptSession": keptSession = try json.readOptional()
            case "startedBy": startedBy = try json.readOptional()
            case "startedInBrowser": startedInBrowser = try json.readOptional()
            case "memory": memory = try json.readOptional()
            default: try json.skip()
            }
        }
        self.purpose = try json.required(purpose, "purpose")
        self.dialect = try json.required(dialect, "dialect")
        self.clientID = try json.required(clientID, "clientID")
        self.challenge = try json.required(challenge, "challenge")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("approval", optional: approval)
        try json.write("canEnrol", canEnrol)
        try json.write("challenge", challenge)
        try json.write("clientID", clientID)
        try json.write("consent", optional: requestedAuthorization)
        try json.write("creation", optional: creation)
        try json.write("dialect", dialect)
        try json.write("email", optional: email)
        try json.write("enrolment", optional: enrolment)
        try json.write("invitation", optional: invitation)
        try json.write("journey", optional: journey)
        try json.write("keptSession", optional: keptSession)
        try json.write("maximumAttempts", maximumAttempts)
        try json.write("memory", optional: memory)
        try json.write("newAccount", optional: newAccount)
        try json.write("newEmail", optional: newEmail)
        try json.write("opened", optional: opened)
        try json.write("proven", proven)
        try json.write("purpose", purpose)
        try json.write("requiresSecondFactor", requiresSecondFactor)
        try json.write("startedBy", optional: startedBy)
        try json.write("startedInBrowser", optional: startedInBrowser)
        try json.write("terms", terms)
        try json.write("tokenEpoch", optional: tokenEpoch)
        json.endObject()
    }
}
