import CountersignCore

/// Judges the present settings by OWASP ASVS 5.0 (V6, V7, V9, V10) and by NIST SP 800-63B-4.
public struct RunDoctor: AdministrationOperation {
    public static let name = "doctor"
    public static let right = AdministrationRight.readSettings

    /// The verification level of ASVS, 1 to 3; 2 where it is left out.
    public var level: Int?
    /// The authenticator assurance level of NIST, 1 to 3; 2 where it is left out.
    public var assurance: Int?
    /// Requirements that the operator does without, such as `ASVS-6.2.12`: they are listed and do not count.
    public var except: [String]?

    public init(level: Int? = nil, assurance: Int? = nil, except: [String]? = nil) {
        self.level = level
        self.assurance = assurance
        self.except = except
    }

    public struct Answer: Codable, Sendable, Equatable {
        public let level: Int
        public let assurance: Int
        /// Whether nothing mandatory is short or unknown, but what was excepted.
        public let isMet: Bool
        /// Every requirement up to those levels, in the order of the standards.
        public let requirements: [RequirementFinding]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let (level, assurance) = (level ?? 2, assurance ?? 2)
        for (name, value) in [("level", level), ("assurance", assurance)] where !(1...3).contains(value) {
            throw AdministrationError(.invalid, "\(name) is 1, 2 or 3.")
        }
        let except = Set(except ?? [])
        let known = Requirement.all.map(\.id)
        for id in except.sorted() where !known.contains(id) {
            let remedy = NearestName.of(id, among: known).map { "Did you mean \($0)?" } ?? "They look like ASVS-6.2.12."
            throw AdministrationError(.invalid, "There is no requirement \"\(id)\". \(remedy)")
        }
        var situation = try await Situation.of(realm)
        situation.assurance = assurance
        let findings = Requirement.all.filter { $0.level <= ($0.standard == .asvs ? level : assurance) }.map {
            RequirementFinding($0, $0.finding(in: situation), isExcepted: except.contains($0.id))
        }
        return Answer(
            level: level, assurance: assurance, isMet: !findings.contains(where: \.counts), requirements: findings)
    }
}

/// A requirement and what was found.
public struct RequirementFinding: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable, CaseIterable {
        case met
        case notMet = "not-met"
        /// It depends on how the servers were started, which is not known.
        case unknown
        /// Applications, APIs or the people who run the server decide.
        case elsewhere
        /// The server has nothing that it is about.
        case inapplicable
    }

    public struct Reason: Codable, Sendable, Equatable {
        public let why: String
        /// What would mend it, as a command after `countersign` or as a value for its start; nil where nothing does.
        public let remedy: String?
    }

    /// `ASVS-6.2.1`, `NIST-2.2.3b`.
    public let id: String
    /// ASVS: 1 to 3. NIST: the lowest assurance level that it is asked of.
    public let level: Int
    /// Whether the standard insists.
    public let isMandatory: Bool
    /// Whether the operator does without it.
    public let isExcepted: Bool
    /// What is asked for.
    public let text: String
    public let state: State
    /// Why it is not met, unknown, or decided elsewhere; empty where it is met.
    public let reasons: [Reason]
    /// The tests of the project that show it.
    public let tests: [String]

    init(_ requirement: Requirement, _ finding: Finding, isExcepted: Bool) {
        id = requirement.id
        level = requirement.level
        isMandatory = requirement.isMandatory
        self.isExcepted = isExcepted
        text = requirement.text
        tests = requirement.tests
        func said(_ why: String) -> [Reason] { [Reason(why: why, remedy: nil)] }
        switch finding {
        case .met: (state, reasons) = (.met, [])
        case .notMet(let found):
            (state, reasons) = (.notMet, found.map { Reason(why: $0.why, remedy: $0.remedy?.words) })
        case .unknown(let why): (state, reasons) = (.unknown, said(why))
        case .elsewhere(let why): (state, reasons) = (.elsewhere, said(why))
        case .inapplicable(let why): (state, reasons) = (.inapplicable, said(why))
        }
    }

    /// Whether it keeps the whole from being met.
    public var counts: Bool { isMandatory && !isExcepted && (state == .notMet || state == .unknown) }
}

extension Shortcoming.Remedy {
    fileprivate var words: String {
        switch self {
        case .setting(let key, let value): "countersign config set \(key) \(value)"
        case .start(let key, let value): "start the server with \(key) = \(value)"
        case .application(let option): "countersign app set ID \(option)"
        }
    }
}
