import Crypto
import Foundation
import OneTimePassword

/// Codes on paper, each of which stands in once for a lost second factor. The last one is replaced by a new one when it is used.
///
/// It is no second factor by itself: a user who has nothing else is not asked for it.
struct RecoveryCodeFactor: StandInProof {
    /// What is kept. Shapes so far: `{"digest"}`, `{"digest", "others"}`, `{"digest", "heldUntil"}`.
    struct Payload: Codable, Equatable {
        /// SHA-256: with 124 random bits there is nothing to guess.
        var digest: Data
        /// Those of the list's other codes that were not used yet; nil for a single code.
        var others: [Data]?
        /// Before this instant it is no answer: an administrator had it made, and its user has until then to object
        /// (docs/decisions/0381).
        var heldUntil: Date?

        init(digest: Data, others: [Data]? = nil, heldUntil: Date? = nil) {
            self.digest = digest
            self.others = others
            self.heldUntil = heldUntil
        }

        var digests: [Data] { [digest] + (others ?? []) }
        /// How many are left.
        var count: Int { 1 + (others?.count ?? 0) }
        var isList: Bool { others != nil }
    }

    /// Codes of a list.
    static let count = 10

    let kind = FactorKind.recoveryCode
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .standIn, assurance: .possession)
        traits.limitPerUser = 1
        traits.movesAsIs = true
        return traits
    }()

    func response(toCode code: Secret<String>) -> Secret<String>? { code }

    /// 24 upper-case letters and digits, as Guardian's (Auth0 MFA API, `recovery_codes`).
    func fresh(random: any RandomSource) -> Secret<String> {
        Secret(random.string(24, of: .capitals))
    }

    func payload(of code: Secret<String>) -> Payload { Payload(digest: Self.digest(code.reveal())) }

    /// - Precondition: there is a code.
    static func payload(of codes: [Secret<String>]) -> Payload {
        let digests = codes.map { digest($0.reveal()) }
        return Payload(digest: digests[0], others: Array(digests.dropFirst()))
    }

    func supply(_ kept: Payload) -> (left: Int, isList: Bool) { (kept.count, kept.isList) }

    /// People type it in groups and in any case.
    private static func digest(_ code: String) -> Data {
        let canonical = code.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return SHA256.digest(of: canonical)
    }

    /// One that is right is gone; the last one is replaced at once.
    func judge(
        _ code: Secret<String>, against material: ProofMaterial<Payload, NoContent>, by permit: JudgingPermit
    ) async throws -> Judgement<Payload> {
        guard let kept = material.payload else { return .wrong(.unknownFactor) }
        guard matches(code.reveal(), kept), kept.heldUntil.map({ $0 <= permit.now }) ?? true else {
            return .wrong(.wrongAnswer)
        }
        var result = ProofResult()
        result.notice = AccountNotice(.recoveryCodeUsed)
        let used = Self.digest(code.reveal())
        let left = kept.digests.filter { !ConstantTime.equal($0, used) }
        if let first = left.first {
            return .right(RightAnswer(newPayload: Payload(digest: first, others: Array(left.dropFirst())), result))
        }
        let next = fresh(random: permit.random)
        result.replacement = next
        return .right(RightAnswer(newPayload: Payload(digest: Self.digest(next.reveal())), result))
    }

    func matches(_ answer: String, _ kept: Payload) -> Bool {
        answer.utf8.count <= 128
            && kept.digests.reduce(false) { isRight, digest in
                ConstantTime.equal(Self.digest(answer), digest) || isRight
            }
    }
}

extension FactorKind {
    /// A code on paper that stands in once for another second factor.
    public static let recoveryCode = FactorKind(rawValue: "recovery-code")
}

extension Answer {
    /// The user's code on paper.
    public static func recoveryCode(_ code: Secret<String>) -> Answer { .proof(.recoveryCode, code) }
}

extension Collection<FactorRecord> {
    /// The code on paper, where the account has one.
    public var recoveryCode: FactorRecord? { first { $0.kind == .recoveryCode } }
}

extension RecoveryCodeFactor.Payload: StoredJSON {
    init(from json: inout JSONReader) throws {
        var digest: Data?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "digest": digest = try json.read()
            case "others": others = try json.readOptional()
            case "heldUntil": heldUntil = try json.readOptional()
            default: try json.skip()
            }
        }
        self.digest = try json.required(digest, "digest")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("digest", digest)
        try json.write("others", optional: others)
        try json.write("heldUntil", optional: heldUntil)
        json.endObject()
    }
}
