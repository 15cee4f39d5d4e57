#if canImport(Security)
    import Foundation
    import KeychainTypes
    import Security

    extension Keychain {
        /// Deletes the secrets of `services` and the keys of `tags` when the app runs for the first time after it was
        /// installed: the keychain of iOS outlives an uninstall, and a device that changed hands would keep them
        /// (OWASP MASTG, "Testing local data storage": items outlive the app). Call it before anything is read.
        ///
        /// Whether it is the first run is kept in `defaults`, which goes with the app.
        ///
        /// - Returns: whether it was.
        @discardableResult
        public func wipeOnFirstLaunch(
            services: [String], tags: [String] = [], defaults: UserDefaults = .standard
        ) async throws(KeychainError) -> Bool {
            let mark = "com.countersign.keychain.launched"
            guard !defaults.bool(forKey: mark) else { return false }
            try await Self.silent.run { () throws(KeychainError) in
                for service in services {
                    try KeychainBackend.delete([kSecClass: kSecClassGenericPassword, kSecAttrService: service])
                }
                for tag in tags {
                    try KeychainBackend.delete([kSecClass: kSecClassKey, kSecAttrApplicationTag: Data(tag.utf8)])
                }
            }
            defaults.set(true, forKey: mark)
            return true
        }
    }
#endif
