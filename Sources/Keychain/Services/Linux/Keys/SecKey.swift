#if !canImport(Security)
    import Crypto
    import Foundation
    import KeychainTypes
    import SecretVault

    /// A key: a public one, a private one in memory, or a private one that stays in the vault and is used there.
    public final class SecKey: Sendable {
        enum Material: Sendable {
            case publicKey(PublicKey)
            case privateKey(PrivateKey)
            /// Opened for each use, as its access control says.
            case stored(StoredKey)
        }

        let material: Material

        init(_ material: Material) { self.material = material }

        /// The key that an item is.
        ///
        /// One that only signs, and one whose bytes were not asked for, stays in the vault. Any other is in memory from
        /// here on, as on Apple's systems: what guards it has been asked when the item was found.
        convenience init(stored item: MatchedItem, context: LAContext?) throws(KeychainError) {
            let isRSA = item.item.attributes["type"] == .number(42)
            let isPublic = item.item.attributes["kcls"] == .number(0)
            if let secret = item.secret, isPublic {
                self.init(.publicKey(try PublicKey(secret.withBytes { Data($0) }, isRSA: isRSA)))
            } else if let secret = item.secret {
                self.init(.privateKey(try PrivateKey(secret, isRSA: isRSA)))
            } else {
                self.init(.stored(try StoredKey(item.item, context: context)))
            }
        }

        var publicKey: PublicKey {
            switch material {
            case .publicKey(let key): key
            case .privateKey(let key): key.publicKey
            case .stored(let key): key.publicKey
            }
        }

        var isPrivate: Bool {
            if case .publicKey = material { false } else { true }
        }

        /// What tells this key from others: the attributes with which a search for it is made.
        var identity: ItemAttributes { Self.identity(of: publicKey, isPrivate: isPrivate) }

        static func identity(of key: PublicKey, isPrivate: Bool) -> ItemAttributes {
            let bits = AttributeValue.number(Int64(key.type.bits))
            return [
                "kcls": .number(isPrivate ? 1 : 0), "type": .number(key.type.typeNumber), "bsiz": bits, "esiz": bits,
                "klbl": .data(key.applicationLabel),
            ]
        }

        /// What it may be used for: signing, and nothing else.
        var permissions: ItemAttributes { Self.permissions(isPrivate: isPrivate) }

        static func permissions(isPrivate: Bool) -> ItemAttributes {
            var permissions: ItemAttributes = ["perm": .number(1)]
            for name in ["encr", "decr", "drve", "sign", "vrfy", "wrap", "unwp"] { permissions[name] = .number(0) }
            permissions[isPrivate ? "sign" : "vrfy"] = .number(1)
            return permissions
        }

        /// What an item of this key has and no caller sees: the public half of a key that stays in the vault.
        var hidden: ItemAttributes {
            isPrivate ? [StoredKey.publicKeyAttribute: .data(publicKey.externalRepresentation)] : [:]
        }

        /// As ``hidden``, of a key that comes as bytes; nothing where they are no private key that is known here.
        static func hidden(of bytes: LockedBytes, _ attributes: ItemAttributes) -> ItemAttributes {
            guard attributes["kcls"] == .number(1),
                let key = try? PrivateKey(bytes, isRSA: attributes["type"] == .number(42))
            else { return [:] }
            return SecKey(.privateKey(key)).hidden
        }

        /// The bytes to keep in an item.
        func storable() throws(KeychainError) -> LockedBytes {
            switch material {
            case .publicKey(let key): LockedBytes(key.externalRepresentation)
            case .privateKey(let key): key.externalRepresentation
            case .stored(let key): try key.externalRepresentation()
            }
        }

        func signature(of data: Data, _ scheme: SignatureScheme) throws(KeychainError) -> Data {
            switch material {
            case .publicKey: throw .unsupported("a public key does not sign")
            case .privateKey(let key): return try key.signature(of: data, scheme)
            case .stored(let key): return try key.signature(of: data, scheme)
            }
        }
    }
#endif
