#if os(Linux) || os(macOS)
    import ClientHTTP
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// A port of 127.0.0.1 that waits for one answer. It serves at most ``mostConnections`` connections at once, each for
    /// ``patience`` seconds, and is closed by its answer.
    final class LoopbackListener: Sendable {
        static let mostConnections = 16
        static let patience: TimeInterval = 5

        /// What the browser comes back to: `http://127.0.0.1:PORT/callback`.
        let address: String
        private let descriptor: Int32
        private let isClosed = Locked(false)

        init(path: String) throws {
            #if os(Linux)
                let kind = Int32(SOCK_STREAM.rawValue)
            #else
                let kind = SOCK_STREAM
            #endif
            let descriptor = socket(AF_INET, kind, 0)
            var local = sockaddr_in()
            local.sin_family = sa_family_t(AF_INET)
            local.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &local) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    descriptor >= 0 && bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                        && getsockname(descriptor, address, &length) == 0
                }
            }
            guard isBound, Self.makeNonBlocking(descriptor) else {
                if descriptor >= 0 { _ = Self.end(descriptor) }
                throw ClientFailure(.noBrowser, "No port of this machine can be opened for the browser's answer.")
            }
            self.descriptor = descriptor
            address = "http://127.0.0.1:\(UInt16(bigEndian: local.sin_port))\(path)"
        }

        deinit { close() }

        func close() {
            let isFirst = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return !isClosed
            }
            if isFirst { _ = Self.end(descriptor) }
        }

        /// Waits, on a thread of its own, until the browser brings the answer.
        /// - Throws: ``ClientFailure`` where the time is over, `CancellationError` where the task was cancelled.
        func answer(to page: AuthorizationPage, within timeout: TimeInterval) async throws -> URL {
            let isCancelled = Locked(false)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let thread = Thread { [self] in
                        continuation.resume(
                            with: Result { try wait(for: page, within: timeout) { isCancelled.current } })
                    }
                    thread.name = "sign-in answer"
                    thread.start()
                }
            } onCancel: {
                isCancelled.withLock { $0 = true }
            }
        }

        private struct Connection {
            let descriptor: Int32
            let until: Double
            var request = LoopbackRequest()
        }

        private func wait(
            for page: AuthorizationPage, within timeout: TimeInterval, _ isCancelled: () -> Bool
        ) throws -> URL {
            var connections: [Connection] = []
            defer { for connection in connections { _ = Self.end(connection.descriptor) } }
            // Time that no change of the clock moves.
            let end = ProcessInfo.processInfo.systemUptime + timeout
            while true {
                let now = ProcessInfo.processInfo.systemUptime
                if isCancelled() { throw CancellationError() }
                guard now < end else { throw ClientFailure(.timedOut, "The sign-in was not finished in time.") }
                for place in connections.indices.reversed() where connections[place].until <= now {
                    Self.finish(connections.remove(at: place).descriptor, .incomplete)
                }
                var entries = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
                if connections.count < Self.mostConnections {
                    entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
                }
                // Short, so that cancellation is seen.
                guard poll(&entries, nfds_t(entries.count), 100) > 0 else { continue }
                for place in connections.indices.reversed() where entries[place].revents != 0 {
                    guard let verdict = Self.read(&connections[place], at: address, for: page) else { continue }
                    Self.finish(connections.remove(at: place).descriptor, verdict)
                    if case .answer(let url) = verdict { return url }
                }
                if let last = entries.last, last.fd == descriptor, last.revents != 0 {
                    let accepted = accept(descriptor, nil, nil)
                    guard accepted >= 0 else { continue }
                    guard Self.makeNonBlocking(accepted) else {
                        _ = Self.end(accepted)
                        continue
                    }
                    connections.append(Connection(descriptor: accepted, until: now + Self.patience))
                }
            }
        }

        /// Nil where more has to come.
        private static func read(
            _ connection: inout Connection, at address: String, for page: AuthorizationPage
        ) -> LoopbackRequest.Verdict? {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(connection.descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { return nil }
            guard count > 0 else { return .incomplete }
            let verdict = connection.request.receive(buffer[..<count], at: address, for: page)
            return verdict == .incomplete ? nil : verdict
        }

        /// Answers and ends a connection. An answer is short enough for the socket's buffer.
        private static func finish(_ descriptor: Int32, _ verdict: LoopbackRequest.Verdict) {
            let bytes = LoopbackRequest.response(to: verdict)
            #if os(Linux)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            _ = send(descriptor, bytes, bytes.count, flags)
            // What is still unread would make the system reset the connection before the browser has read the answer.
            shutdown(descriptor, writing)
            var rest = [UInt8](repeating: 0, count: 4096)
            for _ in 0..<16 where recv(descriptor, &rest, rest.count, 0) > 0 {}
            _ = end(descriptor)
        }

        #if os(Linux)
            private static let writing = Int32(SHUT_WR)
        #else
            private static let writing = SHUT_WR
        #endif

        private static func makeNonBlocking(_ descriptor: Int32) -> Bool {
            #if !os(Linux)
                var isOn: Int32 = 1
                setsockopt(
                    descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
            #endif
            let flags = fcntl(descriptor, F_GETFL)
            return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
                && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        }

        private static func end(_ descriptor: Int32) -> Int32 { systemClose(descriptor) }
    }

    /// The system's own, which a method's name hides.
    private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
#endif
