import CountersignCore

/// A requirement of a published standard, and how it is known whether this server meets it.
struct Requirement: Sendable {
    /// Whose requirement it is.
    enum Standard: String, Sendable, Codable, CaseIterable {
        /// OWASP Application Security Verification Standard 5.0.
        case asvs = "ASVS"
        /// NIST SP 800-63B-4, "Digital Identity Guidelines: Authentication and Authenticator Management".
        case nist = "NIST"
    }

    /// How it is known.
    enum Basis: Sendable {
        /// It holds whatever is set, as the tests show.
        case construction
        /// A page of the documentation is what is asked for.
        case documented(page: String)
        /// The settings decide.
        case settings(@Sendable (Situation) -> Finding)
        /// It does not hold, whatever is set.
        case lacking(String)
        /// Applications, APIs or the people who run the server meet it or not.
        case elsewhere(String)
        /// The server has nothing that it is about.
        case inapplicable(String)
    }

    let standard: Standard
    /// In the standard: `6.2.1`. A section of NIST's that asks for several things has several, with a letter: `3.1.1.2a`.
    let number: String
    /// ASVS: the verification level, 1 to 3. NIST: the lowest authenticator assurance level that it is asked of.
    let level: Int
    /// Whether the standard insists; NIST's "should" does not.
    let isMandatory: Bool
    /// What is asked for, in our own words.
    let text: String
    let basis: Basis
    /// The tests that show it, as `Suite: what the test is called`.
    let tests: [String]

    /// `ASVS-6.2.1`.
    var id: String { "\(standard.rawValue)-\(number)" }

    static func asvs(_ number: String, _ level: Int, _ text: String, _ basis: Basis, _ tests: String...) -> Requirement
    {
        Requirement(
            standard: .asvs, number: number, level: level, isMandatory: true, text: text, basis: basis, tests: tests)
    }

    static func nist(
        _ number: String, _ level: Int, should: Bool = false, _ text: String, _ basis: Basis, _ tests: String...
    ) -> Requirement {
        Requirement(
            standard: .nist, number: number, level: level, isMandatory: !should, text: text, basis: basis, tests: tests)
    }

    /// Every one, in the order of the standards.
    static let all = authentication + sessions + tokens + oauth + nist

    func finding(in situation: Situation) -> Finding {
        switch basis {
        case .construction, .documented: .met
        case .settings(let judge): judge(situation)
        case .lacking(let why): .notMet([Shortcoming(why)])
        case .elsewhere(let why): .elsewhere(why)
        case .inapplicable(let why): .inapplicable(why)
        }
    }
}

/// What was found of one requirement.
enum Finding: Sendable, Equatable {
    case met
    case notMet([Shortcoming])
    /// What it depends on is not known here; why.
    case unknown(String)
    case elsewhere(String)
    case inapplicable(String)

    /// Met where nothing is short.
    static func unless(_ shortcomings: [Shortcoming?]) -> Finding {
        let found = shortcomings.compactMap(\.self)
        return found.isEmpty ? .met : .notMet(found)
    }

    /// Met where a condition holds.
    static func met(if condition: Bool, _ why: String, _ remedy: Shortcoming.Remedy? = nil) -> Finding {
        condition ? .met : .notMet([Shortcoming(why, remedy)])
    }
}

/// One reason why a requirement is not met.
struct Shortcoming: Sendable, Equatable {
    /// What would mend it.
    enum Remedy: Sendable, Equatable {
        /// A setting of the database, and the value.
        case setting(String, String)
        /// A value that a server is started with.
        case start(String, String)
        /// What each of some applications is to be changed with.
        case application(String)
    }

    let why: String
    let remedy: Remedy?

    init(_ why: String, _ remedy: Remedy? = nil) {
        self.why = why
        self.remedy = remedy
    }
}
