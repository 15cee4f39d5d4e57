import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let bindSocket = Glibc.bind
#else
    import Darwin
    private let streamType = SOCK_STREAM
    private let bindSocket = Darwin.bind
#endif

/// A port for a server that goes away and comes back to it.
///
/// The system gives ports above 32,768 to every program that asks for any, and to every connection: one of those could be taken by
/// another test while the server is away.
package enum QuietPort {
    private static let given = Mutex<Set<Int>>([])

    package struct NoneIsFree: Error {}

    /// One that nothing listens on, and that no other test of this process gets.
    package static func next() throws -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: 20_000..<32_000)
            if given.withLock({ $0.insert(port).inserted }), isFree(port) { return port }
        }
        throw NoneIsFree()
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bindSocket(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        } == 0
    }
}
