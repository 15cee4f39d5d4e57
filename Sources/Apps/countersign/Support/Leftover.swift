import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file or folder that must not remain: as long as this is there, it is removed when the program is interrupted
/// (SIGINT, SIGTERM, SIGHUP) or ends in the middle.
final class Leftover: Sendable {
    private struct State {
        var paths: [String: Int] = [:]
        var sources: [any DispatchSourceSignal] = []
    }

    private static let state = Mutex(State())
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private let path: String

    init(_ path: String) {
        self.path = path
        Self.state.withLock { state in
            state.paths[path, default: 0] += 1
            if state.sources.isEmpty { state.sources = Self.signals.map(Self.watch) }
        }
    }

    deinit {
        Self.state.withLock { [path] state in
            let count = (state.paths[path] ?? 1) - 1
            state.paths[path] = count > 0 ? count : nil
            guard state.paths.isEmpty else { return }
            for source in state.sources { source.cancel() }
            for number in Self.signals { signal(number, SIG_DFL) }
            state.sources = []
        }
    }

    /// Removes all there are.
    static func removeAll() {
        for path in state.withLock({ $0.paths.keys.sorted() }) {
            // A server that still runs in this process may put something there meanwhile.
            for _ in 0..<3 where FileManager.default.fileExists(atPath: path) {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }

    /// Ends the program as the signal would have.
    private static func watch(_ number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            removeAll()
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
        source.activate()
        return source
    }
}
