/// Which second factors the realm offers.
public struct SecondFactorSettings: Sendable, Equatable, Codable {
    /// Whether something is offered, with Identity Platform's words.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// It is neither enrolled nor asked for.
        case disabled = "DISABLED"
        /// Users may enrol it, and are asked for it then.
        case enabled = "ENABLED"
        /// Every user needs it.
        case mandatory = "MANDATORY"
    }

    /// What the project says of second factors at large. TOTP is switched by its own state.
    public var state = State.enabled
    /// Nil where the configuration has no entry for TOTP.
    public var totp: TOTPSettings? = TOTPSettings(state: .enabled, adjacentIntervals: 1)

    /// Whether devices are enrolled and asked.
    public var offersPush = true
    /// Whether passkeys are enrolled and taken.
    public var offersPasskeys = true

    /// Groups whose members need a second factor, also where not every user does; nil names none.
    public var requiredGroups: [String]?
    /// Roles of administrators (``AdministratorRole``) who need one at every sign-in, and not only for the console; nil names none.
    public var requiredRoles: [String]?

    /// How often a user without a second factor may put off enrolling one where it is required, 0 to 100; nil is without bound
    /// where ``skippableUntil`` bounds it, and never where that is nil too.
    public var skippableTimes: Int?
    /// The last day, in UTC, on which that may be put off: `2026-12-03`. Nil sets no day.
    public var skippableUntil: String?

    /// Second factors of every kind are offered, and none is required.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&state, .state)
        try members.assign(&offersPush, .offersPush)
        try members.assign(&offersPasskeys, .offersPasskeys)
        totp = try members.decodeIfPresent(TOTPSettings.self, forKey: .totp)
        skippableTimes = try members.decodeIfPresent(Int.self, forKey: .skippableTimes).map { min(max($0, 0), 100) }
        skippableUntil = try members.decodeIfPresent(String.self, forKey: .skippableUntil)
        requiredGroups = try members.decodeIfPresent([String].self, forKey: .requiredGroups)
        requiredRoles = try members.decodeIfPresent([String].self, forKey: .requiredRoles)
    }

    /// Whether every user needs a second factor, in the protocols that let a user without one enrol it during a
    /// sign-in.
    public var isRequired: Bool { state == .mandatory }

    /// Whether TOTP is enrolled and asked for.
    public var offersTOTP: Bool { totp.map { $0.state != .disabled } ?? false }

    /// Steps before and after the present one in which a TOTP code counts; never more than protocols allow.
    public var totpWindow: Int {
        let allowed = TOTPSettings.allowedAdjacentIntervals
        let named = totp?.adjacentIntervals ?? TOTPSettings.defaultAdjacentIntervals
        return min(max(named, allowed.lowerBound), allowed.upperBound)
    }
}

/// TOTP as a second factor.
public struct TOTPSettings: Sendable, Equatable, Codable {
    /// Where no number is named.
    public static let defaultAdjacentIntervals = 5
    /// More would let a code count for over five minutes.
    public static let allowedAdjacentIntervals = 0...10

    /// Whether TOTP is offered.
    public var state: SecondFactorSettings.State
    /// Nil where the configuration leaves it out: then ``defaultAdjacentIntervals`` holds.
    public var adjacentIntervals: Int?

    /// TOTP in this state.
    public init(state: SecondFactorSettings.State, adjacentIntervals: Int?) {
        self.state = state
        self.adjacentIntervals = adjacentIntervals
    }
}
