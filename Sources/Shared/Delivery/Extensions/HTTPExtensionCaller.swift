import CountersignCore
import Foundation
import NIOSSL
import Synchronization

/// Calls custom authentication extensions over HTTP, and only at addresses that the rules admit (``OutboundHTTP``).
public final class HTTPExtensionCaller: ExtensionCaller {
    public struct Options: Sendable {
        public var rules: AddressRules
        /// Nil trusts what the system trusts.
        public var trustRoots: NIOSSLTrustRoots?
        /// Where clients reach the server, unless changed by ``HTTPExtensionCaller/tell(publicURL:)``.
        public var publicURL: String
        /// Waits until a call of that time-out is given up. Another for tests, which must not hang on how fast a machine is.
        public var deadline: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }

        public init(
            rules: AddressRules = AddressRules(), trustRoots: NIOSSLTrustRoots? = nil,
            publicURL: String = "http://127.0.0.1:8080"
        ) {
            self.rules = rules
            self.trustRoots = trustRoots
            self.publicURL = publicURL
        }
    }

    private let http: OutboundHTTP
    private let base: Mutex<@Sendable () -> String>

    public convenience init(_ options: Options = Options()) {
        let lookup = NameLookup()
        self.init(options, lookUp: { try await lookup.addresses(of: $0) })
    }

    /// - Parameter lookUp: the addresses of a host.
    init(_ options: Options, lookUp: @escaping @Sendable (_ host: String) async throws -> [NetworkAddress]) {
        http = OutboundHTTP(
            options.rules, trustRoots: options.trustRoots, admitsPlainLoopback: true, deadline: options.deadline,
            lookUp: lookUp)
        let url = options.publicURL
        base = Mutex { url }
    }

    public var publicURL: String { base.withLock { $0 }() }

    /// Says where clients reach the server.
    public func tell(publicURL: @escaping @Sendable () -> String) {
        base.withLock { $0 = publicURL }
    }

    /// Lets go of all connections.
    public func shutDown() async { await http.shutDown() }

    public func post(_ call: ExtensionCall) async -> ExtensionReply {
        var exchange = OutboundHTTP.Exchange(
            .post(call.body, type: "application/json"), call.url,
            headers: [
                (name: "Accept", value: "application/json"),
                (name: "Authorization", value: "Bearer \(call.bearer.reveal())"),
            ], timeout: call.timeout, bodyLimit: call.bodyLimit)
        exchange.sendsQuery = false
        switch await http.send(exchange) {
        case .success(let answer):
            return .answered(status: answer.status, contentType: answer.headers("Content-Type"), body: answer.body)
        case .failure(.malformedURL): return .failed(ExtensionFailure(.incorrectTargetUrlFormat))
        case .failure(.unknownName):
            return .failed(ExtensionFailure(.connectionError, "the name has no address"))
        case .failure(.blocked): return .failed(ExtensionFailure(.blocked))
        case .failure(.timedOut): return .failed(ExtensionFailure(.timedOut))
        case .failure(.tooLarge): return .failed(ExtensionFailure(.responseSizeExceeded))
        case .failure(.connection(let kind)): return .failed(ExtensionFailure(.connectionError, kind))
        }
    }
}
