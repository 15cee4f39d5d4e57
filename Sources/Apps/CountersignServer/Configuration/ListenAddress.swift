import CountersignCore
import ServerHTTP

/// Where connections are accepted: a name or an address of this machine, and a port.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A host name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    /// 0 to 65535; with 0 the system picks a free one.
    public var port: Int

    /// An address whose parts are known. Nothing is judged: ``init(_:)`` reads what an operator wrote.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `HOST:PORT`, with an IPv6 address in brackets.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = Int(digits), port <= 65_535
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), ClientAddress(host) != nil else { return nil }
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { return nil }
        } else {
            let isName = host.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
            guard !host.isEmpty, host.utf8.count <= 253, isName else { return nil }
        }
        self.init(host: host, port: port)
    }

    /// Whether only this machine can connect.
    public var isLoopback: Bool {
        ClientAddress(host)?.isLoopback ?? (host.lowercased() == "localhost")
    }

    /// Whether the address means every interface.
    public var isWildcard: Bool {
        ["0.0.0.0", "::"].contains(ClientAddress(host)?.text ?? "")
    }

    /// Whether only one of two servers could listen, one on this address and one on the other: the port is the same, and so is the address,
    /// or one of them means every address. Of names only `localhost` is known.
    func collides(with other: ListenAddress) -> Bool {
        guard port == other.port, port != 0 else { return false }
        let (mine, others) = (addresses, other.addresses)
        if mine.contains("::") || others.contains("::") { return true }
        if mine.contains("0.0.0.0") { return others.contains { !$0.contains(":") } }
        if others.contains("0.0.0.0") { return mine.contains { !$0.contains(":") } }
        return !mine.isDisjoint(with: others)
    }

    /// The host in the usual text of an address; of `localhost` both that it may mean, and any other name as it is.
    private var addresses: Set<String> {
        if let address = ClientAddress(host) { return [address.text] }
        let name = host.lowercased()
        return name == "localhost" ? ["127.0.0.1", "::1"] : [name]
    }

    /// The host as URLs have it.
    var hostInURL: String { host.contains(":") ? "[\(host)]" : host }

    public var description: String { "\(hostInURL):\(port)" }
}
