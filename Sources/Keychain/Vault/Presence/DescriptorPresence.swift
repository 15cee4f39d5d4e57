import KeychainTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Takes the passcode from an open descriptor, for a service without a user: `service 3< passcode-file`.
///
/// It is read once, to its end, at the first request, and closed. One line break at the end is not part of the
/// passcode. The descriptor is marked to be closed in programs that the process starts. It never prompts: items that
/// need a present user stay closed.
public struct DescriptorPresence: PresenceProvider {
    public var asksPerson: Bool { false }

    private let source: Source

    /// - Parameters:
    ///   - descriptor: a file, a pipe or a socket open for reading. It belongs to this instance from now on.
    ///   - keepsCredential: whether the passcode stays in locked memory as long as this instance lives, so that a vault
    ///     that was locked can be opened again. By default it is handed over once and forgotten; a locked process then
    ///     holds nothing that opens its vault, and has to be started again.
    ///   - timeout: how long the writer of a pipe has.
    public init(_ descriptor: Int32, keepsCredential: Bool = false, timeout: Duration = .seconds(30)) {
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
        source = Source(descriptor: descriptor, keeps: keepsCredential, timeout: timeout)
    }

    public func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        try HeadlessRequests.check(request, source: "descriptor \(source.descriptor)")
        return try source.take()
    }

    private final class Source: Sendable {
        enum State { case unread, kept(LockedBytes), gone(String) }

        let descriptor: Int32
        let keeps: Bool
        let timeout: Duration
        private let state = Mutex(State.unread)

        init(descriptor: Int32, keeps: Bool, timeout: Duration) {
            (self.descriptor, self.keeps, self.timeout) = (descriptor, keeps, timeout)
        }

        func take() throws(PresenceError) -> LockedBytes {
            let result: Result<LockedBytes, PresenceError> = state.withLock { state in
                switch state {
                case .kept(let credential): return .success(credential)
                case .gone(let why): return .failure(.unavailable(why))
                case .unread: break
                }
                do throws(PresenceError) {
                    let credential = try read()
                    state =
                        keeps
                        ? .kept(credential)
                        : .gone("the passcode from descriptor \(descriptor) was handed over once and is not kept")
                    return .success(credential)
                } catch {
                    state = .gone("descriptor \(descriptor) gave no passcode at the first request")
                    return .failure(error)
                }
            }
            return try result.get()
        }

        private func read() throws(PresenceError) -> LockedBytes {
            guard fcntl(descriptor, F_GETFD) >= 0 else {
                throw .unavailable("descriptor \(descriptor) is not open: start the process with \(descriptor)< FILE")
            }
            defer { discard() }
            guard isatty(descriptor) == 0 else {
                throw .unavailable("descriptor \(descriptor) is a terminal: use .terminal")
            }
            return try HeadlessRequests.read(
                descriptor, name: "descriptor \(descriptor)", until: Deadline(after: timeout))
        }

        /// Closes the descriptor. In place of one of the standard streams comes the null device, so that no file that is
        /// opened later becomes one.
        private func discard() {
            guard descriptor <= 2 else {
                close(descriptor)
                return
            }
            let null = open("/dev/null", O_RDWR | O_CLOEXEC)
            if null >= 0 && null != descriptor {
                dup2(null, descriptor)
                close(null)
            }
        }
    }
}

/// What the sources without a prompt have in common.
enum HeadlessRequests {
    /// - Throws: for whatever only a person can answer, and when the credential was wrong: it will not be right the next time.
    static func check(_ request: PresenceRequest, source: String) throws(PresenceError) {
        guard request.triesLeftAfterWrongAnswer == nil else {
            throw .unavailable("the passcode from \(source) is wrong")
        }
        switch request.kind {
        case .unlock, .newPasscode: return
        case .passcode, .applicationPassword:
            throw .unavailable("\(source) opens the vault, but no user is present to confirm the use of this item")
        }
    }

    /// Reads to the end, without the one line break there.
    static func read(_ descriptor: Int32, name: String, until deadline: Deadline) throws(PresenceError) -> LockedBytes {
        // Two bytes for the line break, and one to see that there is more than fits.
        try LockedScratch.with(PresenceLimits.credentialBytes + 3) { memory throws(PresenceError) in
            var count = 0
            while count < memory.count {
                var ready = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
                guard deadline.wait(&ready) else { throw .timedOut }
                let got = systemRead(descriptor, memory.start + count, memory.count - count)
                if got == 0 { break }
                if got < 0 {
                    if errno == EINTR || errno == EAGAIN { continue }
                    throw .unavailable("\(name) cannot be read: \(String(cString: strerror(errno)))")
                }
                count += got
            }
            if count > 0 && memory[count - 1] == 0x0A {
                count -= 1
                if count > 0 && memory[count - 1] == 0x0D { count -= 1 }
            }
            guard count <= PresenceLimits.credentialBytes else {
                throw .unavailable("\(name) holds more than \(PresenceLimits.credentialBytes) bytes")
            }
            guard count > 0 else { throw .unavailable("\(name) is empty") }
            return LockedBytes(memory, count: count)
        }
    }
}

/// `read(2)`, which a method of the same name hides.
private func systemRead(_ descriptor: Int32, _ memory: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, memory, count)
}

extension PresenceProvider where Self == DescriptorPresence {
    /// Takes the passcode from an open descriptor, once. See ``DescriptorPresence``.
    public static func fileDescriptor(_ descriptor: Int32, keepsCredential: Bool = false) -> Self {
        DescriptorPresence(descriptor, keepsCredential: keepsCredential)
    }
}
