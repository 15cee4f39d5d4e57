import KeychainTypes

/// The keys that a slot opens, one for each accessibility and two of the vault's own.
struct ClassKeys: Sendable {
    enum Kind: UInt8, CaseIterable, Sendable {
        /// Seals attributes and authenticates the file. Changes with the passcode.
        case metadata = 1
        /// Hashes primary keys. Never changes, because items are bound to the hashes.
        case lookup = 2
        case afterFirstUnlock = 3
        case whenUnlocked = 4
        /// Only in a vault with a passcode; removing the passcode destroys it, and all that it sealed.
        case passcodeSet = 5

        init(_ accessibility: Accessibility) {
            self =
                switch accessibility {
                case .whenPasscodeSetThisDeviceOnly: .passcodeSet
                case .whenUnlocked, .whenUnlockedThisDeviceOnly: .whenUnlocked
                case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: .afterFirstUnlock
                }
        }
    }

    static let keySize = 32
    private(set) var keys: [Kind: LockedBytes]

    subscript(kind: Kind) -> LockedBytes? { keys[kind] }

    /// Fresh keys, but for the look-up key of the generation before.
    static func random(withPasscode: Bool, lookup: LockedBytes? = nil) -> Self {
        var keys: [Kind: LockedBytes] = [:]
        for kind in Kind.allCases where kind != .passcodeSet || withPasscode { keys[kind] = .random(keySize) }
        if let lookup { keys[.lookup] = lookup }
        return Self(keys: keys)
    }

    /// count ‖ (kind ‖ key)…, kinds ascending
    func encoded() -> LockedBytes {
        let sorted = keys.sorted { $0.key.rawValue < $1.key.rawValue }
        return LockedBytes(count: 1 + sorted.count * (1 + Self.keySize)) { output in
            output[0] = UInt8(sorted.count)
            var offset = 1
            for (kind, key) in sorted {
                output[offset] = kind.rawValue
                key.withBytes { UnsafeMutableRawBufferPointer(rebasing: output[(offset + 1)...]).copyMemory(from: $0) }
                offset += 1 + Self.keySize
            }
        }
    }

    private init(keys: [Kind: LockedBytes]) { self.keys = keys }

    init(decoding bytes: LockedBytes) throws(KeychainError) {
        var keys: [Kind: LockedBytes] = [:]
        let isWhole = bytes.withBytes { bytes -> Bool in
            guard let count = bytes.first, bytes.count == 1 + Int(count) * (1 + Self.keySize) else { return false }
            var previous: UInt8 = 0
            for index in 0..<Int(count) {
                let offset = 1 + index * (1 + Self.keySize)
                guard bytes[offset] > previous, let kind = Kind(rawValue: bytes[offset]) else { return false }
                previous = bytes[offset]
                let key = UnsafeRawBufferPointer(rebasing: bytes[(offset + 1)..<(offset + 1 + Self.keySize)])
                keys[kind] = LockedBytes(count: Self.keySize) { $0.copyMemory(from: key) }
            }
            return true
        }
        guard isWhole, Kind.allCases.allSatisfy({ $0 == .passcodeSet || keys[$0] != nil }) else {
            throw .corrupted("a slot does not hold the vault's keys")
        }
        self.keys = keys
    }

    mutating func forget(_ kinds: Kind...) {
        for kind in kinds { keys[kind] = nil }
    }
}

/// What an opened vault works with.
struct OpenKeys: Sendable {
    /// The slots of the header that the keys came from: after another passcode they are others, and these keys are old.
    let slots: [[UInt8]]
    var classes: ClassKeys
    let fileTag: LockedBytes
    let metadata: LockedBytes
    let attempts: LockedBytes
    private let uniqueKey: LockedBytes
    private let identity: LockedBytes

    init(_ classes: ClassKeys, vaultID: [UInt8], slots: [[UInt8]]) throws(KeychainError) {
        guard let root = classes[.metadata], let lookup = classes[.lookup] else {
            throw .corrupted("a slot does not hold the vault's keys")
        }
        func derive(_ key: LockedBytes, _ label: String) -> LockedBytes {
            HMACSHA256.derive(from: [key], salt: vaultID, info: Array(label.utf8))
        }
        self.slots = slots
        self.classes = classes
        fileTag = derive(root, VaultFormat.Label.fileTag)
        metadata = derive(root, VaultFormat.Label.metadata)
        attempts = derive(root, VaultFormat.Label.attempts)
        uniqueKey = derive(lookup, VaultFormat.Label.uniqueKey)
        identity = derive(lookup, VaultFormat.Label.enrolmentIdentity)
    }

    var isUnlocked: Bool { classes[.whenUnlocked] != nil }

    func tag(ofUniqueKey key: [UInt8], itemClass: String) -> [UInt8] {
        var prefix = ByteWriter()
        prefix.string(itemClass.utf8, UInt8.self)
        return HMACSHA256.tag(key: uniqueKey, prefix.bytes, key)
    }

    func digest(ofEnrolment name: [UInt8], role: SecurityKeyRole) -> [UInt8] {
        HMACSHA256.tag(key: identity, [role.rawValue], name)
    }

    func classKey(_ accessibility: Accessibility) throws(KeychainError) -> LockedBytes {
        let kind = ClassKeys.Kind(accessibility)
        if let key = classes[kind] { return key }
        throw kind == .passcodeSet && isUnlocked ? .passcodeNotSet : .locked
    }
}
