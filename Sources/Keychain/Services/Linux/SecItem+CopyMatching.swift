#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// Finds items, the first one unless `kSecMatchLimit` says otherwise.
    ///
    /// A protected item asks for its factors whatever is wanted of it, also if only whether it exists
    /// (Apple, "Accessing keychain items with Face ID or Touch ID"). To find that out without a prompt, pass `kSecUseAuthenticationUIFail` and take
    /// `errSecInteractionNotAllowed` for "exists", or use `Keychain.contains`. Blocks while a prompt waits: call it off the
    /// main thread.
    ///
    /// - Parameter result: receives what `kSecReturn…` asks for: one thing as it is, several in a dictionary, and an
    ///   array of these where the limit is not one. Asking for something without a place to put it is `errSecParam`.
    public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        itemStatus { () throws(KeychainError) in
            let keychain = try KeychainVault.current()
            var query = try ItemQuery(query, accessGroup: keychain.application)
            guard query.returns.isEmpty || result != nil else {
                throw .parameter("a query that returns something needs a place to put it")
            }
            query.lookForRef()
            let results = try query.copyMatching(in: keychain)
            guard let result, !query.returns.isEmpty else { return }
            result.pointee = query.limit ?? .count(1) == .count(1) ? results.first : results as NSArray
        }
    }

    extension ItemQuery {
        /// - Returns: at least one result; empty only where nothing is asked for.
        func copyMatching(in keychain: KeychainVault.Opened) throws(KeychainError) -> [AnyObject] {
            var candidates = try found(in: keychain)
            if userInterface == .skip { candidates.removeAll { $0.access.asksForFactor } }
            if candidates.contains(where: \.asksWhenRead) { KeychainVault.noteWait() }
            let maximum = if case .all = limit { Int.max } else if case .count(let count) = limit { count } else { 1 }

            return try authenticating { (authentication) throws(KeychainError) in
                var results: [AnyObject] = []
                var count = 0
                for item in candidates where count < maximum {
                    do throws(KeychainError) {
                        let opened = try open(item, in: keychain.vault, authentication)
                        if let result = try opened.result(returns, context: context) { results.append(result) }
                        count += 1
                    } catch {
                        guard try error.meansGone(item, in: keychain.vault) else { throw error }
                    }
                }
                guard count > 0 else { throw KeychainError.itemNotFound }
                return results
            }
        }

        private func open(
            _ item: VaultItem, in vault: Vault, _ authentication: AuthenticationContext
        ) throws(KeychainError) -> MatchedItem {
            // The bytes of a key that only signs are not given out, and its reference does not need them.
            let signsOnly = item.isHardwareBound || item.access.constraints.contains(.privateKeyUsage)
            let needsSecret = returns.contains(.data) || item.asksWhenRead || returns.contains(.ref) && !signsOnly
            return MatchedItem(
                itemClass: itemClass, item: item,
                secret: needsSecret ? try vault.read(item.id, context: authentication) : nil)
        }
    }
#endif
