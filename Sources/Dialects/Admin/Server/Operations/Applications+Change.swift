import CountersignCore

/// Changes what an application was registered with.
public struct ChangeApplication: RehearsedOperation {
    public static let name = "applications:set"
    public static let right = AdministrationRight.changeApplications

    public var id: String
    public var registration: RegistrationChange
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?
    /// The `revision` that the application is to have still (``ShowApplication/Answer/revision``); otherwise nothing is changed.
    public var expecting: String?

    public init(id: String, registration: RegistrationChange, dryRun: Bool? = nil, expecting: String? = nil) {
        self.id = id
        self.registration = registration
        self.dryRun = dryRun
        self.expecting = expecting
    }

    public typealias Answer = AddApplication.Answer

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        try registration.validate()
        let (registration, secret) = (registration, registration.secret(random: realm.random))
        let (id, now, expecting) = (ClientID(rawValue: id), realm.clock.now, expecting)
        let judgedChange: @Sendable (inout ApplicationRegistration) throws -> Void = {
            let before = $0
            try permit.requireChanging(before)
            try RecordRevision.require(expecting, before.revision)
            registration.apply(to: &$0, secret: secret, at: now)
            try permit.requireChanging(before, to: $0)
            if $0.isUndone(whereChangedFrom: before) { throw AdministrationError.ofDocument(id) }
            try $0.judgeOAuth()
        }
        let changed: Application?
        if dryRun == true {
            changed = try await realm.applications.registered(id).map { present in
                var present = present
                try judgedChange(&present.registration)
                return present
            }
        } else {
            changed = try await realm.applications.change(id, by: client, judgedChange)
        }
        guard let changed else { throw AdministrationError.noApplication(id.rawValue) }
        return Answer(
            application: try await realm.summary(of: changed, for: permit),
            secret: dryRun == true ? nil : secret.generated,
            warnings: registration.warnings(for: changed.id, among: try await realm.resources.list()))
    }
}

extension AdministrationError {
    /// What would be undone when the application's document is read next.
    static func ofDocument(_ id: ClientID) -> AdministrationError {
        AdministrationError(
            .refused,
            "\(id.rawValue) is what the document at that address says, which is read again within a day. Have its publisher change the "
                + "document, add an application with `countersign app add`, or take none of the address: `countersign app document block`. "
                + "Here --disabled, --require-mfa, --default-acr, --default-max-age, --redirects-on, --note and --contact can be changed."
        )
    }
}
