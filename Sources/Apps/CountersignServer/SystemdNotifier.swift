import Foundation
import Logging
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells the service manager that the server is ready, that it still runs, and that it ends: `sd_notify(3)`, whose protocol is
/// one datagram of `NAME=value` lines to the socket that `NOTIFY_SOCKET` names.
public struct SystemdNotifier: Sendable {
    /// The socket's path; one that begins with `@` is in the abstract namespace of Linux.
    let path: String

    /// The interval between two signs of life that the manager waits for; `nil`: it waits for none.
    let watchdog: Duration?

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`, among any others; nil for those of the process.
    ///   - process: the number of this process. A watchdog is for the process that it names.
    /// - Returns: `nil` where no service manager listens, or its address is none that a socket can have.
    public init?(environment: [String: String]? = nil, process: Int32 = getpid()) {
        let environment = environment ?? .ofProcess(["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"])
        guard let path = environment["NOTIFY_SOCKET"], Self.address(of: path) != nil else { return nil }
        self.path = path
        let isMeant = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        if isMeant, let interval = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), interval > 0 {
            watchdog = .microseconds(interval)
        } else {
            watchdog = nil
        }
    }

    /// Says that the server accepts requests at this address, which the manager shows as the unit's status. Systemd
    /// then starts what is ordered after it.
    public func ready(at address: String) { send("READY=1\nSTATUS=Listening on \(address)\n") }

    /// Says that the server stops, and finishes the requests under way.
    public func stopping() { send("STOPPING=1\nSTATUS=Finishing the requests under way\n") }

    func isAlive() { send("WATCHDOG=1\n") }

    /// A datagram that finds no reader is lost, as with `sd_notify`: the server serves without a manager too.
    private func send(_ text: String) {
        guard case (var address, let length)? = Self.address(of: path) else { return }
        #if canImport(Darwin)
            let kind = SOCK_DGRAM
        #else
            let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, length)
            }
        }
    }

    /// The address as `sendto` takes it; `nil` where the path is neither absolute nor abstract, or too long.
    private static func address(of path: String) -> (sockaddr_un, socklen_t)? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), bytes.count < capacity
        else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let header = MemoryLayout<sockaddr_un>.size - capacity
        return (address, socklen_t(header + bytes.count + (bytes[0] == 0 ? 0 : 1)))
    }
}

/// Shows the service manager that the server runs: at half of the interval that the manager waits for, as `sd_watchdog_enabled(3)`
/// asks.
///
/// What it shows is that tasks of this process still get their turn. A database that is away is no reason to start anew.
struct WatchdogService: NamedService {
    let notifier: SystemdNotifier

    /// What the log calls it.
    var description: String { "Watchdog" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard let interval = notifier.watchdog else {
                // A service that ends would end the server.
                while (try? await Task.sleep(for: .seconds(3600))) != nil {}
                return
            }
            repeat { notifier.isAlive() } while (try? await Task.sleep(for: interval / 2)) != nil
        }
        notifier.stopping()
    }
}
