import Foundation

/// What an attempt carries whose steps all go under one handle: the user is asked for a code, then for more; then the
/// client asks for the session. It may request another code at any time.
struct Journey: Codable, Sendable, Equatable {
    var stage: JourneyStage
    /// What the address is asked for first.
    var method: FirstMethod
    var abilities: JourneyAbilities
    /// What a sign-up has collected.
    var draft: SignUpDraft?
    /// The second factor that was chosen last.
    var asked: AskedFactor?
    /// The mailbox that is being registered.
    var contact: Contact?
    /// A second factor was registered in this very attempt, which is enough for this once, unless it has to be given.
    var hasRegistered = false
    /// The client asked for a second factor by itself: its tokens say that one was given.
    var mustGiveSecondFactor = false
    /// What is to be registered, where nothing else will do.
    var registers: FactorKind?
    /// The last request that was answered, for when its answer is lost.
    var memory: AnsweredRequest?
    /// When the latest code was mailed.
    var mailedAt: Date?

    struct AskedFactor: Codable, Sendable, Equatable {
        var id: FactorID
        var kind: FactorKind
    }

    struct Contact: Codable, Sendable, Equatable {
        var address: String
        /// The account's own address, which was proven before.
        var isProven: Bool
        /// It is the account's own address, to be proven and not to be registered; nil is no.
        var confirmsAddress: Bool?
    }

    init(stage: JourneyStage, method: FirstMethod, abilities: JourneyAbilities, draft: SignUpDraft? = nil) {
        self.stage = stage
        self.method = method
        self.abilities = abilities
        self.draft = draft
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        stage = try members.decode(JourneyStage.self, forKey: .stage)
        method = try members.decode(FirstMethod.self, forKey: .method)
        abilities = try members.decodeIfPresent(JourneyAbilities.self, forKey: .abilities) ?? JourneyAbilities()
        draft = try members.decodeIfPresent(SignUpDraft.self, forKey: .draft)
        asked = try members.decodeIfPresent(AskedFactor.self, forKey: .asked)
        contact = try members.decodeIfPresent(Contact.self, forKey: .contact)
        hasRegistered = try members.decodeIfPresent(Bool.self, forKey: .hasRegistered) ?? false
        mustGiveSecondFactor = try members.decodeIfPresent(Bool.self, forKey: .mustGiveSecondFactor) ?? false
        registers = try members.decodeIfPresent(FactorKind.self, forKey: .registers)
        memory = try members.decodeIfPresent(AnsweredRequest.self, forKey: .memory)
        mailedAt = try members.decodeIfPresent(Date.self, forKey: .mailedAt)
    }
}

/// How far an attempt has come.
public enum JourneyStage: String, Codable, Sendable {
    /// The address, or its password, is to be proven.
    case firstProof
    /// A sign-up whose address is proven wants a password or attributes.
    case details
    /// A reset whose address is proven wants the new password.
    case newPassword
    /// A second factor is to be given.
    case secondFactor
    /// A second factor is required and there is none: a mailbox can be registered.
    case registration
    /// Nothing is missing: the holder of the handle gets the session.
    case complete
}

/// What the user is asked for first.
public enum FirstMethod: String, Codable, Sendable, CaseIterable {
    /// The account's password.
    case password
    /// A code that is mailed to the address.
    case mailedCode
}

/// What the client can lead its user through beyond the first proof.
public struct JourneyAbilities: Codable, Sendable, Equatable {
    /// Whether the client can ask its user for a second factor.
    public var givesSecondFactor: Bool
    /// Whether the client can lead its user through registering a second factor.
    public var registersSecondFactor: Bool
    /// Whether it can respond to a challenge (`ProofTraits.Prompt.response`), as a browser can.
    public var answersChallenges: Bool

    /// What a client can do; without arguments, nothing beyond the first proof.
    public init(
        givesSecondFactor: Bool = false, registersSecondFactor: Bool = false, answersChallenges: Bool = false
    ) {
        self.givesSecondFactor = givesSecondFactor
        self.registersSecondFactor = registersSecondFactor
        self.answersChallenges = answersChallenges
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        givesSecondFactor = try members.decode(Bool.self, forKey: .givesSecondFactor)
        registersSecondFactor = try members.decode(Bool.self, forKey: .registersSecondFactor)
        answersChallenges = try members.decodeIfPresent(Bool.self, forKey: .answersChallenges) ?? false
    }

