import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Opens devices and sockets so that nothing on them ever blocks, and writes to them and closes them.
enum Descriptor {
    static func open(_ endpoint: TPMConnection.Endpoint, _ deadline: Deadline) throws(TPMError) -> Int32 {
        switch endpoint {
        case .device(let path): try device(path)
        case .unixSocket(let path): try unixSocket(path, deadline)
        case .loopback(let port): try loopback(port, deadline)
        }
    }

    /// Linux carries out a command in the background, and lets us wait for it with a limit, only if the descriptor
    /// does not block.
    private static func device(_ path: String) throws(TPMError) -> Int32 {
        #if canImport(Glibc)
            let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        #elseif canImport(Musl)
            let descriptor = Musl.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        #else
            let descriptor = Darwin.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        #endif
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: throw .unavailable("there is no \(path). Is a TPM 2.0 there, and switched on in the firmware?")
            case EACCES, EPERM:
                throw .unavailable("\(path) may not be opened. Add the user to the group `tss` and log in again.")
            case EBUSY: throw .unavailable("\(path) is in use by another program. Use /dev/tpmrm0.")
            default: throw failure("cannot open \(path)", errno)
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else {
            close(descriptor)
            throw .unavailable("\(path) is no device.")
        }
        return descriptor
    }

    private static func unixSocket(_ path: String, _ deadline: Deadline) throws(TPMError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else {
            throw .unavailable("the path of a socket has 1 to \(room - 1) bytes, \(path) has \(bytes.count).")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return try connected(AF_UNIX, &address, path, deadline)
    }

    private static func loopback(_ port: UInt16, _ deadline: Deadline) throws(TPMError) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return try connected(AF_INET, &address, "127.0.0.1:\(port)", deadline)
    }

    private static func connected<Address>(
        _ family: Int32, _ address: inout Address, _ name: String, _ deadline: Deadline
    ) throws(TPMError) -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw failure("no socket", errno) }
        do throws(TPMError) {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
                fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
            else { throw failure("no socket", errno) }
            #if canImport(Darwin)
                var on: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            #endif
            let outcome = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
            if outcome != 0 {
                guard errno == EINPROGRESS || errno == EINTR else { throw refusal(name, errno) }
                try deadline.wait(descriptor, for: POLLOUT)
                var code: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
                    throw refusal(name, errno)
                }
                guard code == 0 else { throw refusal(name, code) }
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func refusal(_ name: String, _ code: Int32) -> TPMError {
        switch code {
        case ENOENT, ECONNREFUSED: .unavailable("no process listens at \(name). Start swtpm.")
        case EAGAIN: .unavailable("\(name) is in use by another program.")
        default: failure("cannot connect to \(name)", code)
        }
    }

    static func failure(_ what: String, _ code: Int32) -> TPMError {
        .unavailable("\(what): \(String(cString: strerror(code))).")
    }

    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.close(descriptor)
        #elseif canImport(Musl)
            Musl.close(descriptor)
        #else
            Darwin.close(descriptor)
        #endif
    }

    /// Writes without a SIGPIPE when the other side has closed the socket. A device knows no `send`.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            return Darwin.write(descriptor, bytes, count)
        #else
            let sent = send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
            guard sent < 0, errno == ENOTSOCK else { return sent }
            #if canImport(Glibc)
                return Glibc.write(descriptor, bytes, count)
            #else
                return Musl.write(descriptor, bytes, count)
            #endif
        #endif
    }
}
