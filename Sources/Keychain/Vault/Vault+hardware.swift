public import KeychainTypes

extension Vault {
    /// Makes a key pair in the configured chip and an item for it. The chip wants an authorization for each signature,
    /// which is the item's secret: the access control guards it as any other.
    ///
    /// - Parameter describe: The primary key and the attributes, which may depend on the public key (Apple's `klbl` does).
    public func makeHardwareKey(
        _ kind: HardwareKeyKind, itemClass: String, access: AccessControl, context: AuthenticationContext? = nil,
        describe: (HardwareKey) -> (uniqueKey: [UInt8], attributes: ItemAttributes)
    ) throws(KeychainError) -> (id: ItemID, key: HardwareKey) {
        let hardware = try keystore()
        let authorization = LockedBytes.random(32)
        let key = try hardware.makeKey(kind, authorization: authorization)
        guard key.blob.count <= VaultFormat.hardwareBlobLimit, key.publicKey.count <= 1024 else {
            throw .unsupported("the hardware keystore's key is larger than the vault holds")
        }
        let (uniqueKey, attributes) = describe(key)
        let item = NewItem(
            itemClass: itemClass, uniqueKey: uniqueKey, attributes: attributes,
            secret: StoredHardwareKey(keystore: hardware.name, key: key, authorization: authorization).encoded(),
            access: access)
        try item.check()
        let ids = try add([.init(item: item, isHardwareBound: true)], context: context)
        return (ids[0], key)
    }

    /// Lets the chip sign a SHA-256 digest, after asking for what the item's access control wants.
    public func sign(
        _ id: ItemID, digest: [UInt8], context: AuthenticationContext? = nil
    ) throws(KeychainError) -> [UInt8] {
        guard digest.count == 32 else { throw .parameter("a chip signs SHA-256 digests of 32 bytes") }
        let hardware = try keystore()
        let secret = try open(id, context) { record throws(KeychainError) in
            guard record.binding.isHardwareBound else {
                throw .unsupported("the key is not in a chip: use(_:context:_:) lends it")
            }
        }
        let stored = try StoredHardwareKey(decoding: secret)
        guard stored.keystore == hardware.name else {
            throw .factorUnavailable("the key is in a chip that this process has not configured")
        }
        return try hardware.sign(digest: digest, with: stored.key, authorization: stored.authorization)
    }

    private func keystore() throws(KeychainError) -> any HardwareKeystore {
        guard let hardware = configuration.hardware else { throw .factorUnavailable("no chip is configured") }
        return hardware
    }
}

/// The secret of an item whose key is in a chip.
struct StoredHardwareKey {
    let keystore: String
    let key: HardwareKey
    let authorization: LockedBytes

    init(keystore: String, key: HardwareKey, authorization: LockedBytes) {
        self.keystore = keystore
        self.key = key
        self.authorization = authorization
    }

    /// authorization (32) ‖ kind ‖ keystore ‖ blob ‖ public key
    func encoded() -> LockedBytes {
        var writer = ByteWriter()
        writer.integer(key.kind.rawValue)
        writer.string(keystore.utf8, UInt8.self)
        writer.string(key.blob, UInt16.self)
        writer.string(key.publicKey, UInt16.self)
        return LockedBytes(count: 32 + writer.bytes.count) { output in
            authorization.withBytes { output.copyMemory(from: $0) }
            UnsafeMutableRawBufferPointer(rebasing: output[32...]).copyBytes(from: writer.bytes)
        }
    }

    init(decoding secret: LockedBytes) throws(KeychainError) {
        guard secret.count >= 32 else { throw .corrupted("a key in a chip is cut off") }
        var reader = ByteReader(secret.withBytes { Array($0[32...]) })
        guard let kind = HardwareKeyKind(rawValue: try reader.integer("a key in a chip")) else {
            throw .corrupted("a key in a chip is of a kind that this version does not know")
        }
        keystore = String(decoding: try reader.string(UInt8.self, limit: 32, "a key in a chip"), as: UTF8.self)
        let blob = try reader.string(UInt16.self, limit: VaultFormat.hardwareBlobLimit, "a key in a chip")
        let publicKey = try reader.string(UInt16.self, limit: 1024, "a key in a chip")
        try reader.finish("a key in a chip")
        key = HardwareKey(kind: kind, blob: blob, publicKey: publicKey)
        authorization = LockedBytes(count: 32) { output in
            secret.withBytes { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<32])) }
        }
    }
}
