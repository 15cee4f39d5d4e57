import Foundation
import TPMTestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A peer at a socket of the file system that answers each command as the test wants.
final class SocketPeer: Sendable {
    /// One connection, for the one who answers.
    struct Connection {
        let descriptor: Int32

        func send(_ bytes: [UInt8]) {
            #if canImport(Glibc)
                _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            #else
                _ = Darwin.send(descriptor, bytes, bytes.count, 0)
            #endif
        }

        func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    let path: String
    private let folder: String
    private let listener: Int32
    private let state = Locking<(heard: [[UInt8]], connections: Int)>(([], 0))

    var heard: [[UInt8]] { state.withLock { $0.heard } }
    var connections: Int { state.withLock { $0.connections } }

    /// - Parameter answer: Is called for every command with its number, counted from 0 over all connections.
    init(reads: Bool = true, _ answer: @escaping @Sendable (Connection, Int) -> Void) throws {
        var template = Array("/tmp/ctpm-peer-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Tool.Failure(description: "no temporary folder") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = folder + "/s"
        #if canImport(Glibc)
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let listener = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 8) == 0 else { throw Tool.Failure(description: "cannot listen at \(path)") }
        let state = state
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 { return }
                state.withLock { $0.connections += 1 }
                Thread.detachNewThread {
                    defer { close(descriptor) }
                    if !reads { return answer(Connection(descriptor: descriptor), 0) }
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    while true {
                        let count = read(descriptor, &buffer, buffer.count)
                        if count <= 0 { return }
                        let number = state.withLock { state in
                            state.heard.append(Array(buffer.prefix(count)))
                            return state.heard.count - 1
                        }
                        answer(Connection(descriptor: descriptor), number)
                    }
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }
}
