import CountersignCore
import Foundation

/// The properties of a check as texts, and how they are read: the check's own defaults, over them what the definition says,
/// over that the server's configuration, and over all the application's (MobileFirst Foundation, Creating a security
/// check).
public struct SecurityCheckConfiguration: Sendable {
    /// Where the value of a property comes from; what comes later counts more.
    public enum Source: String, Sendable, Codable, CaseIterable {
        /// The check itself: nothing else says a value.
        case check
        /// The check's definition in the server's program.
        case definition
        /// The configuration that the program gives its catalogue.
        case server
        /// An application's `securityCheckConfigurations`.
        case application
    }

    /// A property as a check read it.
    public struct Property: Sendable, Equatable {
        /// As configurations call it.
        public let name: String
        /// A number, `true` or `false`. Nil where it is a text, which may be a secret, and where the value does not read.
        public let value: String?
        /// What says the value.
        public let source: Source
    }

    private let properties: [String: String]
    /// What says each of ``properties``; nil where no caller wants to know what is read.
    private let sources: [String: Source]?
    /// What the check read, where a caller wants to know: each once, in the check's order.
    private(set) var read: [Property] = []
    /// What makes the check unusable.
    public private(set) var errors: [String] = []
    /// What works, and is perhaps not meant.
    public private(set) var warnings: [String] = []

    /// Seconds beyond which no state lasts: a hundred years.
    public static let longestDuration = 100 * 366 * 86_400

    /// - Parameter layers: later ones count.
    public init(_ layers: [String: String]...) {
        properties = layers.reduce(into: [:]) { $0.merge($1) { $1 } }
        sources = nil
    }

    /// A configuration that notes what is read of it.
    /// - Parameter layers: later ones count.
    init(noting layers: [(source: Source, properties: [String: String])]) {
        properties = layers.reduce(into: [:]) { $0.merge($1.properties) { $1 } }
        var sources: [String: Source] = [:]
        for layer in layers {
            for name in layer.properties.keys { sources[name] = layer.source }
        }
        self.sources = sources
    }

    /// What is set and was not read, such as a name that was mistyped, by name.
    var unread: [Property] {
        guard let sources else { return [] }
        return sources.keys.sorted().filter { name in !read.contains { $0.name == name } }.map {
            Property(name: $0, value: nil, source: sources[$0] ?? .definition)
        }
    }

    private mutating func note(_ name: String, _ value: String?) {
        guard let sources, !read.contains(where: { $0.name == name }) else { return }
        read.append(Property(name: name, value: value, source: sources[name] ?? .check))
    }

    /// Notes something that makes the check unusable: ``SecurityCheckCatalogue`` then refuses the server's
    /// configuration, and for an application with such properties the check is not there. Administrators are shown the text: it says what is
    /// wrong with a property, and not what its value is.
    public mutating func addError(_ text: String) { errors.append(text) }
    /// Notes something that an operator should know and that stops nothing.
    public mutating func addWarning(_ text: String) { warnings.append(text) }

    /// A text. It may be a secret: administrators are told that it is set, and not what it is.
    /// - Parameter fallback: nil where the property has to be there.
    public mutating func string(_ name: String, default fallback: String?) -> String {
        note(name, nil)
        if let text = properties[name] { return text }
        if fallback == nil { addError("\(name) is missing") }
        return fallback ?? ""
    }

    /// A whole number that is not negative. Administrators are shown it, so a secret of digits is a ``string(_:default:)``.
    public mutating func integer(_ name: String, default fallback: Int) -> Int {
        guard let text = properties[name] else {
            note(name, String(fallback))
            return fallback
        }
        guard let number = Int(text.filter { $0 != " " }), number >= 0 else {
            note(name, nil)
            addError("\(name) is no whole number of 0 or more")
            return fallback
        }
        note(name, String(number))
        return number
    }

    /// Reads `true` or `false` in any case. Another text is an error, and reads as `fallback`.
    public mutating func boolean(_ name: String, default fallback: Bool) -> Bool {
        switch properties[name]?.lowercased() {
        case nil:
            note(name, String(fallback))
            return fallback
        case "true":
            note(name, "true")
            return true
        case "false":
            note(name, "false")
            return false
        case .some:
            note(name, nil)
            addError("\(name) is neither true nor false")
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
