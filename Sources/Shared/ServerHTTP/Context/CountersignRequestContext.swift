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

    public init(source: ApplicationRequestContextSource) {
        departure = ClientDeparture(source.channel)
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
        self.source = ClientAddress(source.channel.remoteAddress)
    }

    /// Bodies that Hummingbird reads by itself have our limit too.
    public var maxUploadSize: Int { Request.defaultBodyLimit }
}
