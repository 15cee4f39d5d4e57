import CountersignCore

/// Says whether a request of an application with this redirect URI would be taken, by the code that judges requests.
public struct TestRedirect: AdministrationOperation {
    public static let name = "applications:test-redirect"
    public static let right = AdministrationRight.readApplications

    public var id: String
    public var uri: String

    public init(id: String, uri: String) {
        self.id = id
        self.uri = uri
    }

    public struct Answer: Codable, Sendable, Equatable {
        public let isAdmitted: Bool
        /// Why it is not.
        public let reason: String?
        /// The registered address that is nearest to it, where it is not admitted.
        public let nearest: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let application = try await realm.applications.registered(ClientID(rawValue: id)) else {
            throw AdministrationError.noApplication(id)
        }
        let registered = application.registration.redirectURIs
        if let fault = RedirectURI.fault(of: uri) {
            return Answer(isAdmitted: false, reason: "It is no redirect URI: \(fault.rawValue).", nearest: nil)
        }
        if RedirectURI.matches(uri, registered, freePorts: application.registration.oauth.hasFreeLoopbackPorts) {
            return Answer(isAdmitted: true, reason: nil, nearest: nil)
        }
        return Answer(
            isAdmitted: false,
            reason: registered.isEmpty
                ? "The application has no redirect URI."
                : "It is not registered: addresses are compared letter by letter.",
            nearest: NearestName.of(uri, among: registered))
    }
}
