import Foundation
import NIOCore

/// The network address that a request comes from.
public struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// The whole address in its usual text, for the audit log: `192.0.2.7`, `2001:db8::7`, or `unknown`.
    public let text: String

    /// What limits per source count by: an IPv4 address, or the first 64 bits of an IPv6 address, because a household
    /// or a virtual machine has all the addresses below that.
    public let limitKey: String

    /// Whether it is this machine: 127.0.0.0/8 or ::1. Never where a proxy stands between, which may be on this machine too.
    public let isLoopback: Bool

    /// No address is known: the connection is not one of the Internet protocol, or has gone. All such requests share
    /// their limits.
    public static let unknown = ClientAddress(text: "unknown", limitKey: "unknown", isLoopback: false)

    private init(text: String, limitKey: String, isLoopback: Bool) {
        self.text = text
        self.limitKey = limitKey
        self.isLoopback = isLoopback
    }

    /// The address of a connection's other end.
    public init(_ address: SocketAddress?) {
        self = address?.ipAddress.flatMap { ClientAddress($0) } ?? .unknown
    }

    /// The address of that text, which may carry a port (`192.0.2.7:50000`, `[2001:db8::7]:50000`) and a zone
    /// (`%eth0`).
    public init?(_ text: String) {
        guard let bytes = Self.bytes(of: Self.withoutPort(text)) else { return nil }
        if bytes.count == 4 {
            self.init(version4: bytes)
        } else if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
            // ::ffff:192.0.2.7 is how a socket that listens to both versions shows an IPv4 client.
            self.init(version4: Array(bytes.suffix(4)))
        } else {
            let network = bytes.prefix(8) + [UInt8](repeating: 0, count: 8)
            self.init(
                text: Self.version6Text(bytes), limitKey: Self.version6Text(Array(network)) + "/64",
                isLoopback: bytes == [UInt8](repeating: 0, count: 15) + [1])
        }
    }

    private init(version4 bytes: [UInt8]) {
        let text = bytes.map { String($0) }.joined(separator: ".")
        self.init(text: text, limitKey: text, isLoopback: bytes[0] == 127)
    }

    public var description: String { text }

    /// The same address, as a proxy tells it, or as that of a proxy: nothing that is for this machine alone is for it.
    var byProxy: ClientAddress { ClientAddress(text: text, limitKey: limitKey, isLoopback: false) }

    private static func withoutPort(_ text: String) -> Substring {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return "" }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return "" }
            return text[..<end].dropFirst()
        }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        return colons == 1 ? text.prefix { $0 != ":" } : text[...]
    }

    /// The 4 or 16 bytes of an address, in the order of the network.
    private static func bytes(of text: Substring) -> [UInt8]? {
        let bare = String(text.prefix { $0 != "%" })
        guard bare.utf8.count <= 45, !bare.utf8.contains(0) else { return nil }
        var version4 = in_addr()
        if inet_pton(AF_INET, bare, &version4) == 1 { return withUnsafeBytes(of: version4) { Array($0) } }
        var version6 = in6_addr()
        if inet_pton(AF_INET6, bare, &version6) == 1 { return withUnsafeBytes(of: version6) { Array($0) } }
        return nil
    }

    /// The text of RFC 5952: lower case, the longest run of zeros left out.
    private static func version6Text(_ bytes: [UInt8]) -> String {
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
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
