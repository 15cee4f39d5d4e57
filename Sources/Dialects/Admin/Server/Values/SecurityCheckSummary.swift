import CountersignCore
import Foundation
import SecurityChecks

/// A security check as administrators see it.
public struct SecurityCheckSummary: Codable, Sendable, Equatable {
    /// What scopes and challenge handlers call it.
    public let name: String
    /// Whether the server has it; false where applications alone name it.
    public let isDefined: Bool
    /// `condition`, which asks for nothing; `credentials`; or `login`, whose credentials say who the user is. Nil where the server does not have
    /// it.
    public let kind: String?
    /// The type that has its rules, in the server's program.
    public let type: String?
    /// Whether its answers are judged in the transaction that counts them.
    public let isImmediate: Bool?
    /// The checks that are evaluated before it.
    public let dependencies: [String]
    /// Wrong answers that one client may give; nil where nothing is asked.
    public let maxAttempts: Int?
    /// How long each state lasts, by name.
    public let states: [State]
    /// Seconds without a request after which a success is over; 0 for never.
    public let inactivityTimeout: Int?
    /// Seconds that a user is remembered, 0 for no time; nil where the check says of no user.
    public let rememberMeDuration: Int?
    /// What it was configured with, in the order that it reads them; last what is set and it does not read.
    public let properties: [Property]
    /// The versions of applications that name it.
    public let uses: [Use]

    /// A state of a check.
    public struct State: Codable, Sendable, Equatable {
        /// `attempting`, `success`, `blocked`, or a state of the check's own.
        public let name: String
        public let seconds: Int
    }

    /// A property that a check was configured with.
    public struct Property: Codable, Sendable, Equatable {
        public let name: String
        /// A number, `true` or `false`. Nil where it is a text, which may be a secret, where it does not read, and where it is not read.
        public let value: String?
        /// `check`, its own default; `definition` in the server's program; `server`, what the program configures over that; or `application`.
        public let source: String
        /// Whether the check reads it; false of a name that was mistyped.
        public let isRead: Bool

        fileprivate init(_ property: SecurityCheckConfiguration.Property, isRead: Bool) {
            name = property.name
            value = property.value
            source = property.source.rawValue
            self.isRead = isRead
        }

        /// What an application sets of a check that is not there, so that nothing says which of it is secret.
        fileprivate init(unread name: String) {
            self.name = name
            value = nil
            source = SecurityCheckConfiguration.Source.application.rawValue
            isRead = false
        }
    }

    /// How a version of an application names a check.
    public struct Use: Codable, Sendable, Equatable {
        public let application: String
        /// The platform and the version; an asterisk stands for all others.
        public let version: String
        /// Elements of scopes that are mapped to the check.
        public let elements: [String]
        /// Whether every token of the application takes it.
        public let isMandatory: Bool
        /// Whether applications of one device share its state, where each says so.
        public let isShared: Bool
        /// What the version sets of its own, over the settings of all.
        public let properties: [Property]
        /// What of these does not read: then the check is not there for the version.
        public let faults: [String]
    }

    /// - Parameter check: nil where the server does not have it.
    init(name: String, _ check: DescribedSecurityCheck?, uses: [Use]) {
        self.name = name
        isDefined = check != nil
        kind = check?.kind.rawValue
        type = check?.type
        isImmediate = check?.isImmediate
        dependencies = check?.dependencies ?? []
        maxAttempts = check?.maxAttempts
        states = (check?.stateDurations ?? [:]).sorted { $0.key < $1.key }.map {
            State(name: $0.key, seconds: Int(wholeSeconds: $0.value))
        }
        inactivityTimeout = check.map { Int(wholeSeconds: $0.inactivityTimeout) }
        rememberMeDuration = check?.rememberMeDuration.map { Int(wholeSeconds: $0) }
        properties = check.map(Property.all) ?? []
        self.uses = uses
    }
}

extension SecurityCheckSummary.Property {
    /// All of a check.
    fileprivate static func all(of check: DescribedSecurityCheck) -> [Self] {
        check.properties.map { Self($0, isRead: true) } + check.unread.map { Self($0, isRead: false) }
    }
}

extension SecurityCheckSummary.Use {
    /// The checks that a version names in any way, each with how.
    static func all(
        of version: ApplicationVersion, _ application: String, _ catalogue: SecurityCheckCatalogue?
    ) -> [String: Self] {
        var elements: [String: [String]] = [:]
        for (element, checks) in version.scopeElementMapping.sorted(by: { $0.key < $1.key }) {
            for check in ApplicationVersion.elements(of: checks) { elements[check, default: []].append(element) }
        }
        let mandatory = ApplicationVersion.elements(of: version.mandatoryScope).reduce(into: Set<String>()) {
            $0.formUnion(version.scopeElementMapping[$1].map(ApplicationVersion.elements) ?? [$1])
        }
        let names = mandatory.union(elements.keys).union(version.sharedChecks)
            .union(version.securityCheckConfigurations.keys).subtracting([SecurityCheckCatalogue.registeredClient])
        return names.reduce(into: [:]) { uses, name in
            let own = version.securityCheckConfigurations[name] ?? [:]
            // Where the version sets nothing, the check is as the server has it: it is made and described once, for all.
            let check = own.isEmpty ? nil : catalogue?.describe(name, for: version)
            let properties =
                check.map(SecurityCheckSummary.Property.all)
                ?? own.keys.sorted().map { SecurityCheckSummary.Property(unread: $0) }
            uses[name] = Self(
                application: application, version: "\(version.clientPlatform) \(version.version)",
                elements: elements[name] ?? [], isMandatory: mandatory.contains(name),
                isShared: version.sharedChecks.contains(name),
                properties: properties.filter { own[$0.name] != nil },
                faults: check?.faults ?? [])
        }
    }
}

extension Int {
    /// Seconds of a check, which is anybody's: of what is no number of them the nearest is taken.
    init(wholeSeconds seconds: TimeInterval) {
        self = seconds.isNaN ? 0 : Int(Swift.max(0, Swift.min(seconds, 1e15)).rounded())
    }
}
