import KeychainTypes

/// What the file says before its items: how its keys are reached. Nothing in it is believed before the passcode has
/// opened a slot and the whole file's tag was found right; until then it is only taken apart within bounds.
struct VaultHeader: Sendable, Hashable {
    var vaultID: [UInt8]
    /// Grows with each write.
    var generation: UInt64
    var slots: [Slot]
    var enrolments: [Enrolment]
    var factorKeys: [FactorKey]

    /// A way to the class keys.
    struct Slot: Sendable, Hashable {
        enum Kind: UInt8 { case passcode = 1, device = 2 }

        var id: [UInt8]
        var kind: Kind
        /// Argon2id's, of a passcode slot; zeros elsewhere.
        var cost: KeyDerivation
        var salt: [UInt8]
        /// What a hardware keystore has to unseal as a further input, if any.
        var hardware: Hardware?
        /// The class keys, sealed under the slot key.
        var sealedKeys: [UInt8]

        struct Hardware: Sendable, Hashable {
            var keystore: [UInt8]
            var blob: [UInt8]
        }

        /// What is authenticated with the class keys.
        var prefix: [UInt8] {
            var writer = ByteWriter()
            writer.raw(id)
            writer.integer(kind.rawValue)
            writer.integer(cost.operations)
            writer.integer(cost.memory)
            writer.raw(salt)
            writer.string(hardware?.keystore ?? [], UInt8.self)
            writer.string(hardware?.blob ?? [], UInt16.self)
            return writer.bytes
        }
    }

    /// One enrolment of a security key.
    struct Enrolment: Sendable, Hashable {
        var id: [UInt8]
        var role: SecurityKeyRole
        /// A keyed hash of what the factor calls its enrolment.
        var identity: [UInt8]
        /// What the factor's key material is asked for with.
        var salt: [UInt8]
    }

    /// A key pair that stands for a factor. Items are sealed to the public half; the private half is sealed under what
    /// only the factor yields.
    struct FactorKey: Sendable, Hashable {
        enum Role: UInt8 { case passcode = 1, biometry = 2, companion = 3 }

        var id: [UInt8]
        var role: Role
        /// The enrolment that the key lives and dies with; nil for one that survives a new enrolment.
        var boundTo: [UInt8]?
        var publicKey: [UInt8]
        var wraps: [Wrap]

        struct Wrap: Sendable, Hashable {
            enum Kind: UInt8 { case slot = 1, enrolment = 2 }

            var kind: Kind
            /// The slot or enrolment whose key opens it.
            var id: [UInt8]
            var sealedKey: [UInt8]
        }

        var prefix: [UInt8] {
            var writer = ByteWriter()
            writer.raw(id)
            writer.integer(role.rawValue)
            writer.raw(boundTo ?? VaultHeader.noID)
            writer.raw(publicKey)
            return writer.bytes
        }
    }

    static let noID = [UInt8](repeating: 0, count: ItemID.size)

