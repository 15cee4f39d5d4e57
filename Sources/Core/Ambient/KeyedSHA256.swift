import Crypto
import Foundation

/// HMAC-SHA-256 (RFC 2104) under one key, for many short messages: the two blocks that depend on the key alone are hashed once (section 4).
///
/// The library's `HMAC` keeps these states as well, and goes through code that is generic over what is hashed: more than the hash itself for the
/// few dozen bytes of an address.
struct KeyedSHA256: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// - Parameter key: at most 64 bytes, a block of SHA-256; a longer one would be hashed first (section 2).
    init(key: SymmetricKey) {
        let bytes = key.withUnsafeBytes { Array($0) }
        precondition(bytes.count <= SHA256.blockByteCount, "a key for keyed digests has a block at most")
        let block = bytes + Array(repeating: 0, count: SHA256.blockByteCount - bytes.count)
        (inner, outer) = (Self.state(after: block.map { $0 ^ 0x36 }), Self.state(after: block.map { $0 ^ 0x5C }))
    }

    private static func state(after block: [UInt8]) -> SHA256 {
        var hash = SHA256()
        block.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash
    }

    func code(for message: [UInt8]) -> SHA256.Digest {
        var (inner, outer) = (inner, outer)
        message.withUnsafeBytes { inner.update(bufferPointer: $0) }
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }
}
