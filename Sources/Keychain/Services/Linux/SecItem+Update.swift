#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// Changes every item that the query finds.
    ///
    /// A protected item asks for its factors. Either all items that were found are changed, or none where two of them,
    /// or one and an item that is left alone, would become equal: that is `errSecDuplicateItem`.
    ///
    /// - Parameters:
    ///   - query: without `kSecReturn…`, `kSecMatch…` and `kSecValueRef`, which are `errSecParam`.
    ///   - attributesToUpdate: attributes and `kSecValueData`; any other key is `errSecNoSuchAttr`.
    public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
        itemStatus { () throws(KeychainError) in
            let keychain = try KeychainVault.current()
            let query = try ItemQuery(query, accessGroup: keychain.application)
            let changes = try ItemQuery(
                changes: attributesToUpdate, of: query.itemClass, accessGroup: keychain.application)
            try query.update(changes, in: keychain)
        }
    }

    extension ItemQuery {
        func update(_ changes: ItemQuery, in keychain: KeychainVault.Opened) throws(KeychainError) {
            try refuseSkipping()
            guard returns.isEmpty else { throw .parameter("an update returns nothing") }
            guard !hasMatchKeys, ref == nil else {
                throw .parameter("an update takes no kSecMatch… and no kSecValueRef")
            }
            guard !changes.isSynchronizable, !changes.matchesAnySynchronizable else {
                throw .parameter("items are not synchronised here: leave kSecAttrSynchronizable out")
            }
            let vault = keychain.vault
            let items = try found(in: keychain)
            guard !items.isEmpty else { throw .itemNotFound }
            let updates = try items.map { (item) throws(KeychainError) in
                let attributes = changes.merged(into: item.attributes)
                return (item: item, attributes: attributes, uniqueKey: itemClass.uniqueKey(attributes))
            }
            try refuseDuplicates(among: updates.map { ($0.item.id, $0.uniqueKey) }, in: vault)

            try authenticating { (authentication) throws(KeychainError) in
                var changed = 0
                for update in updates {
                    do throws(KeychainError) {
                        try changes.change(
                            update.item, to: update.attributes, update.uniqueKey, in: vault, authentication)
                        changed += 1
                    } catch {
                        guard try error.meansGone(update.item, in: vault) else { throw error }
                    }
                }
                guard changed > 0 else { throw KeychainError.itemNotFound }
            }
        }

        private func merged(into stored: ItemAttributes) -> ItemAttributes {
            var merged = stored
            merged["mdat"] = nil
            merged.merge(attributes) { _, new in new }
            if itemClass == .key, let secret {
                merged[StoredKey.publicKeyAttribute] = nil
                merged.merge(SecKey.hidden(of: LockedBytes(secret), merged)) { _, new in new }
            }
            return itemClass.completed(merged)
        }

        private func change(
            _ item: VaultItem, to attributes: ItemAttributes, _ uniqueKey: [UInt8], in vault: Vault,
            _ authentication: AuthenticationContext
        ) throws(KeychainError) {
            let isRenamed = uniqueKey != itemClass.uniqueKey(item.attributes)
            try vault.update(
                item.id,
                with: ItemChange(
                    attributes: attributes, uniqueKey: isRenamed ? uniqueKey : nil,
                    secret: secret.map { LockedBytes($0) }, access: access),
                context: authentication)
        }

        private func refuseDuplicates(
            among changed: [(id: ItemID, uniqueKey: [UInt8])], in vault: Vault
        ) throws(KeychainError) {
            let ids = Set(changed.map(\.id))
            let keys = Set(changed.map(\.uniqueKey))
            guard keys.count == changed.count else { throw .duplicateItem }
            let itemClass = itemClass
            let others = try vault.items(ofClass: itemClass.rawValue) { attributes, item in
                !ids.contains(item.id) && keys.contains(itemClass.uniqueKey(attributes))
            }
            guard others.isEmpty else { throw .duplicateItem }
        }
    }
#endif
