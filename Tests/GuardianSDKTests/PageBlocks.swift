#if os(Linux)
    import Guardian
    import KeychainServices

    /// What docs/guardian.md shows, so that the build compiles it; `scripts/check-docs` compares.
    func showsGuardian(scanned: String, apnsToken: String) async throws {
        let domain = "login.example.com"
        let key = try KeychainRSAPrivateKey.new(with: "com.example.guardian")
        let device = try await Guardian.enroll(
            forDomain: domain, usingUri: scanned, notificationToken: apnsToken, signingKey: key,
            verificationKey: key.verificationKey()
        ).start()

        try await KeychainVault.configure(presence: .terminal)
        let authentication = Guardian.authentication(forDomain: domain, device: device)
        for try await notification in Guardian.api(forDomain: domain).device(of: device).notifications() {
            try await authentication.allow(notification: notification).start()
        }
    }
#endif
