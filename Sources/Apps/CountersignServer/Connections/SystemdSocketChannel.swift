import HummingbirdCore
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What accepts from a ``SystemdSocket``, and leads each connection into Hummingbird's server.
///
/// Hummingbird binds its own socket, and takes none that is bound. So it gets a place that no client can come to, and the
/// connections of this channel as if it had accepted them: what becomes of them is the same as without a service manager
/// ([decision 505](docs/decisions/0505-connections-of-a-handed-socket-are-led-into-the-server.md)).
struct SystemdSocketChannel: Sendable {
    private let channel: any Channel
    /// A directory of this user's alone, for Hummingbird's socket.
    private let directory: String

    /// Where Hummingbird's server binds.
    var unusedAddress: BindAddress { .unixDomainSocket(path: unusedPath) }

    private var unusedPath: String { "\(directory)/unused" }

    /// Begins with the socket. Nothing is accepted before ``lead(to:within:)``: connections wait in the system's queue.
    /// - Parameter backlog: how many may wait there.
    static func open(_ socket: SystemdSocket, backlog: Int) async throws -> Self {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.autoRead, value: false)
            .withBoundSocket(socket.descriptor).get()
        // NIO has made the queue one of 128.
        _ = listen(socket.descriptor, Int32(backlog))
        // Longer paths than those below /tmp may not fit into an address.
        var template = Array("/tmp/countersign-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            try? await channel.close()
            throw IOError(errnoCode: errno, reason: "mkdtemp")
        }
        let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        return Self(channel: channel, directory: directory)
    }

    /// Accepts for the server until it closes, and ends the server where the socket ends.
    /// - Parameters:
    ///   - server: Hummingbird's, which has bound ``unusedAddress``.
    ///   - acceptance: when connections are accepted.
    func lead(to server: any Channel, within acceptance: some AvailableConnectionsDelegate) async throws {
        removeDirectory()
        server.closeFuture.whenComplete { [channel] _ in channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in server.close(promise: nil) }
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.addHandlers(
                [AvailableConnectionsChannelHandler(delegate: acceptance), LeadingHandler(server)], position: .first)
        }.get()
        try await channel.setOption(.autoRead, value: true).get()
    }

    /// Lets go of the socket, also where no server came.
    func end() {
        channel.close(promise: nil)
        removeDirectory()
    }

    private func removeDirectory() {
        unlink(unusedPath)
        rmdir(directory)
    }

    /// Gives accepted connections to the pipeline of another server's channel.
    private final class LeadingHandler: ChannelInboundHandler {
        typealias InboundIn = any Channel

        private let server: any Channel

        init(_ server: any Channel) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let connection = unwrapInboundIn(data)
            server.eventLoop.execute { [server] in
                // Nothing else closes one that came while the server closed.
                guard server.isActive else { return connection.close(promise: nil) }
                server.pipeline.syncOperations.fireChannelRead(NIOAny(connection))
                server.pipeline.syncOperations.fireChannelReadComplete()
            }
        }
    }
}
