import KeychainTypes

/// One item as it lies in the file.
struct VaultRecord: Sendable, Hashable {
    /// What every sealed part of the item is bound to: a changed byte makes all of them unreadable.
    struct Binding: Sendable, Hashable {
        var id: ItemID
        var itemClass: String
        /// A keyed hash of class and primary key.
        var uniqueKeyTag: [UInt8]
        var access: AccessControl
        var isHardwareBound: Bool

        var purpose: Purpose { access.constraints.contains(.privateKeyUsage) ? .sign : .decrypt }

        var encoded: [UInt8] {
            var writer = ByteWriter()
            writer.raw(id.bytes)
            writer.string(itemClass.utf8, UInt8.self)
            writer.raw(uniqueKeyTag)
            writer.string(access.accessibility.rawValue.utf8, UInt8.self)
            writer.integer(UInt64(access.constraints.rawValue))
            writer.integer(UInt8(isHardwareBound ? 1 : 0))
            writer.integer(purpose.rawValue)
            return writer.bytes
        }
    }

    enum Purpose: UInt8 { case decrypt = 1, sign = 2 }

    /// How the application password becomes a key; its own salt and cost.
    struct PasswordDerivation: Sendable, Hashable {
        var cost: KeyDerivation
        var salt: [UInt8]

        var encoded: [UInt8] {
            var writer = ByteWriter()
            writer.integer(cost.operations)
            writer.integer(cost.memory)
            writer.raw(salt)
            return writer.bytes
        }
    }

    /// One of the ways to the item's key; all its recipients are needed.
    struct Alternative: Sendable, Hashable {
        /// The sender's public key; empty without recipients.
        var ephemeral: [UInt8]
        /// Ids of factor keys, ascending.
        var recipients: [[UInt8]]
        /// The item's key, sealed for the factors (if any) and then under the class key.
        var sealedKey: [UInt8]

        /// What is authenticated with the key.
        var prefix: [UInt8] {
            var writer = ByteWriter()
            writer.integer(UInt8(recipients.count))
            for recipient in recipients { writer.raw(recipient) }
            writer.raw(ephemeral)
            return writer.bytes
        }
    }

    var binding: Binding
    var sealedMetadata: [UInt8]
    var password: PasswordDerivation?
    var alternatives: [Alternative]
    var sealedSecret: [UInt8]

    static let alternativeLimit = 4
    static let recipientLimit = 4

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.reserve(512 + sealedMetadata.count + sealedSecret.count)
        writer.raw(binding.encoded)
        writer.string(sealedMetadata, UInt32.self)
        writer.integer(UInt8(password == nil ? 0 : 1))
        if let password { writer.raw(password.encoded) }
        writer.integer(UInt8(alternatives.count))
        for alternative in alternatives {
            writer.raw(alternative.prefix)
            writer.string(alternative.sealedKey, UInt16.self)
        }
        writer.string(sealedSecret, UInt32.self)
        return writer.bytes
    }

    init(
        binding: Binding, sealedMetadata: [UInt8], password: PasswordDerivation?, alternatives: [Alternative],
        sealedSecret: [UInt8]
    ) {
        self.binding = binding
        self.sealedMetadata = sealedMetadata
        self.password = password
        self.alternatives = alternatives
        self.sealedSecret = sealedSecret
    }

    init(from reader: inout ByteReader, costs: KeyDerivation.Bounds) throws(KeychainError) {
        binding = try Binding(from: &reader)
        sealedMetadata = try reader.string(
            UInt32.self, limit: ItemMetadata.sizeLimit + AESGCM.overhead, "an item's metadata")
        switch try reader.integer(UInt8.self, "an item") {
        case 0: password = nil
        case 1: password = try PasswordDerivation(from: &reader, costs: costs)
        default: throw .corrupted("an item has an impossible flag")
        }
        guard (password != nil) == binding.access.constraints.contains(.applicationPassword) else {
            throw .corrupted("an item's access control and its keys do not match")
        }
        alternatives = []
        for _ in 0..<(try reader.count(UInt8.self, 1...Self.alternativeLimit, "ways to an item's key")) {
            let alternative = try Alternative(from: &reader)
            guard alternative.recipients.isEmpty == binding.access.constraints.isDisjoint(with: .factors) else {
                throw .corrupted("an item's access control and its keys do not match")
            }
            alternatives.append(alternative)
        }
        sealedSecret = try reader.string(
            UInt32.self, limit: VaultFormat.secretLimit + AESGCM.overhead, "an item's secret")
        try reader.finish("an item")
    }
}

extension VaultRecord.Binding {
    fileprivate init(from reader: inout ByteReader) throws(KeychainError) {
        guard let id = ItemID(try reader.raw(ItemID.size, "an item")) else {
            throw .corrupted("an item's id has not 16 bytes")
        }
        self.id = id
        let name = try reader.string(UInt8.self, limit: 16, "an item's class")
        guard let itemClass = String(validating: name, as: UTF8.self), !itemClass.isEmpty else {
            throw .corrupted("an item's class is not a name")
        }
        self.itemClass = itemClass
        uniqueKeyTag = try reader.raw(HMACSHA256.size, "an item")
        let accessibility = String(
            decoding: try reader.string(UInt8.self, limit: 4, "an item's access control"), as: UTF8.self)
        let constraints: UInt64 = try reader.integer("an item's access control")
        guard let accessibility = Accessibility(rawValue: accessibility),
            let constraints = UInt(exactly: constraints),
            let access = try? AccessControl(accessibility, .init(rawValue: constraints))
        else { throw .corrupted("an item has an access control that cannot be") }
        self.access = access
        switch try reader.integer(UInt8.self, "an item") {
        case 0: isHardwareBound = false
        case 1: isHardwareBound = true
        default: throw .corrupted("an item has an impossible flag")
        }
        guard try reader.integer(UInt8.self, "an item") == purpose.rawValue else {
            throw .corrupted("an item's purpose does not match its access control")
        }
    }
}

extension VaultRecord.PasswordDerivation {
    fileprivate init(from reader: inout ByteReader, costs: KeyDerivation.Bounds) throws(KeychainError) {
        let operations: UInt32 = try reader.integer("an item's password")
        let memory: UInt64 = try reader.integer("an item's password")
        cost = .stored(operations: operations, memory: memory)
        guard costs.contains(cost) else {
            throw .corrupted("an item asks for Argon2id parameters that this program never writes")
        }
        salt = try reader.raw(Argon2id.saltSize, "an item's password")
    }
}

extension VaultRecord.Alternative {
    fileprivate init(from reader: inout ByteReader) throws(KeychainError) {
        recipients = []
        for _ in 0..<(try reader.count(UInt8.self, 0...VaultRecord.recipientLimit, "recipients")) {
            let id = try reader.raw(ItemID.size, "a recipient")
            guard recipients.last?.lexicographicallyPrecedes(id) ?? true else {
                throw .corrupted("an item's recipients are not in order")
            }
            recipients.append(id)
        }
        ephemeral = recipients.isEmpty ? [] : try reader.raw(X25519.size, "an item's key")
        sealedKey = try reader.string(UInt16.self, limit: 512, "an item's key")
    }
}
