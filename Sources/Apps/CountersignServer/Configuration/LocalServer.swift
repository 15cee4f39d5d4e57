import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import OutboundTLS

/// The server of this machine, or of this container, as programs beside it reach it: by the loopback address, and by TLS where the
/// server ends TLS itself (docs/decisions/0481).
public struct LocalServer: Sendable, Equatable {
    /// Where it listens; loopback in place of every interface.
    public let address: ListenAddress
    /// The path of its certificate; nil where it is asked by plain http.
    public let certificate: String?

    /// What it is called in sentences, without a slash at its end.
    public var url: String { "\(certificate == nil ? "http" : "https")://\(address)" }

    /// An answer of it.
    public struct Answer: Sendable {
        /// The status of HTTP.
        public let status: Int
        /// At most 64 KiB.
        public let body: Data
    }

    private static let keys: [ConfigurationKey] = [.listen, .tlsCertificate]
    static let bodyLimit = 65_536

    /// Reads where the server listens: the environment counts more than the file.
    /// - Parameters:
    ///   - environment: all variables of the process. `COUNTERSIGN_CONFIG` names the file where `file` does not.
    ///   - file: the path of the server's configuration.
    ///   - systemFile: read where no file is named and this user may read it.
    /// - Throws: all faults at once.
    public static func load(
        environment: [String: String] = ProcessInfo.processInfo.environment, file: String? = nil,
        systemFile: String = AdministeredData.systemFile
    ) async throws(ConfigurationFaults) -> LocalServer {
        let names = Set(keys.map(\.environmentName))
        let own = environment.filter { names.contains($0.key) }
        var file = file ?? environment[ConfigurationKey.environmentOfFile]
        if file == nil, own.isEmpty, FileManager.default.isReadableFile(atPath: systemFile) { file = systemFile }
        var sources = await ConfigurationSources(flags: [:], environment: own, file: file)
        var address = ServerConfiguration.listen(&sources)
        let certificate = ServerConfiguration.readableFile(.tlsCertificate, &sources)?.value
        if !sources.faults.isEmpty { throw ConfigurationFaults(faults: sources.faults) }
        if address.isWildcard { address.host = "127.0.0.1" }
        return LocalServer(address: address, certificate: certificate)
    }

    /// Asks it by TLS.
    ///
    /// No name is compared, since certificates do not name the loopback address: the server has to show the very certificate that
    /// the file has, whose key it then has too.
    /// - Parameters:
    ///   - path: of the request, without a query.
    ///   - seconds: until the whole answer must have come, the connection and its handshake included.
    /// - Throws: ``LocalServerError``.
    public func get(_ path: String, seconds: Int) async throws -> Answer {
        let deadline = NIODeadline.now() + .seconds(Int64(seconds))
        let tooLate = LocalServerError.tooLate(seconds: seconds)
        guard let certificate, let own = try? NIOSSLCertificate.fromPEMFile(certificate).first else {
            throw LocalServerError.noCertificate(certificate ?? "")
        }
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Answer.self)
        let channel: any Channel
        do {
            var configuration = TLSConfiguration.outbound(trusting: .certificates([own]))
            // What is shown is judged below: a name would be looked for in addition, and the system's authorities, which it may lack, be read.
            configuration.certificateVerification = .noHostnameVerification
            let context = try NIOSSLContext(configuration: configuration)
            channel = try await ClientBootstrap(group: promise.futureResult.eventLoop)
                .connectTimeout(.seconds(Int64(seconds)))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let tls = try NIOSSLClientHandler(
                            context: context, serverHostname: nil,
                            customVerificationCallback: { shown, verified in
                                if shown.first != own { promise.fail(LocalServerError.otherCertificate(certificate)) }
                                verified.succeed(shown.first == own ? .certificateVerified : .failed)
                            })
                        try channel.pipeline.syncOperations.addHandler(tls)
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(Reader(promise))
                    }
                }
                .connect(host: address.host, port: address.port).get()
        } catch {
            promise.fail(error)
            if case ChannelError.connectTimeout = error { throw tooLate }
            throw LocalServerError.noAnswer("\(error)")
        }
        // One time for all: what the connection took is no longer there for the answer.
        let end = channel.eventLoop.scheduleTask(deadline: deadline) { promise.fail(tooLate) }
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
        head.headers.add(name: "Host", value: "\(address)")
        head.headers.add(name: "Connection", value: "close")
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        defer {
            end.cancel()
            channel.close(promise: nil)
        }
        do {
            return try await promise.futureResult.get()
        } catch let error as LocalServerError {
            throw error
        } catch {
            throw LocalServerError.noAnswer("\(error)")
        }
    }

    /// Gathers one answer.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let promise: EventLoopPromise<Answer>
        private var status = 0
        private var body = Data()

        init(_ promise: EventLoopPromise<Answer>) { self.promise = promise }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): status = Int(head.status.code)
            case .body(let part):
                body.append(contentsOf: part.readableBytesView)
                if body.count > LocalServer.bodyLimit {
                    promise.fail(LocalServerError.noAnswer("the answer is longer than \(LocalServer.bodyLimit) bytes"))
                }
            case .end: promise.succeed(Answer(status: status, body: body))
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            promise.fail(error)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            promise.fail(LocalServerError.noAnswer("the connection was closed before an answer"))
            context.fireChannelInactive()
        }
    }
}

/// Why the server of this machine gave no answer by TLS.
public enum LocalServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file of that path has no certificate to compare with.
    case noCertificate(String)
    /// What listens there shows another certificate than the file of that path has.
    case otherCertificate(String)
    /// Nothing came; with what the system says.
    case noAnswer(String)
    /// No complete answer came in that many seconds.
    case tooLate(seconds: Int)

    public var description: String {
        switch self {
        case .noCertificate(let path): "\(path) has no certificate in PEM. Name the server's with tls.certificate."
        case .otherCertificate(let path):
            "What listens there shows another certificate than \(path) has. A server rereads the file within 10 s; its log says "
                + "where it cannot be used."
        case .tooLate(let seconds): "No complete answer came in \(seconds) s."
        case .noAnswer(let reason): "The server could not be reached: \(reason)."
        }
    }
}
