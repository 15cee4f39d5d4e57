import CountersignCore
import Dispatch
import Synchronization

/// The connections that read: opened when they are needed, up to a number, and kept.
///
/// A read goes to its connection's queue at once where one is idle, and otherwise waits for the first that becomes so.
final class SQLiteReaders: Sendable {
    typealias Read = @Sendable (Result<SQLiteConnection, any Error>) -> Void

    private enum Admission {
        case runs(SQLiteAccess)
        case opens
        case waits
        case refused(StoreError)
    }

    private struct State {
        var idle: [SQLiteAccess] = []
        /// Connections that are there or are being opened.
        var count = 0
        var waiting: [Read] = []
        var isClosed = false
        /// Called when the last connection is idle, after closing has begun.
        var whenIdle: (@Sendable () -> Void)?

        mutating func takeWhenIdle() -> (@Sendable () -> Void)? {
            guard isClosed, idle.count == count else { return nil }
            defer { whenIdle = nil }
            return whenIdle
        }
    }

    private let most: Int
    private let capacity: Int
    private let open: @Sendable () throws -> SQLiteAccess
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: how many connections there may be.
    ///   - capacity: how many reads may wait beside those that run.
    init(most: Int, capacity: Int, open: @escaping @Sendable () throws -> SQLiteAccess) {
        (self.most, self.capacity, self.open) = (most, capacity, open)
    }

    /// Runs a read on a connection's queue; one that cannot be run is called with the reason.
    func run(_ read: @escaping Read) {
        let admission = state.withLock { state -> Admission in
            if state.isClosed { return .refused(.closedStore) }
            if let access = state.idle.popLast() { return .runs(access) }
            if state.count < most {
                state.count += 1
                return .opens
            }
            guard state.waiting.count < capacity else {
                return .refused(StoreError(.overloaded, "\(capacity) reads wait already"))
            }
            state.waiting.append(read)
            return .waits
        }
        switch admission {
        case .runs(let access): serve(read, on: access)
        case .opens: openFor(read)
        case .waits: break
        case .refused(let error): read(.failure(error))
        }
    }

    /// Runs work of another kind on a connection of its own, for as long as it takes.
    func apart<T: Sendable>(_ work: @escaping @Sendable (SQLiteAccess) throws -> T) async throws -> T {
        if state.withLock({ $0.isClosed }) { throw StoreError.closedStore }
        return try await blocking { [open] in
            let access = try open()
            defer { try? access.close() }
            return try work(access)
        }
    }

    /// Waits for the reads that were admitted, and closes the connections.
    func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.idle.count == state.count { return true }
                state.whenIdle = { continuation.resume() }
                return false
            }
            if isIdle { continuation.resume() }
        }
        let idle = state.withLock { state in
            defer { (state.idle, state.count) = ([], 0) }
            return state.idle
        }
        try? await blocking { for access in idle { try access.close() } }
    }

    private func serve(_ read: @escaping Read, on access: SQLiteAccess) {
        access.async { [self] connection in
            read(.success(connection))
            // Whatever came meanwhile is run here as well, without another change of threads.
            while let next = finish(access) { next(.success(connection)) }
        }
    }

    private func openFor(_ read: @escaping Read) {
        DispatchQueue(label: "countersign.sqlite.open").async { [self] in
            do {
                serve(read, on: try open())
            } catch {
                read(.failure(error))
                // Those that wait for this connection find another reason to fail, or another connection.
                let (next, whenIdle) = state.withLock { state -> (Read?, (@Sendable () -> Void)?) in
                    state.count -= 1
                    if state.waiting.isEmpty { return (nil, state.takeWhenIdle()) }
                    state.count += 1
                    return (state.waiting.removeFirst(), nil)
                }
                if let next { openFor(next) }
                whenIdle?()
            }
        }
    }

    /// Called when a read is over.
    /// - Returns: the next for the same connection, which is idle where there is none.
    private func finish(_ access: SQLiteAccess) -> Read? {
        let (next, whenIdle) = state.withLock { state -> (Read?, (@Sendable () -> Void)?) in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), nil) }
            state.idle.append(access)
            return (nil, state.takeWhenIdle())
        }
        whenIdle?()
        return next
    }
}
