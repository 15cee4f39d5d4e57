import Foundation

#if canImport(Glibc)
    import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let bindSocket = Glibc.bind
    private let closeFile = Glibc.close
#else
    import Darwin
    private let streamType = SOCK_STREAM
    private let bindSocket = Darwin.bind
    private let closeFile = Darwin.close
#endif

/// A port of this machine at which connections are taken, by the system, and nothing is ever said or read.
package struct SilentPeer: Sendable {
    package let port: Int
    private let descriptor: Int32

    package init() throws {
        descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw POSIXError(.ENFILE) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bindSocket(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard status else {
            _ = closeFile(descriptor)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    package func close() { _ = closeFile(descriptor) }
}
