#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    extension VaultItem {
        /// Whether looking at the item is enough to be asked, as on Apple's systems, where the constraint guards the
        /// decryption of the attributes too. With `privateKeyUsage` it guards signing alone.
        var asksWhenRead: Bool {
            access.asksForFactor && !isHardwareBound && !access.constraints.contains(.privateKeyUsage)
        }
    }

    extension KeychainError {
        /// Whether `item` reads as if it had never been there: it can never be opened again, or is damaged by itself
        /// (Apple, `kSecAccessControlBiometryCurrentSet`). A vault that is damaged as a whole is no empty one: that throws.
        func meansGone(_ item: VaultItem, in vault: Vault) throws(KeychainError) -> Bool {
            switch self {
            case .itemNotFound: return true
            case .corrupted:
                _ = try vault.item(item.id)
                return true
            default: return false
            }
        }
    }

    /// An item that was found, with what the call may give out of it.
    struct MatchedItem {
        let itemClass: ItemClass
        let item: VaultItem
        /// Nil where it was not asked for.
        let secret: LockedBytes?

        /// What `kSecReturn…` asks for: one thing as it is, several in a dictionary.
        func result(_ returns: ItemQuery.Returns, context: LAContext?) throws(KeychainError) -> AnyObject? {
            let reference = PersistentReference(itemClass: itemClass, id: item.id)
            var parts: [String: AnyObject] = [:]
            if returns.contains(.data) { parts["v_Data"] = data() }
            if returns.contains(.ref) { parts["v_Ref"] = try key(context: context) }
            if returns.contains(.persistentRef) { parts["v_PersistentRef"] = reference.data as NSData }
            if returns.contains(.attributes) {
                return parts.merging(attributeObjects()) { own, _ in own } as NSDictionary
            }
            return parts.count == 1 ? parts.values.first : (parts.isEmpty ? nil : parts as NSDictionary)
        }

        private func data() -> NSData {
            // The copy belongs to the caller: programs without it use `Keychain`.
            secret?.withBytes { NSData(bytes: $0.baseAddress, length: $0.count) } ?? NSData()
        }

        private func key(context: LAContext?) throws(KeychainError) -> SecKey {
            guard itemClass == .key else {
                throw .unsupported("kSecReturnRef is for keys; ask for kSecReturnPersistentRef or the data")
            }
            return try SecKey(stored: self, context: context)
        }

        private func attributeObjects() -> [String: AnyObject] {
            var objects: [String: AnyObject] = [
                "class": itemClass.rawValue as NSString,
                "pdmn": item.access.accessibility.rawValue as NSString,
                "accc": SecAccessControl(item.access),
                "cdat": item.created as NSDate,
                "mdat": item.modified as NSDate,
            ]
            for (name, value) in item.attributes where itemClass.attributes[name] != nil {
                objects[name] = value.object
            }
            return objects
        }
    }

    extension AttributeValue {
        var object: AnyObject {
            switch self {
            case .string(let text): text as NSString
            case .data(let bytes): bytes as NSData
            case .number(let number): NSNumber(value: number)
            case .date(let date): date as NSDate
            }
        }
    }
#endif
