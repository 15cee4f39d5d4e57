import CountersignCore
import SecurityChecks

extension ApplicationSummary {
    /// What a version of an application asks of its clients, for people.
    public struct CheckedVersion: Sendable, Equatable {
        /// The platform and the version; an asterisk stands for all others.
        public let name: String
        /// The platform alone.
        public let platform: String
        /// The version alone.
        public let number: String
        /// Elements of scopes with the checks that they stand for, ordered by element.
        public let elements: [String]
        /// Names of its elements, ordered.
        public let scopes: [String]
        /// Names of the checks that its elements stand for, ordered: a client has a handler for each.
        public let checks: [String]
        /// What every token takes; empty where there is nothing.
        public let mandatoryScope: String
        /// Seconds that a token lives at most.
        public let lifetime: Int
        /// Whether its clients are served.
        public let isServed: Bool

        init(_ version: ApplicationVersion) {
            name = "\(version.clientPlatform) \(version.version)"
            platform = version.clientPlatform
            number = version.version
            elements = version.scopeElementMapping.sorted { $0.key < $1.key }.map { element, checks in
                "\(element): \(checks.isEmpty ? "–" : checks)"
            }
            scopes = version.scopeElementMapping.keys.sorted()
            checks = Set(version.scopeElementMapping.values.flatMap { ApplicationVersion.elements(of: $0) })
                .subtracting([SecurityCheckCatalogue.registeredClient]).sorted()
            mandatoryScope = version.mandatoryScope
            lifetime = version.maxTokenExpiration
            isServed = version.access == .active
        }
    }

    /// Its versions, by which it takes part in security checks; none of an application that does not.
    public var checkedVersions: [CheckedVersion] { versions.map(CheckedVersion.init) }
}

extension ApplicationVersion {
    /// The same, which says of the settings of checks only which there are: a value may be a PIN, and no definition says which is
    /// (`docs/decisions/0535`).
    fileprivate var withoutSettings: ApplicationVersion {
        var version = self
        version.securityCheckConfigurations = securityCheckConfigurations.mapValues { settings in
            settings.mapValues { _ in ConcealedValue.mark }
        }
        return version
    }
}

extension [ApplicationVersion] {
    /// As a caller sees them.
    func shown(to permit: AdministrationPermit) -> [ApplicationVersion] {
        permit.has(ChangeApplication.right) ? self : map(\.withoutSettings)
    }

    /// What cannot be registered of them.
    /// - Throws: ``AdministrationError`` of code `invalid`.
    func validate() throws {
        for version in self {
            for name in [version.clientPlatform, version.version] where !Self.isName(name) {
                throw AdministrationError(
                    .invalid, "\"\(name)\" is no platform or version: 1 to \(Self.longestName) bytes of one line.")
            }
            if version.maxTokenExpiration < 1 {
                throw AdministrationError(.invalid, "maxTokenExpiration is at least 1 second.")
            }
            let settings = version.securityCheckConfigurations.values
            guard !settings.contains(where: { $0.values.contains(ConcealedValue.mark) }) else {
                throw AdministrationError.concealedValue
            }
        }
        guard Set(map { "\($0.clientPlatform) \($0.version)" }).count == count else {
            throw AdministrationError(.invalid, "A version is there twice.")
        }
    }

    private static var longestName: Int { 128 }

    private static func isName(_ text: String) -> Bool {
        PlainText(text, bytes: 1...longestName) != nil && !text.unicodeScalars.contains(where: PlainText.isControl)
    }
}
