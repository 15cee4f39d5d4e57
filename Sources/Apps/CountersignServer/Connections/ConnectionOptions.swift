import Delivery
import ServerHTTP

/// How many connections a server takes, and for how long.
public struct ConnectionOptions: Sendable {
    /// Nil: as many as there may be open files, less 256 for everything else.
    public var maximum: Int?
    /// From one address (IPv6: one /64); nil: a quarter of all.
    public var maximumPerSource: Int?
    /// How long each part of a connection's work may take.
    public var deadlines: ConnectionDeadlines

    /// The defaults, except what is given.
    public init(
        maximum: Int? = nil, maximumPerSource: Int? = nil, deadlines: ConnectionDeadlines = ConnectionDeadlines()
    ) {
        self.maximum = maximum
        self.maximumPerSource = maximumPerSource
        self.deadlines = deadlines
    }

    /// Open files that are left to everything but connections: the database, mail and push, event loops.
    static let reserve = 256

    /// How many there may be, altogether and from one source.
    /// - Parameter openFiles: how many the system allows.
    func limits(openFiles: Int) -> (maximum: Int, perSource: Int) {
        // Where that leaves few, half.
        let possible = max(openFiles - Self.reserve, openFiles / 2, 1)
        let all = min(maximum ?? possible, possible)
        return (all, min(maximumPerSource ?? max(all / 4, 1), all))
    }
}

/// What stands in front of the server, where `tls.endedByProxy` says that something does.
public struct ProxyOptions: Sendable {
    /// The header in which it says who sent a request.
    public var header: ProxyHeader
    /// The addresses that it has; none: every peer is taken for it.
    public var trusted: [AddressRange]

    /// Without arguments, every peer is taken for a proxy that sends `X-Forwarded-For`.
    public init(header: ProxyHeader = .xForwardedFor, trusted: [AddressRange] = []) {
        self.header = header
        self.trusted = trusted
    }

    /// Whether a connection from there is the proxy's.
    func trusts(_ address: ClientAddress) -> Bool {
        if trusted.isEmpty { return true }
        guard let address = NetworkAddress(address.text) else { return false }
        return trusted.contains { $0.contains(address) }
    }
}
