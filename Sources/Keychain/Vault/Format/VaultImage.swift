import KeychainTypes

/// A whole file, taken apart. Each record keeps its bytes, so that a write encodes only what changed.
struct VaultImage: Sendable {
    struct Entry: Sendable {
        var record: VaultRecord
        var bytes: [UInt8]
        /// Opened metadata; nil in an image that is not unlocked.
        var metadata: ItemMetadata?

        init(_ record: VaultRecord, metadata: ItemMetadata?) {
            self.record = record
            self.metadata = metadata
            bytes = record.encoded()
        }

        init(decoding bytes: [UInt8], costs: KeyDerivation.Bounds) throws(KeychainError) {
            var reader = ByteReader(bytes)
            record = try VaultRecord(from: &reader, costs: costs)
            metadata = nil
            self.bytes = bytes
        }
    }

    var header: VaultHeader
    private(set) var entries: [ItemID: Entry] = [:]
    private(set) var ids: [[UInt8]: ItemID] = [:]
    /// In the order of addition, which is also the file's.
    private(set) var order: [ItemID] = []

    init(header: VaultHeader) { self.header = header }

    subscript(id: ItemID) -> Entry? { entries[id] }

    /// The item with that keyed hash of class and primary key.
    func id(ofUniqueKeyTag tag: [UInt8]) -> ItemID? { ids[tag] }

    /// Adds, or replaces the entry of the same id in its place.
    mutating func put(_ entry: Entry) {
        let id = entry.record.binding.id
        if let old = entries.updateValue(entry, forKey: id) {
            ids[old.record.binding.uniqueKeyTag] = nil
        } else {
            order.append(id)
        }
        ids[entry.record.binding.uniqueKeyTag] = id
    }

    mutating func remove(_ doomed: Set<ItemID>) {
        guard !doomed.isEmpty else { return }
        for id in doomed {
            if let old = entries.removeValue(forKey: id) { ids[old.record.binding.uniqueKeyTag] = nil }
        }
        order.removeAll { doomed.contains($0) }
    }

    mutating func setMetadata(_ metadata: ItemMetadata, of id: ItemID) { entries[id]?.metadata = metadata }
}

// MARK: - The file's bytes

extension VaultImage {
    /// magic ‖ version ‖ header ‖ records ‖ tag
    func encoded(tagKey: LockedBytes) throws(KeychainError) -> [UInt8] {
        let header = header.encoded()
        let size = order.reduce(64 + header.count) { $0 + 4 + (entries[$1]?.bytes.count ?? 0) }
        guard size <= VaultFormat.fileLimit, order.count <= VaultFormat.recordCountLimit else {
            throw .parameter("the vault is full: it holds at most \(VaultFormat.fileLimit >> 20) MiB")
        }
        guard header.count <= VaultFormat.headerLimit else { throw .parameter("the vault has too many enrolments") }
        var writer = ByteWriter()
        writer.reserve(size)
        writer.raw(VaultFormat.magic)
        writer.integer(VaultFormat.version)
        writer.string(header, UInt32.self)
        writer.integer(UInt32(order.count))
        for id in order { writer.string(entries[id]?.bytes ?? [], UInt32.self) }
        let tag = HMACSHA256.tag(key: tagKey, writer.bytes)
        writer.raw(tag)
        return writer.bytes
    }

    /// Takes the file apart. Nothing is authentic until ``isAuthentic(_:tagKey:)`` has said so.
    init(decoding bytes: [UInt8], costs: KeyDerivation.Bounds) throws(KeychainError) {
        guard bytes.count <= VaultFormat.fileLimit + 64 else { throw .corrupted("the vault is larger than can be") }
        guard bytes.count >= VaultFormat.tagSize else { throw .corrupted("the vault is cut off") }
        var reader = ByteReader(bytes, 0..<(bytes.count - VaultFormat.tagSize))
        try VaultFormat.checkStart(&reader)
        let header = try reader.string(UInt32.self, limit: VaultFormat.headerLimit, "the header")
        self.header = try VaultHeader(decoding: header, costs: costs)
        // Every record takes at least its length, so that the count cannot promise more than the file has.
        let count = try reader.count(
            UInt32.self, 0...min(VaultFormat.recordCountLimit, reader.remaining / 4), "items")
        entries.reserveCapacity(count)
        ids.reserveCapacity(count)
        order.reserveCapacity(count)
        for _ in 0..<count {
            let bytes = try reader.string(UInt32.self, limit: VaultFormat.recordLimit, "an item")
            let entry = try Entry(decoding: bytes, costs: costs)
            let binding = entry.record.binding
            guard entries[binding.id] == nil, ids[binding.uniqueKeyTag] == nil else {
                throw .corrupted("an item is in the vault twice")
            }
            put(entry)
        }
        try reader.finish("the items")
    }

    static func isAuthentic(_ bytes: [UInt8], tagKey: LockedBytes) -> Bool {
        guard bytes.count >= VaultFormat.tagSize else { return false }
        let body = bytes.count - VaultFormat.tagSize
        var tag = [UInt8](repeating: 0, count: VaultFormat.tagSize)
        tagKey.withBytes { key in
            HMACSHA256.compute(key: key, into: &tag) { add in
                bytes.withUnsafeBytes { add(UnsafeRawBufferPointer(rebasing: $0[..<body])) }
            }
        }
        return Sodium.areEqual(tag, bytes[body...])
    }
}
