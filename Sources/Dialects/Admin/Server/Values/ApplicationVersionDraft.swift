import SecurityChecks

/// A version of an application as a form has it: what it asks of the clients of security checks.
public struct ApplicationVersionDraft: Sendable, Equatable {
    /// `ios`, `android`, `web`; an asterisk stands for all.
    public var platform: String
    /// An asterisk stands for all that have no entry of their own.
    public var number: String
    /// Checks by scope element, separated by spaces. An element without any asks for nothing.
    public var elements: [String: String]
    /// Scope elements whose checks every token takes, separated by spaces.
    public var mandatoryScope: String
    /// Seconds that a token lives at most.
    public var lifetime: Int
    /// Values by property by check.
    public var settings: [String: [String: String]]
    /// Checks whose state the applications of one device share, in their order.
    public var sharedChecks: [String]
    /// Whether clients that ask for it get refresh tokens.
    public var refreshTokens: Bool
    /// Whether its clients are served.
    public var isServed: Bool
    /// What users are told where they are not.
    public var message: String
    /// Where users get another version; empty for nowhere.
    public var downloadLink: String

    /// A version that takes any platform and number, and asks for nothing.
    public init() { self.init(ApplicationVersion()) }

    fileprivate init(_ version: ApplicationVersion) {
        platform = version.clientPlatform
        number = version.version
        elements = version.scopeElementMapping
        mandatoryScope = version.mandatoryScope
        lifetime = version.maxTokenExpiration
        settings = version.securityCheckConfigurations
        sharedChecks = version.sharedChecks.sorted()
        refreshTokens = version.refreshTokens
        switch version.access {
        case .active: (isServed, message, downloadLink) = (true, "", "")
        case .disabled(let text, let link): (isServed, message, downloadLink) = (false, text, link ?? "")
        }
    }

    fileprivate var version: ApplicationVersion {
        ApplicationVersion(
            clientPlatform: platform, version: number, scopeElementMapping: elements, mandatoryScope: mandatoryScope,
            maxTokenExpiration: lifetime, securityCheckConfigurations: settings, sharedChecks: Set(sharedChecks),
            refreshTokens: refreshTokens,
            access: isServed
                ? .active : .disabled(message: message, downloadLink: downloadLink.isEmpty ? nil : downloadLink))
    }
}

extension ApplicationSummary {
    /// One of its versions; nil where it has none of that platform and number.
    public func version(_ number: String, on platform: String) -> ApplicationVersionDraft? {
        versions.first { $0.clientPlatform == platform && $0.version == number }.map(ApplicationVersionDraft.init)
    }
}

extension RegistrationChange {
    /// Has a version in the place of the application's version of the same platform and number, or after the others, which stay.
    public mutating func put(_ draft: ApplicationVersionDraft, among application: ApplicationSummary) {
        var versions = application.versions
        let index = versions.firstIndex { $0.clientPlatform == draft.platform && $0.version == draft.number }
        if let index { versions[index] = draft.version } else { versions.append(draft.version) }
        self.versions = versions
    }

    /// Takes a version away; the others stay.
    public mutating func removeVersion(_ number: String, on platform: String, from application: ApplicationSummary) {
        versions = application.versions.filter { $0.clientPlatform != platform || $0.version != number }
    }
}
