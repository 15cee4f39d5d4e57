import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
    private let streamSocket = Int32(SOCK_STREAM.rawValue)
    private let closeSocket = Glibc.close
#else
    import Darwin
    private let streamSocket = SOCK_STREAM
    private let closeSocket = Darwin.close
#endif

/// An HTTP/1.1 service on 127.0.0.1 that answers byte for byte what a test wants, also what no server would: too slowly, too
/// much, half of it, nothing.
///
/// Plain sockets on threads of their own. Each connection is closed after one answer.
package final class ScriptedService: Sendable {
    package struct Request: Sendable {
        /// `POST /path HTTP/1.1`
        package let line: String
        /// By name in lower case.
        package let headers: [String: String]
        package let body: [UInt8]
    }

    /// What it does, one after the other.
    package enum Step: Sendable {
        case send(String)
        /// A byte at a time, with a pause before each, until the other side has gone.
        case trickle(UInt8, every: Double)
        /// Says nothing until the other side has gone.
        case hold
    }

    package typealias Script = @Sendable (Request) -> [Step]

    package let port: Int
    private let listener: Int32
    private let script: Mutex<Script>
    private let heard = Mutex<[Request]>([])
    private let isStopped = Mutex(false)

    /// What was asked, in order.
    package var requests: [Request] { heard.withLock { $0 } }

    package struct Failure: Error {}

    package init(_ script: @escaping Script) throws {
        listener = socket(AF_INET, streamSocket, 0)
        guard listener >= 0 else { throw Failure() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard isBound else {
            _ = closeSocket(listener)
            throw Failure()
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.script = Mutex(script)
        Thread.detachNewThread { self.accept() }
    }

    /// Answers otherwise from now on.
    package func answers(_ script: @escaping Script) { self.script.withLock { $0 = script } }

    /// From now on it is down: connections are refused.
    package func stop() {
        isStopped.withLock { $0 = true }
        // The thread that accepts lets go of the descriptor: its number might be another's by the time it looks.
        _ = shutdown(listener, Int32(SHUT_RDWR))
    }

    /// 200 with that JSON.
    package static func json(_ text: String, type: String = "application/json") -> Script {
        { _ in [.send(answer(200, text, type: type))] }
    }

    package static func answer(
        _ status: Int, _ body: String, type: String? = "application/json", headers: [String] = []
    ) -> String {
        let lines = ["HTTP/1.1 \(status) Word", "Content-Length: \(body.utf8.count)", "Connection: close"]
        return (lines + (type.map { ["Content-Type: \($0)"] } ?? []) + headers).joined(separator: "\r\n") + "\r\n\r\n"
            + body
    }

    // MARK: Connections

    private func accept() {
        defer { _ = closeSocket(listener) }
        while true {
            #if canImport(Glibc)
                let connection = Glibc.accept(listener, nil, nil)
            #else
                let connection = Darwin.accept(listener, nil, nil)
            #endif
            guard connection >= 0 else {
                if errno != EINTR { return }
                continue
            }
            Thread.detachNewThread {
                self.serve(connection)
                _ = closeSocket(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        guard let request = read(connection) else { return }
        heard.withLock { $0.append(request) }
        for step in script.withLock({ $0 })(request) {
            switch step {
            case .send(let text): guard write(Array(text.utf8), connection) else { return }
            case .trickle(let byte, let pause):
                while !isStopped.withLock({ $0 }) {
                    usleep(UInt32(pause * 1_000_000))
                    guard write([byte], connection) else { return }
                }
            case .hold:
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
            }
        }
    }

    private func write(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < 1_000_000 {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2 { headers[parts[0].lowercased()] = parts[1] }
            }
            let body = bytes[end.upperBound...]
            guard body.count >= Int(headers["content-length"] ?? "0") ?? 0 else { continue }
            return Request(line: lines[0], headers: headers, body: Array(body))
        }
        return nil
    }
}
