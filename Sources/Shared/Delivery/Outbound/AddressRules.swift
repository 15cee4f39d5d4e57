/// To which addresses calls may go: to those of the public Internet, and to what an operator allows by name.
///
/// A developer chooses the URL of a service. Without rules the server could be made to call what only it can reach:
/// other services on its machine, a cloud's metadata, the local network (decision 87).
public struct AddressRules: Sendable, Equatable {
    /// Networks that are allowed though they are not public.
    public var allowed: [AddressRange]

    public init(allowed: [AddressRange] = []) {
        self.allowed = allowed
    }

    /// This machine, for development.
    public static let loopback = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }

    /// What is not public, or is no single machine: the registries of special-purpose addresses (RFC 6890 and its
    /// successors at IANA), with multicast and what is reserved.
    static let refusedVersion4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    ].compactMap { AddressRange($0) }
    /// Of version 6 only global unicast is public (RFC 4291, section 2.4)…
    static let publicVersion6 = AddressRange("2000::/3")
    /// …but for these: protocol assignments with Teredo, documentation, 6to4.
    static let refusedVersion6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].compactMap {
        AddressRange($0)
    }

    /// Whether a connection may go there.
    public func admits(_ address: NetworkAddress) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        if let embedded = address.embedded { return admits(embedded) }
        if address.bytes.count == 4 { return !Self.refusedVersion4.contains { $0.contains(address) } }
        return Self.publicVersion6?.contains(address) == true && !Self.refusedVersion6.contains { $0.contains(address) }
    }
}
