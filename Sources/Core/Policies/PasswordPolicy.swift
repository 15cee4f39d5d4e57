import Foundation

/// Which passwords are good enough, after NIST SP 800-63B-4, section 3.1.1.2: length and a blocklist. Rules of
/// composition are there for those who have to have them, and off.
public struct PasswordPolicy: Sendable, Equatable, Codable {
    /// Characters (Unicode scalars after NFC) that a password needs at least; 6 to 64.
    public var minimumLength: Int
    /// Characters needed where nothing but the password is asked for; nil where that makes no difference.
    public var minimumLengthAlone: Int?
    /// Characters that a password may have at most: 6 to ``longestMaximum``; nil for 1024.
    public var maximumLength: Int?
    /// Kinds of characters of which a password has to have one each.
    public var required: Set<CharacterKind>
    /// Whether the commonest passwords are refused.
    public var refusesCommon: Bool
    /// Passwords of an account that it cannot be given again, the present one among them: 0 to ``mostRemembered``.
    /// Each costs a password hash when a new one is chosen.
    public var remembered: Int

    /// A policy of these rules. Ranges hold where one is read from settings, and not here.
    public init(
        minimumLength: Int, minimumLengthAlone: Int? = nil, maximumLength: Int? = nil,
        required: Set<CharacterKind> = [], refusesCommon: Bool = true, remembered: Int = 3
    ) {
        self.minimumLength = minimumLength
        self.minimumLengthAlone = minimumLengthAlone
        self.maximumLength = maximumLength
        self.required = required
        self.refusesCommon = refusesCommon
        self.remembered = remembered
    }

    public init(from decoder: any Decoder) throws {
        self = .standard
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&minimumLength, .minimumLength)
        minimumLengthAlone = try members.decodeIfPresent(Int.self, forKey: .minimumLengthAlone)
        maximumLength = try members.decodeIfPresent(Int.self, forKey: .maximumLength)
        try members.assign(&required, .required)
        try members.assign(&refusesCommon, .refusesCommon)
        try members.assign(&remembered, .remembered)
        minimumLength = min(max(minimumLength, 6), 64)
        minimumLengthAlone = minimumLengthAlone.map { min(max($0, minimumLength), 64) }
        maximumLength = maximumLength.map { min(max($0, minimumLengthAlone ?? minimumLength), Self.longestMaximum) }
        remembered = min(max(remembered, 0), Self.mostRemembered)
    }

    /// At least 8 characters.
    public static let standard = PasswordPolicy(minimumLength: 8)
    /// As NIST asks: 8 characters, and 15 where no second factor follows.
    public static let nist = PasswordPolicy(minimumLength: 8, minimumLengthAlone: 15)
    /// Longer ones are refused rather than cut, where the policy says nothing else.
    public static let maximumLength = 1024
    /// The most that a policy may allow, as in Identity Platform's password policy.
    public static let longestMaximum = 4096
    /// Passwords of one account that are remembered at most.
    public static let mostRemembered = 10

    /// Why a password is not good enough.
    public enum Fault: Sendable, Equatable {
        /// It has fewer characters than the policy asks for.
        case tooShort(minimum: Int)
        /// It has more characters than the policy takes.
        case tooLong(maximum: Int)
        /// It is one of the commonest passwords.
        case common
        /// It has none of these kinds of characters; never empty, in the order of the kinds.
        case lacks([CharacterKind])
        /// It is the address, or the part before the `@`.
        case containsAddress
        /// The account has it, or had it lately.
        case recentlyUsed
    }

    /// Characters that a password needs at least.
    func minimumLength(secondFactorFollows: Bool) -> Int {
        secondFactorFollows ? minimumLength : (minimumLengthAlone ?? minimumLength)
    }

    /// Nil where the password is good enough.
    /// - Parameters:
    ///   - email: refused as a password, as is its local part.
    ///   - secondFactorFollows: whether the user is asked for more than the password.
    public func fault(
        of password: Secret<String>, email: EmailAddress?, secondFactorFollows: Bool = false
    ) -> Fault? {
        let text = password.reveal().precomposedStringWithCanonicalMapping
        let length = text.unicodeScalars.count
        let minimum = minimumLength(secondFactorFollows: secondFactorFollows)
        if length < minimum { return .tooShort(minimum: minimum) }
        let maximum = maximumLength ?? Self.maximumLength
        if length > maximum { return .tooLong(maximum: maximum) }
        let missing = CharacterKind.allCases.filter { required.contains($0) && !$0.isIn(text) }
        if !missing.isEmpty { return .lacks(missing) }
        let folded = text.lowercased()
        if let email {
            let local = String(email.canonical.prefix { $0 != "@" })
            if folded == email.canonical || folded == local { return .containsAddress }
        }
        if refusesCommon && CommonPasswords.contains(folded) { return .common }
        return nil
    }
}
