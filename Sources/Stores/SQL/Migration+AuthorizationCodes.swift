extension Migration {
    /// Authorization codes that are over are found by themselves: they go with their minute, and other flows a day later.
    static let authorizationCodes = Migration(version: 8, name: "authorization codes") { _ in
        [
            """
            CREATE INDEX authorization_codes_by_expiry ON flows (expires_at) \
            WHERE purpose = 'authorization-code'
            """
        ]
    }
}
