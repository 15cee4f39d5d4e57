import CountersignCore
import Foundation

/// The properties of a check as texts, and how they are read: the check's own defaults, over them what the definition says,
/// over that the server's configuration, and over all the application's (MobileFirst Foundation, Creating a security
/// check).
public struct SecurityCheckConfiguration: Sendable {
    private let properties: [String: String]
    /// What makes the check unusable.
    public private(set) var errors: [String] = []
    /// What works, and is perhaps not meant.
    public private(set) var warnings: [String] = []

    /// Seconds beyond which no state lasts: a hundred years.
    public static let longestDuration = 100 * 366 * 86_400

    /// - Parameter layers: later ones count.
    public init(_ layers: [String: String]...) {
        properties = layers.reduce(into: [:]) { $0.merge($1) { $1 } }
    }

    /// Notes something that makes the check unusable: ``SecurityCheckCatalogue`` then refuses the server's
    /// configuration, and for an application with such properties the check is not there.
    public mutating func addError(_ text: String) { errors.append(text) }
    /// Notes something that an operator should know and that stops nothing.
    public mutating func addWarning(_ text: String) { warnings.append(text) }

    /// - Parameter fallback: nil where the property has to be there.
    public mutating func string(_ name: String, default fallback: String?) -> String {
        if let text = properties[name] { return text }
        if fallback == nil { addError("\(name) is missing") }
        return fallback ?? ""
    }

    /// A whole number that is not negative.
    public mutating func integer(_ name: String, default fallback: Int) -> Int {
        guard let text = properties[name] else { return fallback }
        guard let number = Int(text.filter { $0 != " " }), number >= 0 else {
            addError("\(name) is no whole number of 0 or more: \"\(text.prefix(40))\"")
            return fallback
        }
        return number
    }

    /// Reads `true` or `false` in any case. Another text is an error, and reads as `fallback`.
    public mutating func boolean(_ name: String, default fallback: Bool) -> Bool {
        switch properties[name]?.lowercased() {
        case nil: return fallback
        case "true": return true
        case "false": return false
        case let text?:
            addError("\(name) is neither true nor false: \"\(text.prefix(40))\"")
            return fallback
        }
    }

    /// A duration in seconds; one beyond ``longestDuration`` is cut, with a warning.
    public mutating func seconds(_ name: String, default fallback: Int) -> TimeInterval {
        let number = integer(name, default: fallback)
        if number > Self.longestDuration { addWarning("\(name) is greater than the longest duration, which counts") }
        return TimeInterval(min(number, Self.longestDuration))
    }

    /// The four properties of whatever asks for credentials.
    public mutating func limits(default limits: AttemptLimits = AttemptLimits()) -> AttemptLimits {
        let attempts = integer("maxAttempts", default: limits.maxAttempts)
        if attempts < 1 { addError("maxAttempts is less than 1") }
        return AttemptLimits(
            maxAttempts: attempts,
            attemptingStateExpiration: seconds(
                "attemptingStateExpirationSec", default: Int(limits.attemptingStateExpiration)),
            successStateExpiration: seconds("successStateExpirationSec", default: Int(limits.successStateExpiration)),
            blockedStateExpiration: seconds("blockedStateExpirationSec", default: Int(limits.blockedStateExpiration)))
    }
}
