import CountersignCore
import Hummingbird
import Logging
import NIOCore

/// What is known about a request beside itself: who sent it, the log, the path's parameters.
public struct CountersignRequestContext: RequestContext, RemoteAddressRequestContext {
    public var coreContext: CoreRequestContextStorage

    /// The other end of the connection, which may be a proxy.
    public let remoteAddress: SocketAddress?

    /// The sender of the request. Limits and the audit log go by this. ``RequestSourceMiddleware`` corrects it where
    /// there is a proxy.
    public var source: ClientAddress

    /// Whether limits per source do not apply to the request. ``RequestSourceMiddleware`` decides it; without it they apply.
    public internal(set) var isExemptFromSourceLimits = false

    /// What the client calls itself. ``RequestSourceMiddleware`` reads it; sessions remember the beginning of it.
    public internal(set) var userAgent: String?

    /// Tells a request that waits that its client has gone.
    public let departure: ClientDeparture

    /// The logger, as far as it is made.
    private var knownLogger: Logger
    /// What the log calls the request; nil where ``knownLogger`` has a name for it.
    private var number: RequestID?

    public init(source: ApplicationRequestContextSource) {
        self.init(source, number: nil)
    }

    /// The context of a request that the log knows by that number.
    /// - Parameter source: with a logger that has no name for the request yet.
    init(_ source: ApplicationRequestContextSource, number: RequestID?) {
        let address = source.channel.remoteAddress
        departure = ClientDeparture(source.channel)
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = address
        self.source = ClientAddress(address)
        (knownLogger, self.number) = (source.logger, number)
    }

    /// The log, with the name of the request in each line. Most requests log nothing, so that it is put together where it is asked for.
    public var logger: Logger {
        get {
            guard let number else { return knownLogger }
            var logger = knownLogger
            logger[metadataKey: Self.idKey] = .stringConvertible(number)
            return logger
        }
        set { (knownLogger, number) = (newValue, nil) }
    }

    /// The least important level that the log takes.
    var logLevel: Logger.Level { knownLogger.logLevel }

    /// What the log calls the request, for people who ask about it; empty where it has no name.
    public var reference: String { number?.description ?? knownLogger[metadataKey: Self.idKey]?.description ?? "" }

    /// The same, as Hummingbird asks for it.
    public var id: String { reference }

    /// Hummingbird's key of a request's name in its logger.
    static var idKey: String { "hb.request.id" }

    /// Bodies that Hummingbird reads by itself have our limit too.
    public var maxUploadSize: Int { Request.defaultBodyLimit }
}
