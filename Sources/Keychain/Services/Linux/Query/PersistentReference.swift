#if !canImport(Security)
    import Foundation
    import SecretVault

    /// What `kSecReturnPersistentRef` gives: four letters for the class and sixteen bytes for the item, the form that
    /// Apple's has too. It stays valid until the item is deleted, also in other processes.
    struct PersistentReference {
        let itemClass: ItemClass
        let id: ItemID

        init(itemClass: ItemClass, id: ItemID) {
            self.itemClass = itemClass
            self.id = id
        }

        init?(_ data: Data) {
            guard data.count == 20,
                let itemClass = ItemClass(rawValue: String(decoding: data.prefix(4), as: UTF8.self)),
                let id = ItemID(data.suffix(16))
            else { return nil }
            self.itemClass = itemClass
            self.id = id
        }

        var data: Data { Data(itemClass.rawValue.utf8) + Data(id.bytes) }
    }
#endif
