import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// HMAC (RFC 2104) under one key for many short messages: the two blocks that depend on the key alone are hashed once, so that each
/// code costs half of what it costs from the beginning (section 4 describes it).
enum PreparedHMAC: Sendable {
    case sha1(Keyed<Insecure.SHA1>)
    case sha256(Keyed<SHA256>)
    case sha512(Keyed<SHA512>)

    init(_ algorithm: OTPAlgorithm, key: [UInt8]) {
        switch algorithm {
        case .sha1: self = .sha1(Keyed(key))
        case .sha256: self = .sha256(Keyed(key))
        case .sha512: self = .sha512(Keyed(key))
        }
    }

    /// The code of a counter, as eight bytes with the highest first, truncated to 31 bits (RFC 4226, sections 5.2 and 5.3).
    func truncatedCode(counter: UInt64) -> UInt32 {
        withUnsafeBytes(of: counter.bigEndian) { message in
            switch self {
            case .sha1(let keyed): keyed.code(for: message).withUnsafeBytes(Self.truncate)
            case .sha256(let keyed): keyed.code(for: message).withUnsafeBytes(Self.truncate)
            case .sha512(let keyed): keyed.code(for: message).withUnsafeBytes(Self.truncate)
            }
        }
    }

    /// Dynamic truncation to 31 bits (RFC 4226 section 5.3, step 2).
    ///
    /// The low half of the last byte is an offset of 15 at most, and the shortest MAC has 20 bytes.
    private static func truncate(_ mac: UnsafeRawBufferPointer) -> UInt32 {
        let offset = Int(mac[mac.count - 1] & 0xF)
        return UInt32(bigEndian: mac.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) & 0x7FFF_FFFF
    }

    /// The states of both hashes after the blocks of the key.
    struct Keyed<Hash: HashFunction & Sendable>: Sendable {
        private let inner: Hash
        private let outer: Hash

        init(_ key: [UInt8]) {
            // A longer key is replaced by its hash (RFC 2104, section 2).
            var block = key.count > Hash.blockByteCount ? Array(Hash.hash(data: key)) : key
            block += repeatElement(0, count: Hash.blockByteCount - block.count)
            inner = Self.state(after: block.map { $0 ^ 0x36 })
            outer = Self.state(after: block.map { $0 ^ 0x5C })
        }

        private static func state(after block: [UInt8]) -> Hash {
            var hash = Hash()
            block.withUnsafeBytes { hash.update(bufferPointer: $0) }
            return hash
        }

        func code(for message: UnsafeRawBufferPointer) -> Hash.Digest {
            var (inner, outer) = (inner, outer)
            inner.update(bufferPointer: message)
            inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
            return outer.finalize()
        }
    }
}
