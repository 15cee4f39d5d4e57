#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// The status of what `body` did.
    func itemStatus(_ body: () throws(KeychainError) -> Void) -> OSStatus {
        do throws(KeychainError) {
            try body()
            return errSecSuccess
        } catch {
            return error.osStatus
        }
    }

    extension ItemQuery {
        /// What the query looks for, in the order in which it was added. Never prompts.
        func found(in keychain: KeychainVault.Opened) throws(KeychainError) -> [VaultItem] {
            if let uniqueKey = wholeUniqueKey(in: keychain) {
                guard let item = try keychain.vault.item(ofClass: itemClass.rawValue, uniqueKey: uniqueKey),
                    matches(item.attributes, item)
                else { return [] }
                return [item]
            }
            let query = UncheckedQuery(query: self)
            return try keychain.vault.items(ofClass: itemClass.rawValue) { query.query.matches($0, $1) }
        }

        /// The primary key, where the query names all of it that can differ here: then there is one item at most, and it is
        /// found at once however many there are.
        private func wholeUniqueKey(in keychain: KeychainVault.Opened) -> [UInt8]? {
            guard itemClass == .genericPassword, attributes["acct"] != nil, attributes["svce"] != nil else {
                return nil
            }
            var whole = attributes
            whole["agrp"] = .string(keychain.application)
            return itemClass.uniqueKey(whole)
        }

        /// Adds to a query for a key what its `kSecValueRef` says.
        mutating func lookForRef() {
            if let ref { fillIn(ref.identity) }
        }

        /// - Throws: `parameter` where the query asks to skip protected items, which only a search can.
        func refuseSkipping() throws(KeychainError) {
            if userInterface == .skip {
                throw .parameter("kSecUseAuthenticationUISkip is for SecItemCopyMatching alone")
            }
        }
    }

    /// A query on its way into a `@Sendable` closure.
    ///
    /// Unchecked because the vault calls the closure before `items` returns, on one thread at a time; the query is a
    /// value that does not change meanwhile.
    private struct UncheckedQuery: @unchecked Sendable {
        let query: ItemQuery
    }
#endif
