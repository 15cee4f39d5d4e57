import Foundation

#if canImport(Glibc)
    import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let datagramType = Int32(SOCK_DGRAM.rawValue)
    private let bindSocket = Glibc.bind
#else
    import Darwin
    private let streamType = SOCK_STREAM
    private let datagramType = SOCK_DGRAM
    private let bindSocket = Darwin.bind
#endif

/// A socket that the test keeps and hands to a server, as a service manager does.
package final class HandedSocket: Sendable {
    package enum Kind: Sendable, CaseIterable {
        /// What a server can accept from.
        case listening
        case bound, datagrams, ofThisMachine
    }

    package let descriptor: Int32
    /// Where it listens; 0 for one that is not of the Internet protocol.
    package let port: Int

    /// - Parameter host: an address of IPv4.
    package init(_ kind: Kind = .listening, host: String = "127.0.0.1") throws {
        descriptor = socket(
            kind == .ofThisMachine ? AF_UNIX : AF_INET, kind == .datagrams ? datagramType : streamType, 0)
        guard descriptor >= 0 else { throw POSIXError(.ENFILE) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        if kind != .ofThisMachine {
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr(host)
            let descriptor = descriptor
            let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bindSocket(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isNamed else {
                close(descriptor)
                throw POSIXError(.EADDRNOTAVAIL)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        if kind == .listening { listen(descriptor, 64) }
    }

    deinit { close(descriptor) }

    /// Another descriptor of it, for who closes what it is given.
    package func copy() -> Int32 { dup(descriptor) }
}
