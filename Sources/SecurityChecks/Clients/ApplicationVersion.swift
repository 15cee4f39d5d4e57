import CountersignCore
import Foundation

/// What a version of an application asks of its clients: the application descriptor. An application without any has no part
/// in security checks.
///
/// Every member has a default; documents written before a member existed stay readable.
public struct ApplicationVersion: Sendable, Equatable, Codable {
    /// `ios`, `android`, `web`; ``any`` for all.
    public var clientPlatform: String
    /// ``any`` for all that have no entry of their own.
    public var version: String
    /// Checks by scope element, separated by spaces; none in an empty text.
    public var scopeElementMapping: [String: String]
    /// Scope elements whose checks every token of the application takes.
    public var mandatoryScope: String
    /// Seconds that a token lives at most.
    public var maxTokenExpiration: Int
    /// Properties by check, for this application alone.
    public var securityCheckConfigurations: [String: [String: String]]
    /// Checks whose state the applications of one device share, where they all say so.
    public var sharedChecks: Set<String>
    /// Whether clients that ask for it get refresh tokens: who holds one goes on without being asked by any check again.
    public var refreshTokens: Bool
    /// Whether clients of this version are served at all.
    public var access: Access

    /// Whether clients of this version are served.
    public enum Access: Sendable, Equatable, Codable {
        /// They are.
        case active
        /// No; with the message for users.
        case disabled(message: String, downloadLink: String?)
    }

    /// `*`, which stands for every platform, or for every version without an entry of its own.
    public static let any = "*"

    /// Makes a descriptor. Without arguments it covers all platforms and versions, maps nothing, and lets tokens live
    /// for an hour.
    public init(
        clientPlatform: String = any, version: String = any, scopeElementMapping: [String: String] = [:],
        mandatoryScope: String = "", maxTokenExpiration: Int = 3600,
        securityCheckConfigurations: [String: [String: String]] = [:], sharedChecks: Set<String> = [],
        refreshTokens: Bool = false, access: Access = .active
    ) {
        self.clientPlatform = clientPlatform
        self.version = version
        self.scopeElementMapping = scopeElementMapping
        self.mandatoryScope = mandatoryScope
        self.maxTokenExpiration = maxTokenExpiration
        self.securityCheckConfigurations = securityCheckConfigurations
        self.sharedChecks = sharedChecks
        self.refreshTokens = refreshTokens
        self.access = access
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&clientPlatform, .clientPlatform)
        try members.assign(&version, .version)
        try members.assign(&scopeElementMapping, .scopeElementMapping)
        try members.assign(&mandatoryScope, .mandatoryScope)
        try members.assign(&maxTokenExpiration, .maxTokenExpiration)
        try members.assign(&securityCheckConfigurations, .securityCheckConfigurations)
        try members.assign(&sharedChecks, .sharedChecks)
        try members.assign(&refreshTokens, .refreshTokens)
        try members.assign(&access, .access)
    }

    /// The elements of a scope. Their order means nothing.
    public static func elements(of scope: String) -> Set<String> {
        Set(scope.spaceSeparated)
    }

    /// The checks that an element stands for: those that it is mapped to, else the one of its name.
    func checks(of element: String) -> Set<String> {
        if element == SecurityCheckCatalogue.registeredClient { return [] }
        return scopeElementMapping[element].map(Self.elements) ?? [element]
    }
}
