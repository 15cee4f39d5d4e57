import KeychainTypes

/// Version 1 of the file, described for other implementations in docs/vault-format.md.
enum VaultFormat {
    static let magic: [UInt8] = Array("GKC1".utf8)
    static let version: UInt16 = 1

    // Bounds of what is read and written. None of them is reached by use; they keep a prepared file from costing more
    // than its own size.
    static let fileLimit = 256 << 20
    static let headerLimit = 64 << 10
    static let recordCountLimit = 1_000_000
    static let recordLimit = 4 << 20
    static let secretLimit = 1 << 20
    static let slotLimit = 8
    static let enrolmentLimit = 16
    static let factorKeyLimit = 32
    static let hardwareBlobLimit = 4096
    static let tagSize = HMACSHA256.size

    /// Labels of derived keys: one key, one purpose.
    enum Label {
        static let slotKey = "gkc/v1/slot"
        static let slotKeys = "gkc/v1/slot/class-keys"
        static let slotFactor = "gkc/v1/slot/factor-key"
        static let hardwareAuthorization = "gkc/v1/slot/hardware-authorization"
        static let enrolmentFactor = "gkc/v1/enrolment/factor-key"
        static let enrolmentIdentity = "gkc/v1/enrolment/identity"
        static let fileTag = "gkc/v1/file-tag"
        static let metadata = "gkc/v1/metadata"
        static let uniqueKey = "gkc/v1/unique-key"
        static let attempts = "gkc/v1/attempts"
        static let itemOuter = "gkc/v1/item/class"
        static let itemInner = "gkc/v1/item/factors"
        static let itemSecret = "gkc/v1/item/secret"
        static let itemMetadata = "gkc/v1/item/metadata"
    }

    /// magic ‖ version ‖ the header's length
    static let startSize = 10

    /// Looks at the magic number and the version, and leaves the reader before the header's length.
    static func checkStart(_ reader: inout ByteReader) throws(KeychainError) {
        guard try reader.raw(4, "the magic number") == magic else { throw .corrupted("the file is no vault") }
        let version: UInt16 = try reader.integer("the version")
        guard version == Self.version else {
            throw .unsupported("the vault is of version \(version); this program reads version \(Self.version)")
        }
    }

    /// Whether a file of `size` bytes can be a vault, by its first bytes and the number of its records: so that what is
    /// none costs no memory.
    ///
    /// - Parameter bytes: Gives that many bytes of the file from an offset.
    static func checkSize(
        _ size: Int, _ bytes: (_ offset: Int, _ count: Int) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) {
        guard size <= fileLimit + 64 else { throw .corrupted("the vault is larger than can be") }
        guard size >= startSize + 4 + tagSize else { throw .corrupted("the vault is cut off") }
        var start = ByteReader(try bytes(0, startSize))
        try checkStart(&start)
        let header = Int(try start.integer(UInt32.self, "the header"))
        guard header <= headerLimit else { throw .corrupted("the header is longer than this version writes") }
        let rest = size - startSize - header - 4 - tagSize
        guard rest >= 0 else { throw .corrupted("the vault is cut off") }
        var number = ByteReader(try bytes(startSize + header, 4))
        let count = try number.count(UInt32.self, 0...min(recordCountLimit, rest / 4), "items")
        guard rest <= count * (4 + recordLimit) else {
            throw .corrupted("the vault's file is larger than its \(count) items can be")
        }
    }

    static func context(_ label: String, _ parts: [UInt8]...) -> [UInt8] {
        parts.reduce(into: Array(label.utf8) + [0]) { $0 += $1 }
    }
}
