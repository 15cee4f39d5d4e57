#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// Adds one item.
    ///
    /// Does not prompt for a passcode or a touch: the access control is bound to the existing factors, and
    /// `errSecAuthFailed` says that one is missing. Only an application password has to be there, in the context or by
    /// a prompt. Blocks while a prompt waits: call it off the main thread.
    ///
    /// - Parameter result: receives what `kSecReturn…` asks for.
    /// - Returns: `errSecDuplicateItem` where an item with the same primary key exists, whatever its access control.
    public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
        itemStatus { () throws(KeychainError) in
            let keychain = try KeychainVault.current()
            let query = try ItemQuery(attributes, accessGroup: keychain.application)
            let added = try query.add(to: keychain)
            guard let result, !query.returns.isEmpty else { return }
            result.pointee = try added.result(query.returns, context: query.context)
        }
    }

    extension ItemQuery {
        func add(to keychain: KeychainVault.Opened) throws(KeychainError) -> MatchedItem {
            try refuseSkipping()
            guard !hasMatchKeys else { throw .parameter("nothing is matched when an item is added") }
            guard persistentRef == nil else { throw .parameter("a persistent reference is to an item that exists") }
            guard !isSynchronizable, !matchesAnySynchronizable else {
                throw .parameter("items are not synchronised here: leave kSecAttrSynchronizable out")
            }
            guard attributes["tkid"] == nil else {
                throw .unsupported("a key in hardware is made there: SecKeyCreateRandomKey with kSecAttrTokenID")
            }
            var query = self
            var bytes = LockedBytes(secret ?? Data())
            if let ref {
                guard secret == nil else {
                    throw .parameter("an item is added from a reference or from data, not both")
                }
                bytes = try ref.storable()
                query.fillIn(ref.identity)
                query.fillIn(ref.permissions)
                query.fillIn(ref.hidden)
            } else if itemClass == .key {
                query.fillIn(SecKey.hidden(of: bytes, attributes))
            }
            query.fillIn(["agrp": .string(keychain.application)])
            return try query.store(bytes, in: keychain.vault)
        }

        private func store(_ bytes: LockedBytes, in vault: Vault) throws(KeychainError) -> MatchedItem {
            let all = itemClass.completed(attributes)
            let new = NewItem(
                itemClass: itemClass.rawValue, uniqueKey: itemClass.uniqueKey(all), attributes: all, secret: bytes,
                access: access ?? AccessControl(unconstrained: .whenUnlocked))
            let id = try authenticating { (context) throws(KeychainError) in try vault.add(new, context: context) }
            return MatchedItem(
                itemClass: itemClass, item: try vault.item(id), secret: returns.contains(.data) ? bytes : nil)
        }
    }
#endif
