import Foundation
import NIOCore

/// The network address that a request comes from.
///
/// It is made for each request and written out for few, so it keeps the bytes of the address and not its texts.
public struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    private enum Family: Sendable, Hashable { case unknown, version4, version6 }

    private let family: Family
    /// The address as one number of 128 bits, in two halves; an IPv4 address is in the lower.
    private let high: UInt64
    private let low: UInt64

    /// Whether it is this machine: 127.0.0.0/8 or ::1. Never where a proxy stands between, which may be on this machine too.
    public let isLoopback: Bool

    /// No address is known: the connection is not one of the Internet protocol, or has gone. All such requests share
    /// their limits.
    public static let unknown = ClientAddress(family: .unknown, high: 0, low: 0, isLoopback: false)

    private init(family: Family, high: UInt64, low: UInt64, isLoopback: Bool) {
        (self.family, self.high, self.low, self.isLoopback) = (family, high, low, isLoopback)
    }

    private init(version4 number: UInt32) {
        self.init(family: .version4, high: 0, low: UInt64(number), isLoopback: number >> 24 == 127)
    }

    private init(version6 high: UInt64, _ low: UInt64) {
        if high == 0, low >> 32 == 0xFFFF {
            // ::ffff:192.0.2.7 is how a socket that listens to both versions shows an IPv4 client.
            self.init(version4: UInt32(truncatingIfNeeded: low))
        } else {
            self.init(family: .version6, high: high, low: low, isLoopback: high == 0 && low == 1)
        }
    }

    private init(_ address: in6_addr) {
        let halves = withUnsafeBytes(of: address) { bytes in
            (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(version6: UInt64(bigEndian: halves.0), UInt64(bigEndian: halves.1))
    }

    /// The address of a connection's other end.
    public init(_ address: SocketAddress?) {
        switch address {
        case .v4(let address): self.init(version4: UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address): self.init(address.address.sin6_addr)
        case .unixDomainSocket, nil: self = .unknown
        }
    }

    /// The address of that text, which may carry a port (`192.0.2.7:50000`, `[2001:db8::7]:50000`) and a zone
    /// (`%eth0`).
    public init?(_ text: String) {
        if let number = Self.version4(text) {
            self.init(version4: number)
            return
        }
        let bare = String(Self.withoutPort(text).prefix { $0 != "%" })
        guard bare.utf8.count <= 45, !bare.utf8.contains(0) else { return nil }
        var version4 = in_addr()
        var version6 = in6_addr()
        if inet_pton(AF_INET, bare, &version4) == 1 {
            self.init(version4: UInt32(bigEndian: version4.s_addr))
        } else if inet_pton(AF_INET6, bare, &version6) == 1 {
            self.init(version6)
        } else {
            return nil
        }
    }

    /// The number of an IPv4 address in its usual text, as nearly all proxies write it; nil for any other text, which may be an address too.
    private static func version4(_ text: String) -> UInt32? {
        var address: UInt32 = 0
        // Of the part that is being read.
        var (number, digits, points): (UInt32, Int, Int) = (0, 0, 0)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                // A zero in front would be an octal number to some readers.
                if digits > 0, number == 0 { return nil }
                number = number * 10 + UInt32(byte & 15)
                digits += 1
                if number > 255 { return nil }
            case UInt8(ascii: "."):
                if digits == 0 || points == 3 { return nil }
                address = address << 8 | number
                (number, digits, points) = (0, 0, points + 1)
            default: return nil
            }
        }
        return points == 3 && digits > 0 ? address << 8 | number : nil
    }

    private static func version4Text(_ number: UInt32) -> String {
        String(unsafeUninitializedCapacity: 15) { text in
            var count = 0
            func append(_ byte: UInt8) {
                text.initializeElement(at: count, to: byte)
                count += 1
            }
            for shift in [24, 16, 8, 0] as [UInt32] {
                let part = UInt8(truncatingIfNeeded: number >> shift)
                if part > 99 { append(UInt8(ascii: "0") + part / 100) }
                if part > 9 { append(UInt8(ascii: "0") + part / 10 % 10) }
                append(UInt8(ascii: "0") + part % 10)
                if shift > 0 { append(UInt8(ascii: ".")) }
            }
            return count
        }
    }

    // MARK: Texts

    public var description: String { text }

    /// The whole address in its usual text, for the audit log: `192.0.2.7`, `2001:db8::7`, or `unknown`.
    public var text: String {
        switch family {
        case .unknown: "unknown"
        case .version4: Self.version4Text(UInt32(truncatingIfNeeded: low))
        case .version6: Self.version6Text(high, low)
        }
    }

    /// What limits per source count by: an IPv4 address, or the first 64 bits of an IPv6 address, because a household
    /// or a virtual machine has all the addresses below that.
    public var limitKey: String {
        switch family {
        case .unknown, .version4: text
        case .version6: Self.version6Text(high, 0) + "/64"
        }
    }

    /// The same address, as a proxy tells it, or as that of a proxy: nothing that is for this machine alone is for it.
    var byProxy: ClientAddress { ClientAddress(family: family, high: high, low: low, isLoopback: false) }

    private static func withoutPort(_ text: String) -> Substring {
        if text.utf8.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: "]") else { return "" }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return "" }
            return text[..<end].dropFirst()
        }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        return colons == 1 ? text.prefix { $0 != ":" } : text[...]
    }

    /// The text of RFC 5952: lower case, the longest run of zeros left out.
    private static func version6Text(_ high: UInt64, _ low: UInt64) -> String {
        let groups = [high, low].flatMap { half in [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> $0) } }
        var longest = 0..<0
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(1, longest.count) { longest = start..<end }
            start = max(end, start + 1)
        }
        let hex: (ArraySlice<UInt16>) -> String = { $0.map { String($0, radix: 16) }.joined(separator: ":") }
        if longest.isEmpty { return hex(groups[...]) }
        return hex(groups[..<longest.lowerBound]) + "::" + hex(groups[longest.upperBound...])
    }
}
