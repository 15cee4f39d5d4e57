import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A listening socket that the service manager made and hands to the server: `sd_listen_fds(3)`.
///
/// The manager keeps it too: connections wait in its queue while the server starts anew, and a port below 1024 takes no right of the server.
public struct SystemdSocket: Sendable {
    /// What connections are accepted from. It is closed with the server.
    let descriptor: Int32

    /// Where the manager listens, which takes the place of `listen` in the configuration.
    public let address: ListenAddress

    /// The first descriptor that is handed on (`SD_LISTEN_FDS_START`).
    static let first: Int32 = 3

    /// What the manager says of descriptors; no process that this one starts is to read it.
    static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]

    /// Takes the socket from the environment of this process, and removes the variables that told of it. To be called once, before other
    /// threads read the environment.
    /// - Returns: `nil` where no manager hands on anything, where it hands on none (`LISTEN_FDS=0`), or where it was for another process.
    /// - Throws: where it is not one listening socket of TCP. The variables are removed then too.
    public static func take() throws(SystemdSocketError) -> SystemdSocket? {
        try take(environment: .ofProcess(variables), process: getpid()) { unsetenv($0) }
    }

    static func take(
        environment: [String: String], process: Int32, remove: (String) -> Void
    ) throws(SystemdSocketError) -> SystemdSocket? {
        for variable in variables { remove(variable) }
        return try SystemdSocket(environment: environment, process: process)
    }

    /// - Parameters:
    ///   - environment: the variables that tell of descriptors, among any others.
    ///   - process: the number of this process. What is handed on is for the process that `LISTEN_PID` names.
    ///   - first: the descriptor that is looked at.
    init?(
        environment: [String: String], process: Int32, first: Int32 = SystemdSocket.first
    ) throws(SystemdSocketError) {
        guard let count = environment["LISTEN_FDS"], environment["LISTEN_PID"].flatMap({ Int32($0) }) == process else {
            return nil
        }
        // `sd_listen_fds(3)`: a count of 0 is that of a manager that hands nothing on.
        if Int(count) == 0 { return nil }
        guard count == "1" else {
            let names = environment["LISTEN_FDNAMES"].map { " (\($0))" } ?? ""
            throw SystemdSocketError("The service manager hands on \(count) sockets\(names), and the server takes one.")
        }
        descriptor = first
        // What is no open socket fails at the first question.
        guard let type = Self.option(SO_TYPE, of: first) else {
            throw SystemdSocketError(
                "What the service manager hands on is no socket: \(String(cString: strerror(errno))).")
        }
        guard fcntl(first, F_SETFD, FD_CLOEXEC) == 0, let address = Self.address(of: first), type == Self.stream else {
            throw SystemdSocketError("The service manager hands on a socket that is none of TCP.")
        }
        guard Self.option(SO_ACCEPTCONN, of: first) == 1 else {
            throw SystemdSocketError("The service manager hands on a connection, and not the socket that accepts them.")
        }
        self.address = address
    }

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// Where a socket of IPv4 or IPv6 listens; `nil` for one of another family.
    private static func address(of descriptor: Int32) -> ListenAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var (host, port) = ([CChar](repeating: 0, count: 1025), [CChar](repeating: 0, count: 32))
        let isNamed = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &size) == 0
                    && [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
                    && getnameinfo(
                        address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        guard isNamed, let number = Int(Self.text(port)) else { return nil }
        return ListenAddress(host: Self.text(host), port: number)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// What a service manager hands on cannot be served.
public struct SystemdSocketError: Error, CustomStringConvertible {
    /// What is handed on, and what would be taken.
    public let description: String

    init(_ problem: String) {
        description =
            problem + " Write one ListenStream=ADDRESS:PORT in its unit, with Accept=no, as countersign.socket does."
    }
}

extension [String: String] {
    /// Variables of this process, by name. Foundation's `environment` reads all there are, each time.
    static func ofProcess(_ names: [String]) -> [String: String] {
        var variables: [String: String] = [:]
        for name in names { variables[name] = getenv(name).map { String(cString: $0) } }
        return variables
    }
}
