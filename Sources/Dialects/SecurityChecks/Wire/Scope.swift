import JSON

/// What a resource requires or a token allows: a set of elements. Each is the name of a security check, or a word that
/// an application maps to checks. Source: MobileFirst Foundation, Authentication and security.
public struct Scope: Hashable, Sendable {
    public var elements: Set<String>

    public init(_ elements: Set<String> = []) {
        self.elements = elements
    }

    /// Elements with blanks between them; their order does not matter.
    public init(_ text: String) {
        elements = Set(text.spaceSeparated)
    }

    /// The scope of every registered client that is active, and part of every resource's. The word cannot be mapped.
    public static let registeredClient = Scope([registeredClientElement])
    public static let registeredClientElement = "RegisteredClient"

    public func union(_ other: Scope) -> Scope { Scope(elements.union(other.elements)) }

    /// The elements as they are sent, always in the same order: as in a dictionary, capitals beside small letters.
    public var text: String {
        elements.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }.joined(separator: " ")
    }
}

extension Scope: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Names of security checks that the framework has for itself. Source: MobileFirst Foundation, Authentication and security.
public enum ReservedCheck {
    /// The attestation of the app; off where no verifier is set up.
    public static let appAuthenticity = "appAuthenticity"
    /// At registration: names the id that the client will have.
    public static let registrationClientID = "registration-client-id"
    /// Its success says the server's time: ``ClockSynchronization``.
    public static let clockSynchronization = "clockSynchronization"
    public static let directUpdate = "directUpdate"
    public static let remoteDisable = "wl_remoteDisableRealm"
    public static let ltpaSingleSignOn = "LtpaBasedSSO"

    public static let all: Set<String> = [
        Scope.registeredClientElement, appAuthenticity, registrationClientID, clockSynchronization, directUpdate,
        remoteDisable, ltpaSingleSignOn,
    ]
}
