public import Foundation
import KeychainTypes

/// The identity of an item as long as it exists: 16 random bytes. Also what a persistent reference holds.
public struct ItemID: Sendable, Hashable {
    public let bytes: [UInt8]

    /// Nil unless there are 16 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    static let size = 16
    static func random() -> Self { Self(checked: Sodium.randomBytes(size)) }

    /// 16 bytes; the caller has checked that.
    private init(checked bytes: [UInt8]) { self.bytes = bytes }
}

public enum AttributeValue: Sendable, Hashable, Codable {
    case string(String)
    case data(Data)
    case number(Int64)
    /// To the bit: what comes back equals what went in.
    case date(Date)
}

/// Keys are Apple's raw names ("acct", "svce", "labl", …); the vault knows none of them.
public typealias ItemAttributes = [String: AttributeValue]

/// What the vault tells about an item without a prompt. The secret is not part of it.
public struct VaultItem: Sendable, Hashable {
    public let id: ItemID
    /// "genp", "keys", … at most 16 bytes.
    public let itemClass: String
    public let attributes: ItemAttributes
    public let access: AccessControl
    public let created: Date
    public let modified: Date
    /// The private key is in a hardware keystore and has never been elsewhere.
    public let isHardwareBound: Bool
}

/// An item to be added.
public struct NewItem: Sendable {
    /// 1…16 bytes of UTF-8.
    public var itemClass: String
    /// The canonical primary key. Two items of a class with the same key cannot both be; the
    /// file holds only a keyed hash of it.
    public var uniqueKey: [UInt8]
    public var attributes: ItemAttributes
    public var secret: LockedBytes
    public var access: AccessControl

    public init(
        itemClass: String, uniqueKey: [UInt8], attributes: ItemAttributes, secret: LockedBytes, access: AccessControl
    ) {
        self.itemClass = itemClass
        self.uniqueKey = uniqueKey
        self.attributes = attributes
        self.secret = secret
        self.access = access
    }
}

/// What to change of an item; what is nil stays.
public struct ItemChange: Sendable {
    /// Replaces all attributes.
    public var attributes: ItemAttributes?
    /// Needed when a changed attribute belongs to the primary key.
    public var uniqueKey: [UInt8]?
    public var secret: LockedBytes?
    public var access: AccessControl?

    public init(
        attributes: ItemAttributes? = nil, uniqueKey: [UInt8]? = nil, secret: LockedBytes? = nil,
        access: AccessControl? = nil
    ) {
        self.attributes = attributes
        self.uniqueKey = uniqueKey
        self.secret = secret
        self.access = access
    }
}
