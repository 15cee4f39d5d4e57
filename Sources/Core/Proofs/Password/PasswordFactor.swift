import Foundation

/// A password, kept as a PHC string.
struct PasswordFactor: ProofMethod {
    /// What is kept. Shapes so far: `{"hash": "…"}`, `{"earlier": ["…"], "hash": "…"}`.
    struct Payload: Codable, Equatable {
        /// A PHC string, or another format that the hasher can verify once and replace.
        var hash: String
        /// Hashes of passwords from before, the latest first; nil where none is remembered.
        var earlier: [String]?

        /// - Parameter earlier: an empty list is as none.
        init(hash: String, earlier: [String] = []) {
            self.hash = hash
            self.earlier = earlier.isEmpty ? nil : earlier
        }

        /// The present password and those before it, so many at most.
        func last(_ count: Int) -> [String] { Array(([hash] + (earlier ?? [])).prefix(max(0, count))) }
    }

    let kind = FactorKind.password
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .first, assurance: .knowledge)
        traits.lockout = .password
        traits.isJudgedSlowly = true
        // As those for addresses without account are, or the difference would tell one from the other.
        traits.forgetsWrongAnswers = true
        traits.limitPerUser = 1
        traits.opensSignIn = true
        traits.amr = ["pwd"]
        return traits
    }()

    /// The account of the claimed address. One without account or password is judged all the same, with a counter of its
    /// own, so that both lock out alike.
    func locate(
        _ password: Secret<String>, _ challenge: NoContent?, in lookup: ProofLookup
    ) throws -> ProofLocation {
        guard let email = lookup.email else { return .refused(Refusal(.unexpectedAnswer)) }
        let user = lookup.flow == nil ? try lookup.user(email: email) : lookup.user
        let factors = try lookup.factors(of: user?.id ?? .placeholderWithPassword)
        // Made in either case, as the rest is.
        let claim = CounterKey.claim(try lookup.digest(email.canonical, for: "claim"))
        if let factor = factors.first(where: { $0.kind == kind }) {
            return .found(LocatedProof(user: user, factor: factor))
        }
        return .found(LocatedProof(user: user, factor: nil, counter: .named(claim)))
    }

    func judge(
        _ password: Secret<String>, against material: ProofMaterial<Payload, NoContent>, by permit: JudgingPermit
    ) async throws -> Judgement<Payload> {
        let hasher = permit.hasher
        guard var kept = material.payload else {
            _ = try await hasher.verify(password, against: permit.standIn.hash)
            return .wrong(permit.revealsAddresses && material.user == nil ? .unknownUser : .wrongAnswer)
        }
        guard try await hasher.verify(password, against: kept.hash) else { return .wrong(.wrongAnswer) }
        guard hasher.needsRehash(kept.hash) else { return .right }
        kept.hash = try await hasher.hash(password)
        return .right(newPayload: kept)
    }

    static func payload(hash: String, earlier: [String] = []) throws -> Data {
        try Payload(hash: hash, earlier: earlier).stored
    }
}

extension FactorKind {
    /// A password. An account has one at most.
    public static let password = FactorKind(rawValue: "password")
}

extension Answer {
    /// The password of the address that is claimed.
    public static func password(_ password: Secret<String>) -> Answer { .proof(.password, password) }
}

extension Proof {
    /// A password that was given, or set just now.
    static func password(_ id: FactorID, at now: Date) -> Proof { Proof(kind: .password, factorID: id, at: now) }
}

extension FlowChallenge {
    /// The password of the address.
    static let password = FlowChallenge.proof(OpenChallenge(.password))
}

extension Collection<FactorRecord> {
    /// The account's password, where it has one.
    var password: FactorRecord? { first { $0.kind == .password } }
}

extension PasswordFactor.Payload: StoredJSON {
    init(from json: inout JSONReader) throws {
        var hash: String?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "hash": hash = try json.read()
            case "earlier": earlier = try json.readOptional()
            default: try json.skip()
            }
        }
        self.hash = try json.required(hash, "hash")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("earlier", optional: earlier)
        try json.write("hash", hash)
        json.endObject()
    }
}
