import CountersignCore

/// Changes what an application was registered with.
public struct ChangeApplication: AdministrationOperation {
    public static let name = "applications:set"

    public var id: String
    public var registration: RegistrationChange

    public init(id: String, registration: RegistrationChange) {
        self.id = id
        self.registration = registration
    }

    public typealias Answer = AddApplication.Answer

    public func perform(on realm: Realm, by client: ClientContext) async throws -> Answer {
        try registration.validate()
        let (registration, secret) = (registration, registration.secret(random: realm.random))
        let changed = try await realm.applications.change(ClientID(rawValue: id), by: client) {
            registration.apply(to: &$0, secret: secret.value)
        }
        guard let changed else { throw AdministrationError.noApplication(id) }
        return Answer(
            application: ApplicationSummary(changed), secret: secret.generated,
            warnings: registration.warnings(for: changed.id))
    }
}