    var passcodeSlot: Slot? { slots.first { $0.kind == .passcode } }
    var deviceSlot: Slot? { slots.first { $0.kind == .device } }

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(vaultID)
        writer.integer(generation)
        writer.integer(UInt8(slots.count))
        for slot in slots {
            writer.raw(slot.prefix)
            writer.string(slot.sealedKeys, UInt16.self)
        }
        writer.integer(UInt8(enrolments.count))
        for enrolment in enrolments {
            writer.raw(enrolment.id)
            writer.integer(enrolment.role.rawValue)
            writer.raw(enrolment.identity)
            writer.raw(enrolment.salt)
        }
        writer.integer(UInt8(factorKeys.count))
        for key in factorKeys {
            writer.raw(key.prefix)
            writer.integer(UInt8(key.wraps.count))
            for wrap in key.wraps {
                writer.integer(wrap.kind.rawValue)
                writer.raw(wrap.id)
                writer.string(wrap.sealedKey, UInt16.self)
            }
        }
        return writer.bytes
    }

    init(vaultID: [UInt8], generation: UInt64, slots: [Slot], enrolments: [Enrolment], factorKeys: [FactorKey]) {
        self.vaultID = vaultID
        self.generation = generation
        self.slots = slots
        self.enrolments = enrolments
        self.factorKeys = factorKeys
    }

    init(decoding bytes: [UInt8], costs: KeyDerivation.Bounds) throws(KeychainError) {
        var reader = ByteReader(bytes)
        vaultID = try reader.raw(ItemID.size, "the header")
        generation = try reader.integer("the header")
        slots = []
        for _ in 0..<(try reader.count(UInt8.self, 1...VaultFormat.slotLimit, "slots")) {
            slots.append(try Slot(from: &reader, costs: costs))
        }
        enrolments = []
        for _ in 0..<(try reader.count(UInt8.self, 0...VaultFormat.enrolmentLimit, "enrolments")) {
            let id = try reader.raw(ItemID.size, "an enrolment")
            guard let role = SecurityKeyRole(rawValue: try reader.integer("an enrolment")) else {
                throw .corrupted("an enrolment is of a kind that this version does not know")
            }
            enrolments.append(
                Enrolment(
                    id: id, role: role, identity: try reader.raw(32, "an enrolment"),
                    salt: try reader.raw(32, "an enrolment")))
        }
        factorKeys = []
        for _ in 0..<(try reader.count(UInt8.self, 0...VaultFormat.factorKeyLimit, "factor keys")) {
            factorKeys.append(try FactorKey(from: &reader))
        }
        try reader.finish("the header")
        let ids = slots.map(\.id) + enrolments.map(\.id) + factorKeys.map(\.id)
        guard Set(ids).count == ids.count else { throw .corrupted("two entries of the header have one id") }
        guard slots.count(where: { $0.kind == .passcode }) <= 1, slots.count(where: { $0.kind == .device }) <= 1 else {
            throw .corrupted("the header has two slots of one kind")
        }
    }
}

extension VaultHeader.Slot {
    fileprivate init(from reader: inout ByteReader, costs: KeyDerivation.Bounds) throws(KeychainError) {
        id = try reader.raw(ItemID.size, "a slot")
        guard let kind = Kind(rawValue: try reader.integer("a slot")) else {
            throw .corrupted("a slot is of a kind that this version does not know")
        }
        self.kind = kind
        let operations: UInt32 = try reader.integer("a slot")
        let memory: UInt64 = try reader.integer("a slot")
        cost = .stored(operations: operations, memory: memory)
        salt = try reader.raw(Argon2id.saltSize, "a slot")
        switch kind {
        case .passcode:
            guard costs.contains(cost) else {
                throw .corrupted("the vault asks for Argon2id parameters that this program never writes")
            }
            guard costs.allowsInHeader(cost) else {
                throw .notAvailable(
                    """
                    the vault asks for Argon2id with \(operations) passes over \(memory >> 20) MiB, which is more than is \
                    configured: set keyDerivation to that if the vault was made so; if not, its file was tampered with
                    """)
            }
        case .device:
            guard operations == 0, memory == 0 else { throw .corrupted("a slot without a passcode has Argon2id costs") }
        }
        let keystore = try reader.string(UInt8.self, limit: 32, "a slot")
        let blob = try reader.string(UInt16.self, limit: VaultFormat.hardwareBlobLimit, "a slot")
        guard keystore.isEmpty == blob.isEmpty else { throw .corrupted("a slot names half of a hardware keystore") }
        hardware = keystore.isEmpty ? nil : Hardware(keystore: keystore, blob: blob)
        sealedKeys = try reader.string(UInt16.self, limit: 512, "a slot")
    }
}

extension VaultHeader.FactorKey {
    fileprivate init(from reader: inout ByteReader) throws(KeychainError) {
        id = try reader.raw(ItemID.size, "a factor key")
        guard let role = Role(rawValue: try reader.integer("a factor key")) else {
            throw .corrupted("a factor key is of a kind that this version does not know")
        }
        self.role = role
        let enrolment = try reader.raw(ItemID.size, "a factor key")
        boundTo = enrolment == VaultHeader.noID ? nil : enrolment
        publicKey = try reader.raw(X25519.size, "a factor key")
        wraps = []
        for _ in 0..<(try reader.count(UInt8.self, 1...VaultFormat.enrolmentLimit + 1, "wraps of a factor key")) {
            guard let kind = Wrap.Kind(rawValue: try reader.integer("a factor key")) else {
                throw .corrupted("a factor key is wrapped in a way that this version does not know")
            }
            let id = try reader.raw(ItemID.size, "a factor key")
            wraps.append(
                Wrap(kind: kind, id: id, sealedKey: try reader.string(UInt16.self, limit: 256, "a factor key")))
        }
    }
}
