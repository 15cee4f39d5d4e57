#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// Deletes every item that the query finds. Never prompts, whatever protects the items.
    ///
    /// - Parameter query: without `kSecMatch…` and `kSecValueRef`, which are `errSecParam`.
    public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
        itemStatus { () throws(KeychainError) in
            let keychain = try KeychainVault.current()
            let query = try ItemQuery(query, accessGroup: keychain.application)
            try query.refuseSkipping()
            guard !query.hasMatchKeys, query.ref == nil else {
                throw .parameter("a deletion takes no kSecMatch… and no kSecValueRef")
            }
            let items = try query.found(in: keychain)
            guard !items.isEmpty else { throw .itemNotFound }
            try keychain.vault.delete(items.map(\.id))
        }
    }
#endif
