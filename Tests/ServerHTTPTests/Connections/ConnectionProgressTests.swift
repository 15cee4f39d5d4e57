import NIOCore
import Testing

@testable import ServerHTTP

/// Until when a connection may be at what it is at, by the clock of the event loop.
@Suite struct ConnectionProgressTests {
    private static let limits = ConnectionDeadlines()
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private static func after(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }

    /// What happens to a connection, and when, in seconds.
    private enum Event {
        case secured(isHTTP2: Bool)
        case received, began, read, answered, ends, drains, stalls, flows
    }

    private static func progress(
        _ events: [(Int64, Event)], isEncrypted: Bool = false
    ) -> ConnectionProgress {
        var progress = ConnectionProgress(limits, isEncrypted: isEncrypted, at: start)
        for (seconds, event) in events {
            let now = after(seconds)
            switch event {
            case .secured(let isHTTP2): progress.secured(hasStreams: isHTTP2, at: now)
            case .received: progress.received(at: now)
            case .began: progress.requestBegan(at: now)
            case .read: progress.requestRead(at: now)
            case .answered: progress.answered(at: now)
            case .ends: progress.ends(at: now)
            case .drains: progress.drains(at: now)
            case .stalls: progress.flows(false, at: now)
            case .flows: progress.flows(true, at: now)
            }
        }
        return progress
    }

    private static func expect(
        _ events: [(Int64, Event)], isEncrypted: Bool = false, _ seconds: Int64?, _ stage: ConnectionProgress.Stage?,
        _ expiry: ConnectionProgress.Expiry?, _ location: SourceLocation = #_sourceLocation
    ) {
        let deadline = progress(events, isEncrypted: isEncrypted).deadline
        #expect(deadline?.at == seconds.map(after), sourceLocation: location)
        #expect(deadline?.stage == stage, sourceLocation: location)
        #expect(deadline?.expiry == expiry, sourceLocation: location)
    }

    @Test func `A handshake has ten seconds whatever comes`() {
        Self.expect([], isEncrypted: true, 10, .handshake, .abort)
        Self.expect([(1, .received), (9, .received)], isEncrypted: true, 10, .handshake, .abort)
    }

    @Test func `The first head has fifteen seconds from the connection however it drips`() {
        Self.expect([], 15, .opened, .close)
        Self.expect([(14, .received)], 15, .head, .close)
        Self.expect([(9, .secured(isHTTP2: false)), (20, .received)], isEncrypted: true, 24, .head, .close)
    }

    @Test func `A later head has fifteen seconds from its first byte`() {
        let answered: [(Int64, Event)] = [(1, .received), (1, .began), (2, .read), (3, .answered)]
        Self.expect(answered, 78, .idle, .close)
        Self.expect(answered + [(70, .received)], 85, .head, .close)
        Self.expect(answered + [(70, .received), (84, .received)], 85, .head, .close)
    }

    @Test func `A body has sixty seconds and dripping is no excuse`() {
        Self.expect([(1, .received), (2, .began)], 62, .body, .failRequest)
        Self.expect([(1, .received), (2, .began), (30, .received), (61, .received)], 62, .body, .failRequest)
        // The answer may be out before the body has come.
        Self.expect([(1, .received), (2, .began), (3, .answered)], 62, .body, .failRequest)
        Self.expect([(1, .received), (2, .began), (3, .answered), (9, .read)], 84, .idle, .close)
    }

    @Test func `A client that waits for the server has no deadline`() {
        Self.expect([(1, .received), (1, .began), (1, .read)], nil, nil, nil)
        // The second of two pipelined requests is still to be answered.
        Self.expect(
            [(1, .received), (1, .began), (1, .read), (1, .began), (1, .read), (50, .answered)], nil, nil, nil)
    }

    @Test func `An answer that is not read is not waited for forever`() {
        let answering: [(Int64, Event)] = [(1, .began), (1, .read)]
        Self.expect(answering + [(5, .stalls), (30, .stalls)], 80, .stalled, .abort)
        Self.expect(answering + [(5, .stalls), (30, .flows)], nil, nil, nil)
    }

    @Test func `Who is told that it ends has five seconds`() {
        Self.expect([(1, .began), (1, .read), (2, .answered), (2, .ends), (3, .received)], 7, .ending, .abort)
    }

    @Test func `A connection of streams is idle when none is open`() {
        let open: [(Int64, Event)] = [(1, .secured(isHTTP2: true)), (2, .received)]
        Self.expect(open, isEncrypted: true, 16, .opened, .close)
        Self.expect(open + [(3, .began), (4, .began), (5, .answered)], isEncrypted: true, nil, nil, nil)
        // It is told at 75 s, and closed five later.
        Self.expect(open + [(3, .began), (5, .answered), (70, .received)], isEncrypted: true, 85, .idle, .abort)
    }

    @Test func `A shut down ends every connection within the drain time`() {
        Self.expect([(30, .drains)], isEncrypted: true, 10, .handshake, .abort)
        Self.expect([(1, .received), (1, .began), (1, .read), (30, .drains)], 50, .draining, .abort)
        Self.expect([(1, .began), (1, .read), (30, .drains), (32, .answered)], 37, .draining, .abort)
        Self.expect([(1, .began), (1, .read), (30, .drains), (49, .answered)], 50, .draining, .abort)
        let idle: [(Int64, Event)] = [(1, .secured(isHTTP2: true)), (3, .began), (5, .answered), (30, .drains)]
        Self.expect(idle, isEncrypted: true, 35, .draining, .abort)
    }
}
