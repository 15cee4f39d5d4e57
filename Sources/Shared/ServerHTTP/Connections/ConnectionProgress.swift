import NIOCore

/// What a connection, or one stream of HTTP/2, is at, and until when it may be: pure, it gets each event with its time.
struct ConnectionProgress: Sendable {
    /// What the other end has to do next.
    enum Stage: String, Sendable, CaseIterable {
        case handshake
        /// Nothing of a first request has come.
        case opened
        case head
        case body
        /// It is ours: answers are due.
        case answering
        /// The last answer is out, and nothing of another request has come.
        case idle
        /// An answer is out that the other end does not read.
        case stalled
        /// The peer is notified that the connection ends.
        case ending
        /// The server shuts down.
        case draining
    }

    /// What to do when the time is up.
    enum Expiry: Sendable, Equatable {
        /// Notify the reader of the body; then end.
        case failRequest
        /// Close as the protocol has it.
        case close
        /// Close the socket, whatever the protocol still waits for.
        case abort
    }

    struct Deadline: Sendable, Equatable {
        var at: NIODeadline
        var stage: Stage
        var expiry: Expiry
    }

    let limits: ConnectionDeadlines
    private(set) var stage: Stage
    private var since: NIODeadline
    /// Requests, or streams, that are not answered.
    private var due = 0
    /// Requests come in streams, and bytes say nothing of them.
    private var hasStreams = false
    private var stalledSince: NIODeadline?
    private var drainsSince: NIODeadline?

    /// - Parameter isEncrypted: whether a TLS handshake comes first.
    init(_ limits: ConnectionDeadlines, isEncrypted: Bool = false, at now: NIODeadline) {
        self.limits = limits
        stage = isEncrypted ? .handshake : .opened
        since = now
    }

    // MARK: What happens

    /// The handshake is done.
    mutating func secured(hasStreams: Bool, at now: NIODeadline) {
        guard stage == .handshake else { return }
        self.hasStreams = hasStreams
        enter(.opened, now)
    }

    /// Bytes have come, perhaps the first of a head.
    mutating func received(at now: NIODeadline) {
        guard !hasStreams else { return }
        switch stage {
        // The first head has no more time than it had.
        case .opened: stage = .head
        case .idle: enter(.head, now)
        default: break
        }
    }

    /// A head was read, or a stream opened.
    mutating func requestBegan(at now: NIODeadline) {
        due += 1
        if stage != .ending { enter(hasStreams ? .answering : .body, now) }
    }

    /// The request is read to its end.
    mutating func requestRead(at now: NIODeadline) {
        guard stage == .body else { return }
        enter(due > 0 ? .answering : .idle, now)
    }

    /// The answer was written to its end, or a stream closed.
    mutating func answered(at now: NIODeadline) {
        due = max(0, due - 1)
        if stage == .answering, due == 0 { enter(.idle, now) }
    }

    /// Nothing more is read: what came was no request, or the last one.
    mutating func ends(at now: NIODeadline) {
        if stage != .ending { enter(.ending, now) }
    }

    /// Whether what was written is being read.
    mutating func flows(_ isWritable: Bool, at now: NIODeadline) {
        stalledSince = isWritable ? nil : stalledSince ?? now
    }

    /// The server shuts down.
    mutating func drains(at now: NIODeadline) {
        drainsSince = drainsSince ?? now
    }

    private mutating func enter(_ stage: Stage, _ now: NIODeadline) {
        (self.stage, since) = (stage, now)
    }

    // MARK: Until when

    /// When the first of all times is up; nil where there is nothing to wait for but ourselves.
    var deadline: Deadline? {
        let ofStalling = stalledSince.map { Deadline(at: $0 + limits.idle, stage: .stalled, expiry: .abort) }
        return Self.earlier(Self.earlier(ofStage, ofDraining), ofStalling)
    }

    private static func earlier(_ one: Deadline?, _ other: Deadline?) -> Deadline? {
        guard let one else { return other }
        guard let other else { return one }
        return other.at < one.at ? other : one
    }

    private var ofStage: Deadline? {
        switch stage {
        case .handshake: Deadline(at: since + limits.handshake, stage: stage, expiry: .abort)
        case .opened, .head: Deadline(at: since + limits.head, stage: stage, expiry: .close)
        case .body: Deadline(at: since + limits.body, stage: stage, expiry: .failRequest)
        // At the idle time itself the peer is notified (GOAWAY).
        case .idle where hasStreams: Deadline(at: since + limits.idle + limits.linger, stage: stage, expiry: .abort)
        case .idle: Deadline(at: since + limits.idle, stage: stage, expiry: .close)
        case .ending: Deadline(at: since + limits.linger, stage: stage, expiry: .abort)
        case .answering, .stalled, .draining: nil
        }
    }

    private var ofDraining: Deadline? {
        guard let drainsSince else { return nil }
        let last = drainsSince + limits.drain
        // A peer with nothing under way has been notified, and may close.
        let at = due > 0 ? last : min(last, max(since, drainsSince) + limits.linger)
        return Deadline(at: at, stage: .draining, expiry: .abort)
    }
}