    /// Whether the client can ask its user for this factor.
    func answers(_ factor: FactorRecord, _ proofs: ProofRegistry) -> Bool {
        answersChallenges || proofs.traits(factor.kind)?.prompt != .response
    }
}

/// What a sign-up has collected so far, and what it still wants.
struct SignUpDraft: Codable, Sendable, Equatable {
    var passwordHash: String?
    var wantsPassword: Bool
    var attributes: [String: JSONValue]
    var required: [ApplicationRegistration.Attribute]
    /// What fields of forms show before the user has typed anything; nil until that was asked.
    var prefill: [String: JSONValue]?
    /// The user's language.
    var locale: String?

    /// Asks for attributes, whether they were given or not.
    mutating func require(_ asked: [ApplicationRegistration.Attribute]) {
        for attribute in asked {
            attributes[attribute.name] = nil
            if !required.contains(where: { $0.name == attribute.name }) { required.append(attribute) }
        }
    }

    var missing: [ApplicationRegistration.Attribute] { required.filter { attributes[$0.name] == nil } }
}

/// A request that was answered, and what came of it. Clients send a request again whose answer was lost; within this time
/// it has the same outcome and no second effect.
struct AnsweredRequest: Codable, Sendable, Equatable {
    /// Seconds.
    static let grace: TimeInterval = 10

    /// A keyed digest of all that the request said.
    var digest: Data
    var at: Date
    var outcome: Outcome
    /// Answers that were charged until then. With the next one the request is not the last any more: asking again after a
    /// wrong answer is a wish for another code.
    var attempts = 0

    enum Outcome: Codable, Sendable, Equatable {
        case asked
        case advanced(JourneyStep)
        case signedIn(SessionID, refreshToken: String)
        case enrolled(FactorID, SessionID, refreshToken: String)
    }

    private static let context = "answered-request"

    /// What is kept of a request; nil of one that is not to be repeated.
    static func of(
        _ request: Secret<String>?, _ outcome: Outcome, at now: Date, attempts: Int, sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws -> AnsweredRequest? {
        try request.map { request in
            AnsweredRequest(
                digest: try sealer.digest(request.reveal(), for: context, in: transaction), at: now,
                outcome: outcome, attempts: attempts)
        }
    }

    /// What came of it, where this is the same request once more.
    func outcome(
        of request: Secret<String>?, at now: Date, attempts: Int, sealer: Sealer
    ) throws -> Outcome? {
        guard let request, now < at + Self.grace, attempts <= self.attempts,
            try sealer.matches(request.reveal(), digest, for: Self.context)
        else { return nil }
        return outcome
    }
}

extension Journey {
    /// Remembers a request and forgets the one before; one that is not to be repeated is not remembered.
    mutating func remember(
        _ request: Secret<String>?, _ outcome: AnsweredRequest.Outcome, at now: Date, attempts: Int, sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws {
        memory = try .of(request, outcome, at: now, attempts: attempts, sealer: sealer, in: transaction)
    }
}

/// What an attempt comes to next.
public enum JourneyStep: Codable, Sendable, Equatable {
    /// A sign-up wants a password.
    case password
    /// A sign-up wants these attributes.
    case attributes([ApplicationRegistration.Attribute])
    /// A reset wants the new password, until then.
    case newPassword(until: Date)
    /// A second factor has to be given.
    case secondFactor
    /// A second factor has to be registered.
    case registration
    /// A second factor has to be given or registered, and the client cannot. The attempt is over.
    case beyondClient(lacksRegistration: Bool)
    /// Nothing is missing.
    case complete
}

/// What a dialect may know of an attempt that goes step by step.
public struct JourneySummary: Sendable {
    /// How far the attempt has come.
    public let stage: JourneyStage
    /// What the address is asked for first.
    public let method: FirstMethod
    /// What the client can lead its user through.
    public let abilities: JourneyAbilities
    /// Whether a password is what is waited for, an old one or a new one.
    public let awaitsPassword: Bool
    /// Whether a code was mailed and is waited for.
    public let awaitsMailedCode: Bool
    /// When the latest code was mailed.
    public let mailedAt: Date?
    /// The second factor that was chosen last; nil where none was.
    public let askedFactor: FactorID?
    /// The kind of that factor.
    public let askedKind: FactorKind?
    /// Whether a device was chosen to be asked, or to give a code.
    public let awaitsDevice: Bool
    /// Whether the mailbox to register needs no code.
    public let contactIsProven: Bool
    /// What is to be registered, where nothing else will do.
    public let registers: FactorKind?
    /// What fields of a sign-up's form show before the user has typed anything, by attribute.
    public let prefill: [String: JSONValue]

