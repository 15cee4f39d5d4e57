extension Migration {
    /// Registered clients can be listed. The index has their rows alone, so that other flows do not pay for it.
    static let clientRegistrations = Migration(version: 6, name: "client registrations") { _ in
        ["CREATE INDEX client_registrations ON flows (digest) WHERE purpose = 'client-registration'"]
    }
}
