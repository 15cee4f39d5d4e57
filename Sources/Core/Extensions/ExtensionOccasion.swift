/// In which attempt an extension is asked: the `authenticationContext` of a call (native-auth spec, section 4.2).
public struct ExtensionOccasion: Sendable {
    public var application: ClientID
    public var applicationName: String?
    /// Whom access tokens are for; nil for the application itself.
    public var resource: String?
    /// What the client calls its request; nil makes a fresh id.
    public var correlationID: String?
    /// The client's network address.
    public var source: String?
    /// BCP 47.
    public var locale: String?

    public init(
        application: ClientID, applicationName: String? = nil, resource: String? = nil, correlationID: String? = nil,
        source: String? = nil, locale: String? = nil
    ) {
        self.application = application
        self.applicationName = applicationName
        self.resource = resource
        self.correlationID = correlationID
        self.source = source
        self.locale = locale
    }

    func json(correlationID fresh: String) -> [String: JSONValue] {
        var client: [String: JSONValue] = [:]
        client["ip"] = source.map { .string($0) }
        if let locale {
            client["locale"] = .string(locale)
            client["market"] = .string(locale)
        }
        return [
            "correlationId": .string(correlationID ?? fresh), "client": .object(client), "protocol": "OAUTH2.0",
            "clientServicePrincipal": Self.principal(application.rawValue, applicationName),
            "resourceServicePrincipal": Self.principal(
                resource ?? application.rawValue, resource == nil ? applicationName : nil),
        ]
    }

    private static func principal(_ id: String, _ name: String?) -> JSONValue {
        let name = name ?? id
        return .object([
            "id": .string(id), "appId": .string(id), "appDisplayName": .string(name), "displayName": .string(name),
        ])
    }
}