    init(_ journey: Journey, _ challenge: FlowChallenge, _ proofs: ProofRegistry = .standard) {
        stage = journey.stage
        method = journey.method
        abilities = journey.abilities
        awaitsPassword = challenge == .password || challenge == .newPassword
        awaitsMailedCode = challenge.open(.mailedCode) != nil
        mailedAt = journey.mailedAt
        askedFactor = journey.asked?.id
        askedKind = journey.asked?.kind
        let prompt = askedKind.flatMap { proofs.traits($0)?.prompt }
        awaitsDevice = challenge == .secondFactor && prompt == .device
        contactIsProven = journey.contact?.isProven ?? false
        registers = journey.registers
        prefill = journey.draft?.prefill ?? [:]
    }
}

extension Journey: StoredJSON {
    init(from json: inout JSONReader) throws {
        var stage: JourneyStage?
        var method: FirstMethod?
        abilities = JourneyAbilities()
        hasRegistered = false
        mustGiveSecondFactor = false
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "stage": stage = try json.read()
            case "method": method = try json.read()
            case "abilities": abilities = try json.readOptional() ?? JourneyAbilities()
            case "draft": draft = try json.readOptional()
            case "asked": asked = try json.readOptional()
            case "contact": contact = try json.readOptional()
            case "hasRegistered": hasRegistered = try json.readOptional() ?? false
            case "mustGiveSecondFactor": mustGiveSecondFactor = try json.readOptional() ?? false
            case "registers": registers = try json.readOptional()
            case "memory": memory = try json.readOptional()
            case "mailedAt": mailedAt = try json.readOptional()
            default: try json.skip()
            }
        }
        self.stage = try json.required(stage, "stage")
        self.method = try json.required(method, "method")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("abilities", abilities)
        try json.write("asked", optional: asked)
        try json.write("contact", optional: contact)
        try json.write("draft", optional: draft)
        try json.write("hasRegistered", hasRegistered)
        try json.write("mailedAt", optional: mailedAt)
        try json.write("memory", optional: memory)
        try json.write("method", method)
        try json.write("mustGiveSecondFactor", mustGiveSecondFactor)
        try json.write("registers", optional: registers)
        try json.write("stage", stage)
        json.endObject()
    }
}

extension Journey.AskedFactor: StoredJSON {
    init(from json: inout JSONReader) throws {
        var id: FactorID?
        var kind: FactorKind?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "id": id = try json.read()
            case "kind": kind = try json.read()
            default: try json.skip()
            }
        }
        self.id = try json.required(id, "id")
        self.kind = try json.required(kind, "kind")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("id", id)
        try json.write("kind", kind)
        json.endObject()
    }
}

extension JourneyAbilities: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var givesSecondFactor: Bool?
        var registersSecondFactor: Bool?
        var answersChallenges = false
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "givesSecondFactor": givesSecondFactor = try json.read()
            case "registersSecondFactor": registersSecondFactor = try json.read()
            case "answersChallenges": answersChallenges = try json.readOptional() ?? false
            default: try json.skip()
            }
        }
        self.givesSecondFactor = try json.required(givesSecondFactor, "givesSecondFactor")
        self.registersSecondFactor = try json.required(registersSecondFactor, "registersSecondFactor")
        self.answersChallenges = answersChallenges
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("answersChallenges", answersChallenges)
        try json.write("givesSecondFactor", givesSecondFactor)
        try json.write("registersSecondFactor", registersSecondFactor)
        json.endObject()
    }
}

extension AnsweredRequest: StoredJSON {
    init(from json: inout JSONReader) throws {
        var digest: Data?
        var at: Date?
        var outcome: Outcome?
        var attempts: Int?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "digest": digest = try json.read()
            case "at": at = try json.read()
            case "outcome": outcome = try json.read()
            case "attempts": attempts = try json.read()
            default: try json.skip()
            }
        }
        self.digest = try json.required(digest, "digest")
        self.at = try json.required(at, "at")
        self.outcome = try json.required(outcome, "outcome")
        self.attempts = try json.required(attempts, "attempts")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("at", at)
        try json.write("attempts", attempts)
        try json.write("digest", digest)
        try json.write("outcome", outcome)
        json.endObject()
    }
}

extension JourneyStage: StoredJSON {}
extension FirstMethod: StoredJSON {}
extension Journey.Contact: StoredJSON {}
extension SignUpDraft: StoredJSON {}
extension AnsweredRequest.Outcome: StoredJSON {}
