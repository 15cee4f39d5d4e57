import Foundation

#if canImport(Glibc)
    import Glibc
    private let connectSocket = Glibc.connect
#else
    import Darwin
    private let connectSocket = Darwin.connect
#endif

/// HTTP requests that are under way all at once, each on a connection of its own: all are written before the first answer
/// is read.
///
/// Plain sockets and `poll`, on a thread of their own: what Foundation does would limit how many there are, and take the
/// time that the server is to have.
package enum Volley {
    package struct Shot: Sendable {
        let server: URL
        let bytes: [UInt8]

        /// - Parameter source: the address that a proxy would name in `X-Forwarded-For`.
        package init(_ server: URL, _ path: String, _ body: [String: Any], bearer: String? = nil, source: String? = nil)
            throws
        {
            let json = try JSONSerialization.data(withJSONObject: body)
            var head = "POST \(path) HTTP/1.1\r\nHost: \(server.host ?? ""):\(server.port ?? 80)\r\n"
            head += "Content-Type: application/json\r\nContent-Length: \(json.count)\r\nConnection: close\r\n"
            if let bearer { head += "Authorization: Bearer \(bearer)\r\n" }
            if let source { head += "X-Forwarded-For: \(source)\r\n" }
            self.server = server
            bytes = Array("\(head)\r\n".utf8) + json
        }
    }

    package struct Answer: Sendable {
        /// 0 where the connection ended without a whole answer.
        package var status = 0
        package var retryAfter: Int?
        package var body = Data()
        /// When its last byte had come, since the first request was written.
        package var after = Duration.zero

        package var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
        }

        package func text(_ member: String) -> String? { json[member] as? String }

        package var words: String { "\(status) \(String(decoding: body.prefix(300), as: UTF8.self))" }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter patience: how long to wait for the last answer; those that have not come then have status 0.
    /// - Returns: the answers, in the order of the requests.
    package static func fire(_ shots: [Shot], patience: Duration = .seconds(600)) async throws -> [Answer] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try exchange(shots, patience) })
            }
        }
    }

    private static func exchange(_ shots: [Shot], _ patience: Duration) throws -> [Answer] {
        allowManyFiles()
        var sockets: [Int32] = []
        defer { for socket in sockets where socket >= 0 { close(socket) } }
        for shot in shots { sockets.append(try connect(to: shot.server)) }

        let begin = ContinuousClock.now
        for (socket, shot) in zip(sockets, shots) {
            // A request is smaller than the buffer of its socket: this never waits.
            guard write(socket, shot.bytes, shot.bytes.count) == shot.bytes.count else {
                throw Failure(description: "a request could not be written: \(reason())")
            }
        }
        var answers = [Answer](repeating: Answer(), count: shots.count)
        var received = [[UInt8]](repeating: [], count: shots.count)
        var open = Array(shots.indices)
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !open.isEmpty, ContinuousClock.now - begin < patience {
            var polled = open.map { pollfd(fd: sockets[$0], events: Int16(POLLIN), revents: 0) }
            poll(&polled, nfds_t(polled.count), 1000)
            let now = ContinuousClock.now - begin
            var still: [Int] = []
            for (index, state) in zip(open, polled) {
                if state.revents == 0 {
                    still.append(index)
                    continue
                }
                let count = read(sockets[index], &buffer, buffer.count)
                if count > 0 { received[index] += buffer[..<count] }
                answers[index].after = now
                if let answer = parse(received[index], after: now) {
                    answers[index] = answer
                } else if count > 0 {
                    still.append(index)
                    continue
                }
                close(sockets[index])
                sockets[index] = -1
            }
            open = still
        }
        return answers
    }

    /// A whole answer; nil while there is more to come.
    private static func parse(_ bytes: [UInt8], after: Duration) -> Answer? {
        let blank = Data("\r\n\r\n".utf8)
        let data = Data(bytes)
        guard let end = data.range(of: blank) else { return nil }
        let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let body = data[end.upperBound...]
        guard let length = headers["content-length"].flatMap({ Int($0) }), body.count >= length else { return nil }
        let words = lines[0].split(separator: " ")
        return Answer(
            status: words.count > 1 ? Int(words[1]) ?? 0 : 0, retryAfter: headers["retry-after"].flatMap { Int($0) },
            body: Data(body.prefix(length)), after: after)
    }

    // MARK: Sockets

    /// The first number that a connection's socket has. Below stay those that other tests' processes need: Foundation
    /// cannot start one with a descriptor of 1024 or more.
    private static let firstDescriptor: Int32 = 2048

    private static func connect(to server: URL) throws -> Int32 {
        #if canImport(Glibc)
            let low = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let low = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard low >= 0 else { throw Failure(description: "no socket: \(reason())") }
        let socket = fcntl(low, F_DUPFD_CLOEXEC, firstDescriptor)
        close(low)
        guard socket >= 0 else { throw Failure(description: "no descriptor for a socket: \(reason())") }
        // No connection lingers in the system after its answer.
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(server.host ?? "")
        address.sin_port = in_port_t(server.port ?? 80).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connectSocket(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            defer { close(socket) }
            throw Failure(description: "no connection to \(server): \(reason())")
        }
        return socket
    }

    /// As many open files as the system lets this process have.
    private static func allowManyFiles() {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        getrlimit(resource, &limit)
        limit.rlim_cur = min(limit.rlim_max, 10240)
        setrlimit(resource, &limit)
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
