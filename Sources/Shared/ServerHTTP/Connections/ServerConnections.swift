import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// The connections of one server: how many there may be, altogether and from one source, and how long they may take.
///
/// Where all are taken, the server stops accepting until one ends: those that come wait in the system's queue. A connection too many
/// from one source is closed at once. So descriptors never run out, and one source cannot take them all.
public final class ServerConnections: Sendable {
    public let deadlines: ConnectionDeadlines
    /// How many may be open.
    public let maximum: Int
    /// How many may be open from one address (IPv6: from one /64).
    public let maximumPerSource: Int
    private let isExempt: @Sendable (ClientAddress) -> Bool
    private let logger: Logger
    private let state = Mutex(State())
    private let pace = WarningPace()

    private struct State {
        var statistics = ConnectionStatistics()
        var sources: [String: Int] = [:]
    }

    private enum Warning: String { case full, source }

    /// - Parameter isExempt: whose connections may be as many as fit: those of trusted proxies, which carry the
    ///   requests of many clients.
    public init(
        deadlines: ConnectionDeadlines = ConnectionDeadlines(), maximum: Int, maximumPerSource: Int, logger: Logger,
        isExempt: @escaping @Sendable (ClientAddress) -> Bool = { _ in false }
    ) {
        self.deadlines = deadlines
        self.maximum = maximum
        self.maximumPerSource = maximumPerSource
        self.logger = logger
        self.isExempt = isExempt
    }

    public var statistics: ConnectionStatistics { state.withLock { $0.statistics } }

    /// Adds the first handler of a new connection, or closes it where its source has too many.
    /// - Returns: the handler, on the channel's event loop.
    /// - Throws: where the connection was closed.
    public func admit(_ channel: any Channel, isEncrypted: Bool) throws -> ConnectionDeadlineHandler {
        let source = ClientAddress(channel.remoteAddress)
        guard take(source) else {
            channel.close(promise: nil)
            throw ChannelError.ioOnClosedChannel
        }
        channel.closeFuture.whenComplete { _ in self.release(source) }
        let handler = ConnectionDeadlineHandler(deadlines, isEncrypted: isEncrypted) { stage in
            self.state.withLock { $0.statistics.expired[stage.rawValue, default: 0] += 1 }
        }
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
        return handler
    }

    private func take(_ source: ClientAddress) -> Bool {
        if isExempt(source) { return true }
        let isTaken = state.withLock { state in
            let count = state.sources[source.limitKey, default: 0]
            guard count < maximumPerSource else {
                state.statistics.refused += 1
                return false
            }
            state.sources[source.limitKey] = count + 1
            return true
        }
        if !isTaken {
            warn(.source, "connections are refused: \(source) has \(maximumPerSource) (http.maxConnectionsPerSource)")
        }
        return isTaken
    }

    private func release(_ source: ClientAddress) {
        if isExempt(source) { return }
        state.withLock { state in
            let count = state.sources[source.limitKey, default: 1] - 1
            state.sources[source.limitKey] = count > 0 ? count : nil
        }
    }

    /// At most once a minute: a client must not be able to fill the log.
    private func warn(_ warning: Warning, _ text: String) {
        if pace.leftOut(warning.rawValue, at: .now) != nil { logger.warning("\(text)") }
    }

    // MARK: Accepting

    /// Tells the server when to accept.
    public var acceptance: some AvailableConnectionsDelegate { Acceptance(connections: self) }

    private struct Acceptance: AvailableConnectionsDelegate {
        let connections: ServerConnections

        func connectionOpened() { connections.state.withLock { $0.statistics.open += 1 } }
        func connectionClosed() { connections.state.withLock { $0.statistics.open -= 1 } }

        func isAcceptingNewConnections() -> Bool {
            if connections.statistics.open < connections.maximum { return true }
            connections.warn(
                .full,
                "all \(connections.maximum) connections are taken (http.maxConnections): more wait until one ends")
            return false
        }
    }
}

/// What became of connections, for metrics.
public struct ConnectionStatistics: Sendable, Equatable {
    public var open = 0
    /// Closed at once, because their source had too many.
    public var refused = 0
    /// Ended because their time was up, by what they were at: `handshake`, `opened`, `head`, `body`, `idle`, `stalled`, `ending`,
    /// `draining`.
    public var expired: [String: Int] = [:]
}
