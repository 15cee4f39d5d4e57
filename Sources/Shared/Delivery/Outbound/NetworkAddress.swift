import Foundation

/// An address of the Internet protocol, version 4 or 6, as connections are made to.
public struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16, in the order of the network.
    let bytes: [UInt8]

    /// Nil where there are not 4 or 16.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// The address that a text is in its full form: `192.0.2.7`, `2001:db8::7`. Nil for names, and for the short and
    /// octal forms that some systems take for addresses.
    public init?(_ text: String) {
        guard (2...45).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        var version4 = in_addr()
        if inet_pton(AF_INET, text, &version4) == 1 {
            bytes = withUnsafeBytes(of: version4) { Array($0) }
            return
        }
        var version6 = in6_addr()
        guard inet_pton(AF_INET6, text, &version6) == 1 else { return nil }
        bytes = withUnsafeBytes(of: version6) { Array($0) }
    }

    public var description: String {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }.joined(separator: ":")
    }

    /// The IPv4 address that is really spoken to: in `::ffff:0:0/96` (RFC 4291, section 2.5.5.2) and in `64:ff9b::/96`
    /// (RFC 6052, section 2.1). Nil for others.
    var embedded: NetworkAddress? {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        guard bytes.count == 16, bytes.starts(with: mapped) || bytes.starts(with: translated) else { return nil }
        return NetworkAddress(bytes: Array(bytes.suffix(4)))
    }

    /// Whether it is this machine: 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
}

/// A network, as addresses with the same beginning: `10.0.0.0/8`, `fd00::/8`.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    let base: NetworkAddress
    /// Bits.
    let prefix: Int

    /// Nil where the text is no network. An address without a slash is a network of one; bits after the prefix have to
    /// be zero, because other bits suggest a mistake.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let base = NetworkAddress(String(parts[0])) else { return nil }
        let bits = base.bytes.count * 8
        var prefix = bits
        if parts.count == 2 {
            guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
                let written = Int(parts[1]), written <= bits
            else { return nil }
            prefix = written
        }
        self.base = base
        self.prefix = prefix
        for bit in prefix..<bits where base.bytes[bit / 8] >> (7 - bit % 8) & 1 == 1 { return nil }
    }

    public var description: String { "\(base)/\(prefix)" }

    /// Whether the address is in the network; one of another version of the protocol is not.
    public func contains(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == base.bytes.count else { return false }
        let whole = prefix / 8
        guard address.bytes.prefix(whole) == base.bytes.prefix(whole) else { return false }
        let rest = prefix % 8
        return rest == 0 || (address.bytes[whole] ^ base.bytes[whole]) >> (8 - rest) == 0
    }
}
