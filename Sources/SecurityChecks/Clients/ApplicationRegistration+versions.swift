import CountersignCore
import Foundation

extension ApplicationRegistration {
    /// What each version asks of its clients, where the application takes part in security checks. Versions that cannot be
    /// read are none, and then no client is served.
    public var versions: [ApplicationVersion] {
        get { (try? versionDocuments.map { try $0.decoded() }) ?? [] }
        set { versionDocuments = newValue.compactMap { try? JSONValue(encoding: $0) } }
    }

    /// A registration of an application that takes part in security checks.
    public init(
        displayName: String? = nil, redirectURIs: [String] = [],
        challengeTypes: [String] = [], scopes: [String] = [], audiences: [String]? = [], attributes: [Attribute] = [],
        requiresSecondFactor: Bool = false, revealsAddresses: Bool = false, versions: [ApplicationVersion]
    ) {
        self.init(
            displayName: displayName, redirectURIs: redirectURIs,
            challengeTypes: challengeTypes, scopes: scopes, audiences: audiences, attributes: attributes,
            requiresSecondFactor: requiresSecondFactor, revealsAddresses: revealsAddresses)
        self.versions = versions
    }

    /// The entry for a client: the one that says most about it.
    public func version(of application: ClientRegistration.Application) -> ApplicationVersion? {
        versions.entry(for: application)
    }
}

extension [ApplicationVersion] {
    /// The one that says most about a client.
    func entry(for application: ClientRegistration.Application) -> ApplicationVersion? {
        let candidates = filter {
            ($0.clientPlatform == ApplicationVersion.any || $0.clientPlatform == application.clientPlatform)
                && ($0.version == ApplicationVersion.any || $0.version == application.version)
        }
        return candidates.max {
            let left = ($0.version != ApplicationVersion.any, $0.clientPlatform != ApplicationVersion.any)
            let right = ($1.version != ApplicationVersion.any, $1.clientPlatform != ApplicationVersion.any)
            return (left.0 ? 2 : 0) + (left.1 ? 1 : 0) < (right.0 ? 2 : 0) + (right.1 ? 1 : 0)
        }
    }
}
