import Foundation

/// How long browsers stay signed in.
public struct BrowserSessionSettings: Sendable, Equatable, Codable {
    /// Whose limits hold: the authenticator assurance levels of NIST SP 800-63B-4.
    public enum Preset: String, Sendable, Codable, CaseIterable {
        /// Each session has the limits of its own level: with one factor it may stay for 30 days where its user asked for that
        /// (section 2.1.3), with two it has those of ``aal2``.
        case aal1
        /// An hour without use, a day in all (section 2.2.3). Browsers forget every session when they are closed.
        case aal2
        /// A quarter of an hour without use, twelve hours in all (section 2.3.3). Browsers forget every session when they are closed.
        case aal3
    }

    /// Whose limits the sessions of browsers have.
    public var preset = Preset.aal1

    /// Whether a browser may be signed in by another device that is signed in (docs/decisions/0298).
    public enum OtherDevice: String, Sendable, Codable, CaseIterable {
        /// Nowhere: every browser is signed in by its own user's proofs.
        case off
        /// Where both come from one network address, as devices in one place do.
        case sameNetwork
        /// Wherever they are.
        case anywhere
    }

    /// From where a signed-in device may sign in another browser.
    public var otherDevice = OtherDevice.sameNetwork

    /// The limits of ``Preset/aal1``, and other devices in the same network.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&preset, .preset)
        try members.assign(&otherDevice, .otherDevice)
    }

    /// Whether users may ask for a session that outlasts the browser's being open.
    public var allowsStaying: Bool { preset == .aal1 }

    /// The longest idle time of any session.
    static let longestIdle = longestStay
    /// Seconds that a session with one factor stays at most where its user asked for that.
    static let longestStay: TimeInterval = 30 * 86_400

    /// - Parameters:
    ///   - present: what the session was proven with.
    ///   - stays: whether its user asked to stay signed in.
    func limits(of present: ContextClass, stays: Bool) -> BrowserSessionLimits {
        switch preset {
        case .aal1 where stays && present == .aal1:
            BrowserSessionLimits(idle: Self.longestStay, overall: Self.longestStay)
        case .aal1, .aal2: BrowserSessionLimits(idle: Sessions.idleTime, overall: Sessions.overallTime)
        case .aal3: BrowserSessionLimits(idle: 900, overall: 12 * 3600)
        }
    }
}

/// When a browser's session is over, in seconds.
struct BrowserSessionLimits: Sendable, Equatable {
    /// Without use.
    let idle: TimeInterval
    /// Since the first of its proofs.
    let overall: TimeInterval
}
