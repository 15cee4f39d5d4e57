import CountersignCore
import Foundation
import Synchronization

/// Looks up the addresses of hosts, by the system's resolver.
///
/// That one blocks, for as long as half a minute where a name server is away. It does so on threads of its own, which are
/// few: a caller may leave at any time, and its thread ends when the resolver gives up.
final class NameLookup: Sendable {
    /// Lookups under way.
    static let limit = 16

    struct Failure: Error {}

    private let underWay = Mutex(0)
    private let start: OwnThread.Starter

    init(start: @escaping OwnThread.Starter = { try OwnThread.start($0, $1) }) {
        self.start = start
    }

    /// The addresses, in the order in which they are to be tried (RFC 6724). Ends early when its task is cancelled.
    /// - Throws: ``Failure`` where there are none, too many are looked up, or the system starts no more threads.
    func addresses(of host: String) async throws -> [NetworkAddress] {
        let hasRoom = underWay.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard hasRoom else { throw Failure() }
        let (results, announce) = AsyncStream<[NetworkAddress]>.makeStream(bufferingPolicy: .bufferingOldest(1))
        do {
            try start("name-lookup") {
                announce.yield(Self.resolve(host))
                announce.finish()
                self.underWay.withLock { $0 -= 1 }
            }
        } catch {
            underWay.withLock { $0 -= 1 }
            throw Failure()
        }
        for await addresses in results {
            if addresses.isEmpty { throw Failure() }
            return addresses
        }
        throw CancellationError()
    }

    private static func resolve(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [NetworkAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = bytes(of: entry).flatMap({ NetworkAddress(bytes: $0) }),
                !addresses.contains(address)
            else { continue }
            addresses.append(address)
        }
        return addresses
    }

    private static func bytes(of entry: addrinfo) -> [UInt8]? {
        guard let address = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }
}
