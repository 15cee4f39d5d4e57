import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A TPM at a file descriptor: a device of Linux, or a socket of `swtpm` on this machine.
///
/// It is opened when it is needed and closed after every operation and every failure.
public final class TPMConnection: TPMTransport {
    /// Where the TPM is.
    public enum Endpoint: Sendable, Hashable, CustomStringConvertible {
        /// A character device: `/dev/tpmrm0`, which the group `tss` may open, or `/dev/tpm0`, which only one program
        /// at a time may open.
        case device(path: String)
        /// A socket of the file system, of `swtpm socket --server type=unixio`.
        case unixSocket(path: String)
        /// A TCP port of this machine, of `swtpm socket --server type=tcp`.
        case loopback(port: UInt16)

        public var description: String {
            switch self {
            case .device(let path), .unixSocket(let path): path
            case .loopback(let port): "127.0.0.1:\(port)"
            }
        }
    }

    public let endpoint: Endpoint

    private let descriptor = Locked<Int32?>(nil)

    public init(_ endpoint: Endpoint = .device(path: "/dev/tpmrm0")) { self.endpoint = endpoint }

    deinit { close() }

    /// True for `/dev/tpmrm…`, where Linux manages them.
    public var managesResources: Bool {
        guard case .device(let path) = endpoint else { return false }
        return path.split(separator: "/").last?.hasPrefix("tpmrm") ?? false
    }

    public func exchange(_ command: [UInt8], timeout: Double) throws(TPMError) -> [UInt8] {
        try descriptor.withLock { (descriptor) throws(TPMError) -> [UInt8] in
            let deadline = Deadline(after: timeout)
            let open: Int32
            if let descriptor { open = descriptor } else { open = try Descriptor.open(endpoint, deadline) }
            descriptor = open
            do throws(TPMError) {
                try Self.write(command, to: open, deadline)
                return try Self.readMessage(from: open, deadline)
            } catch {
                // Whatever is still under way must not be taken for the next answer.
                Descriptor.close(open)
                descriptor = nil
                throw error
            }
        }
    }

    public func close() {
        descriptor.withLock { descriptor in
            if let open = descriptor { Descriptor.close(open) }
            descriptor = nil
        }
    }

    private static func write(_ command: [UInt8], to descriptor: Int32, _ deadline: Deadline) throws(TPMError) {
        var offset = 0
        while offset < command.count {
            try deadline.wait(descriptor, for: POLLOUT)
            // A device takes a whole command in one write; a socket takes what it has room for.
            let count = command.withUnsafeBytes { bytes in
                Descriptor.write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw Descriptor.failure("cannot write", errno)
            }
            offset += count
        }
    }

    /// Reads until as many bytes are there as the header announces (Part 3, clause 4.4).
    private static func readMessage(from descriptor: Int32, _ deadline: Deadline) throws(TPMError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: TPMLimits.longestMessage)
        var filled = 0
        while true {
            try deadline.wait(descriptor, for: POLLIN)
            let count = buffer.withUnsafeMutableBytes { bytes in
                read(descriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled)
            }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw Descriptor.failure("cannot read", errno)
            }
            guard count > 0 else { throw .unavailable("it closed the connection before it had answered.") }
            filled += count
            if filled < 6 { continue }
            let size = buffer[2..<6].reduce(0) { $0 << 8 | Int($1) }
            guard (10...TPMLimits.longestMessage).contains(size) else {
                throw .malformedResponse("an answer of \(size) bytes")
            }
            guard filled <= size else { throw .malformedResponse("more bytes than announced") }
            if filled == size { return Array(buffer[..<filled]) }
        }
    }
}

/// A moment by which something must have happened, on a monotonic clock.
struct Deadline {
    private let seconds: Double
    private let end: Double

    init(after seconds: Double) {
        self.seconds = seconds
        end = ProcessInfo.processInfo.systemUptime + seconds
    }

    /// Waits until the descriptor is ready, however often a signal comes in between.
    func wait(_ descriptor: Int32, for events: some BinaryInteger) throws(TPMError) {
        while true {
            let left = end - ProcessInfo.processInfo.systemUptime
            guard left > 0 else { throw .timedOut(seconds: seconds) }
            var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let ready = Self.poll(&poll, milliseconds: Int32(min(left * 1000 + 1, 60_000)))
            if ready > 0 {
                // Errors show in the read or write that follows.
                return
            }
            if ready < 0 && errno != EINTR { throw Descriptor.failure("cannot wait", errno) }
        }
    }

    private static func poll(_ descriptor: inout pollfd, milliseconds: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.poll(&descriptor, 1, milliseconds)
        #elseif canImport(Musl)
            Musl.poll(&descriptor, 1, milliseconds)
        #else
            Darwin.poll(&descriptor, 1, milliseconds)
        #endif
    }
}
