import Crypto
import Foundation

extension Sequence<UInt8> {
    /// Lower-case hexadecimal, two characters a byte.
    public var hex: String { String(decoding: hexDigits, as: UTF8.self) }

    /// The same as ASCII.
    var hexDigits: [UInt8] {
        // The iterator of `Data` would take longer than all else.
        let bytes = withContiguousStorageIfAvailable { Array($0) } ?? Array(self)
        var result: [UInt8] = []
        result.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            result.append(Self.hexDigit(byte >> 4))
            result.append(Self.hexDigit(byte & 15))
        }
        return result
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension [UInt8] {
    /// A name of these bytes, in URL-safe Base64: the first bit is cleared, so that it does not begin with a dash. Users put names behind a
    /// command, where a dash begins an option.
    var base64URLName: String {
        var bytes = self
        if !bytes.isEmpty { bytes[0] &= 0x7F }
        return bytes.base64URL
    }
}

extension HashFunction {
    /// Takes in the UTF-8 of a text where it lies.
    mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { update(bufferPointer: UnsafeRawBufferPointer($0)) }
    }
}

extension SHA256 {
    /// The digest of bytes, which are hashed where they lie. (`hash(data:)` is generic over what is hashed, and asks for its regions while the
    /// program runs.)
    static func hash(of bytes: [UInt8]) -> Digest {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }

    /// The digest of a text's UTF-8.
    package static func digest(of text: String) -> Data {
        var hash = SHA256()
        hash.update(text)
        return hash.finalize().data
    }
}

extension SHA256.Digest {
    /// Its 32 bytes. (`Data(digest)` takes them one by one, and asks at run time what kind of sequence they are.)
    var data: Data {
        withUnsafeBytes { bytes in bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data() }
    }
}
