import NIOCore

/// How long a client may take for each part of a connection, in TLS as on plain http. Each is a length of time, and
/// each begins again only where it says so: bytes that drip do not extend it.
public struct ConnectionDeadlines: Sendable, Equatable {
    /// From the connection to the end of the TLS handshake.
    public var handshake: TimeAmount
    /// From the connection (after TLS: from the end of its handshake) to the end of the first request's head; later, from
    /// the first byte of a head to its end.
    public var head: TimeAmount
    /// From the end of a request's head to the end of its body.
    public var body: TimeAmount
    /// Between an answer and the first byte of the next request; also how long a client may read nothing of an answer.
    public var idle: TimeAmount
    /// What is left to the other end to read the last answer, or to close its half.
    public var linger: TimeAmount
    /// From the request to shut down to the end of every connection.
    public var drain: TimeAmount

    public init(
        handshake: TimeAmount = .seconds(10), head: TimeAmount = .seconds(15), body: TimeAmount = .seconds(60),
        idle: TimeAmount = .seconds(75), linger: TimeAmount = .seconds(5), drain: TimeAmount = .seconds(20)
    ) {
        self.handshake = handshake
        self.head = head
        self.body = body
        self.idle = idle
        self.linger = linger
        self.drain = drain
    }
}

/// A client took too long to send a request's body. The handler that reads the body gets it.
public struct RequestDeadlineError: Error, Sendable, CustomStringConvertible {
    public var description: String { "the body did not come to its end in time" }
}
