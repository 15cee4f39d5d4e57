import CountersignCore

/// Changes what an application was registered with.
public struct ChangeApplication: AdministrationOperation {
    public static let name = "applications:set"
    public static let right = AdministrationRight.changeApplications

    public var id: String
    public var registration: RegistrationChange

    public init(id: String, registration: RegistrationChange) {
        self.id = id
        self.registration = registration
    }

    public typealias Answer = AddApplication.Answer

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        try registration.validate()
        let (registration, secret) = (registration, registration.secret(random: realm.random))
        let (id, now) = (ClientID(rawValue: id), realm.clock.now)
        let changed = try await realm.applications.change(id, by: client) {
            try permit.requireChanging($0)
            registration.apply(to: &$0, secret: secret, at: now)
            try permit.requireChanging($0)
            try $0.judgeOAuth()
        }
        guard let changed else { throw AdministrationError.noApplication(id.rawValue) }
        return Answer(
            application: ApplicationSummary(changed), secret: secret.generated,
            warnings: registration.warnings(for: changed.id, among: try await realm.resources.list()))
    }
}
