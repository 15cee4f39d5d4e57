/// In which attempt an extension is asked: the `authenticationContext` of a call.
public struct ExtensionOccasion: Sendable {
    /// The application that the user signs in to, or up for.
    public var application: ClientID
    /// What people call the application; nil where it has no name.
    public var applicationName: String?
    /// The audience of access tokens; nil for the application itself.
    public var resource: String?
    /// Names the client's request, as its answer does; nil makes a fresh id. A UUID.
    public var correlationID: String?
    /// The client's network address.
    public var source: String?
    /// BCP 47.
    public var locale: String?

    /// An attempt in this application, with what is known of the request.
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
}
