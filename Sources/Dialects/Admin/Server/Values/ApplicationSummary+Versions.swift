import SecurityChecks

extension ApplicationSummary {
    /// What a version of an application asks of its clients, for people.
    public struct CheckedVersion: Sendable, Equatable {
        /// The platform and the version; an asterisk stands for all others.
        public let name: String
        /// Elements of scopes with the checks that they stand for, ordered by element.
        public let elements: [String]
        /// What every token takes; empty where there is nothing.
        public let mandatoryScope: String
        /// Seconds that a token lives at most.
        public let lifetime: Int
        /// Whether its clients are served.
        public let isServed: Bool

        init(_ version: ApplicationVersion) {
            name = "\(version.clientPlatform) \(version.version)"
            elements = version.scopeElementMapping.sorted { $0.key < $1.key }.map { element, checks in
                "\(element): \(checks.isEmpty ? "–" : checks)"
            }
            mandatoryScope = version.mandatoryScope
            lifetime = version.maxTokenExpiration
            isServed = version.access == .active
        }
    }

    /// Its versions, by which it takes part in security checks; none of an application that does not.
    public var checkedVersions: [CheckedVersion] { versions.map(CheckedVersion.init) }
}
