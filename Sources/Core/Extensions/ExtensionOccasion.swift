/// In which attempt an extension is asked: the `authenticationContext` of a call.
public struct ExtensionOccasion: Sendable {
    public var application: ClientID
    public var applicationName: String?
    /// The audience of access tokens; nil for the application itself.
    public var resource: String?
    /// Names the client's request, as its answer does; nil makes a fresh id. A UUID.
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

    func json(in tenant: Tenant, correlationID fresh: String) -> [String: JSONValue] {
        var client: [String: JSONValue] = [:]
        client["ip"] = source.map { .string($0) }
        if let locale {
            client["locale"] = .string(locale)
            client["market"] = .string(locale)
        }
        return [
            "correlationId": .string(correlationID ?? fresh), "client": .object(client), "protocol": "OAUTH2.0",
            "clientServicePrincipal": Self.principal(application.rawValue, applicationName, in: tenant),
            "resourceServicePrincipal": Self.principal(
                resource ?? application.rawValue, resource == nil ? applicationName : nil, in: tenant),
        ]
    }

    /// The vendor's .NET library reads GUIDs alone as ids; the names are what people know.
    private static func principal(_ application: String, _ name: String?, in tenant: Tenant) -> JSONValue {
        let (id, name) = (tenant.directoryID(ofApplication: application), name ?? application)
        return .object([
            "id": .string(id), "appId": .string(id), "appDisplayName": .string(name), "displayName": .string(name),
        ])
    }
}
