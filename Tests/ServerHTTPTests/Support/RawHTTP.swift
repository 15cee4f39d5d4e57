import Foundation

#if canImport(Glibc)
    import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let connectSocket = Glibc.connect
    private let bindSocket = Glibc.bind
#else
    import Darwin
    private let streamType = SOCK_STREAM
    private let connectSocket = Darwin.connect
    private let bindSocket = Darwin.bind
#endif

/// A connection of plain bytes: says what no proper client says, and sees when the server closes it.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// - Parameter source: the loopback address to come from, such as `127.0.0.2`.
    init(to server: URL, from source: String? = nil) throws {
        descriptor = socket(AF_INET, streamType, 0)
        if let source {
            var own = Self.address(source, 0)
            let bound = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bindSocket(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard bound == 0 else { throw Failure(errno: errno) }
        }
        var target = Self.address("127.0.0.1", server.port ?? 80)
        let connected = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connectSocket(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }

    struct Failure: Error { let errno: Int32 }

    /// A connection that the other end has closed is an error, and no signal.
    #if canImport(Glibc)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let noSignal: Int32 = 0x80000
    #endif

    private static func address(_ text: String, _ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, text, &address.sin_addr)
        return address
    }

    /// Writes what the other end takes.
    @discardableResult
    func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return send(descriptor, bytes, bytes.count, Self.noSignal) == bytes.count
    }

    /// Ends our half.
    func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything that comes until the server closes, or until `isEnough`.
    /// - Returns: the text; whether the server closed.
    func read(
        patience: TimeInterval = 600, until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async -> (text: String, isClosed: Bool) {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var received: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65536)
                let end = Date(timeIntervalSinceNow: patience)
                while Date() < end {
                    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    if poll(&polled, 1, 100) <= 0 { continue }
                    let count = recv(descriptor, &buffer, buffer.count, 0)
                    if count <= 0 {
                        return continuation.resume(returning: (String(decoding: received, as: UTF8.self), true))
                    }
                    received += buffer[..<count]
                    let text = String(decoding: received, as: UTF8.self)
                    if isEnough(text) { return continuation.resume(returning: (text, false)) }
                }
                continuation.resume(returning: (String(decoding: received, as: UTF8.self), false))
            }
        }
    }

    /// One exchange on a connection of its own.
    static func exchange(
        _ text: String, with server: URL, closesOutput: Bool = false, patience: TimeInterval = 600
    ) async throws -> (text: String, isClosed: Bool) {
        let connection = try RawConnection(to: server)
        connection.write(text)
        if closesOutput { connection.closeOutput() }
        return await connection.read(patience: patience)
    }
}

extension String {
    /// The status codes of the answers in it.
    var statuses: [Int] {
        components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
    }
}
