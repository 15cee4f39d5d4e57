import AsyncHTTPClient
import CountersignCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Traces

/// HTTP exchanges at addresses that others chose: services of extensions, applications that are told of a logout, key sets of
/// applications. Only addresses that the rules admit are connected to.
///
/// The name is looked up here, each of its addresses judged, and the connection made to one that was: a name server that
/// answers otherwise a moment later changes nothing. Redirects are not followed, proxies not asked.
public final class OutboundHTTP: Sendable {
    /// One request.
    public struct Exchange: Sendable {
        public enum Method: Sendable {
            case get
            /// With the body and its media type.
            case post(Data, type: String)
        }

        public var url: String
        public var method: Method
        public var headers: [(name: String, value: String)]
        /// From looking the name up until the last byte of the body.
        public var timeout: Duration
        /// Bytes that the answer's body may have; of an answer with another status than 200 no body is read, nor with 0.
        public var bodyLimit: Int
        /// Whether the URL's query is sent.
        public var sendsQuery = true
        /// Whether no administrator checked who named the address. Networks that the operator opened for services of their own are not open
        /// to it, or anyone on the Internet could name what is there.
        public var isStrangers = false

        public init(
            _ method: Method, _ url: String, headers: [(name: String, value: String)] = [], timeout: Duration,
            bodyLimit: Int
        ) {
            self.method = method
            self.url = url
            self.headers = headers
            self.timeout = timeout
            self.bodyLimit = bodyLimit
        }
    }

    public struct Answer: Sendable {
        public let status: Int
        public let body: Data
        private let fields: HTTPHeaders

        init(status: Int, body: Data, _ fields: HTTPHeaders) {
            self.status = status
            self.body = body
            self.fields = fields
        }

        /// All values of a header, whatever its case.
        public func headers(_ name: String) -> [String] { fields[name] }
    }

    /// Why there is no answer. Texts are for logs and hold nothing of what was said.
    public enum Failure: Error, Sendable, Equatable {
        case malformedURL
        case unknownName
        /// No address of the host is admitted.
        case blocked
        case timedOut
        case tooLarge
        case connection(String)

        /// For logs.
        public var reason: String {
            switch self {
            case .malformedURL: "malformed-url"
            case .unknownName: "unknown-name"
            case .blocked: "address-refused"
            case .timedOut: "timed-out"
            case .tooLarge: "too-large"
            case .connection: "connection"
            }
        }
    }

    /// Addresses of one name that are tried.
    private static let addressLimit = 3
    /// What the system says of an address where nothing was sent to.
    private static let unreached = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT]

    private let rules: AddressRules
    /// For addresses of strangers.
    private let publicRules: AddressRules
    private let admitsPlainLoopback: Bool
    private let deadline: @Sendable (Duration) async -> Void
    private let clients: PinnedClients
    private let lookUp: @Sendable (_ host: String) async throws -> [NetworkAddress]
    private let lookUpOfStrangers: @Sendable (_ host: String) async throws -> [NetworkAddress]

    /// - Parameters:
    ///   - trustRoots: nil trusts what the system trusts.
    ///   - admitsPlainLoopback: whether plain http may go to this machine, where the rules admit it.
    public convenience init(
        _ rules: AddressRules, trustRoots: NIOSSLTrustRoots? = nil, admitsPlainLoopback: Bool = false
    ) {
        // A name server that does not answer holds a place for longer than the exchange lasts: a stranger's holds one of strangers.
        let (own, strangers) = (NameLookup(), NameLookup())
        self.init(
            rules, trustRoots: trustRoots, admitsPlainLoopback: admitsPlainLoopback,
            lookUpOfStrangers: { try await strangers.addresses(of: $0) }, lookUp: { try await own.addresses(of: $0) })
    }

    /// - Parameters:
    ///   - deadline: waits until an exchange of that time-out is given up. Another for tests, which must not hang on how fast a
    ///     machine is.
    ///   - lookUpOfStrangers: the addresses of a host that a stranger named; nil looks for all in one way.
    ///   - lookUp: the addresses of a host.
    init(
        _ rules: AddressRules, trustRoots: NIOSSLTrustRoots? = nil, admitsPlainLoopback: Bool = false,
        deadline: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        lookUpOfStrangers: (@Sendable (_ host: String) async throws -> [NetworkAddress])? = nil,
        lookUp: @escaping @Sendable (_ host: String) async throws -> [NetworkAddress]
    ) {
        self.rules = rules
        publicRules = AddressRules(allowed: admitsPlainLoopback ? AddressRules.loopback : [])
        self.admitsPlainLoopback = admitsPlainLoopback
        self.deadline = deadline
        clients = PinnedClients(trustRoots: trustRoots)
        self.lookUp = lookUp
        self.lookUpOfStrangers = lookUpOfStrangers ?? lookUp
    }

    /// Lets go of all connections.
    public func shutDown() async { await clients.shutDown() }

    public func send(_ exchange: Exchange) async -> Result<Answer, Failure> {
        await withTaskGroup(of: Result<Answer, Failure>.self) { tasks in
            tasks.addTask { await self.perform(exchange) }
            tasks.addTask {
                await self.deadline(exchange.timeout)
                return .failure(.timedOut)
            }
            let first = await tasks.next() ?? .failure(.connection("none"))
            tasks.cancelAll()
            return first
        }
    }

    private func perform(_ exchange: Exchange) async -> Result<Answer, Failure> {
        guard let target = OutboundTarget(exchange.url, withQuery: exchange.sendsQuery) else {
            return .failure(.malformedURL)
        }
        let found: [NetworkAddress]
        if let literal = NetworkAddress(target.host) {
            found = [literal]
        } else {
            let lookUp = exchange.isStrangers ? lookUpOfStrangers : lookUp
            do { found = try await lookUp(target.host) } catch { return .failure(.unknownName) }
        }
        let rules = exchange.isStrangers ? publicRules : rules
        let admitted = found.filter {
            rules.admits($0) && (target.isEncrypted || admitsPlainLoopback && $0.isLoopback)
        }
        guard !admitted.isEmpty else { return .failure(.blocked) }
        var result = Result<Answer, Failure>.failure(.connection("none"))
        for address in admitted.prefix(Self.addressLimit) {
            let isOver: Bool
            (result, isOver) = await perform(exchange, target, at: address)
            if isOver || Task.isCancelled { break }
        }
        return result
    }

    /// - Returns: what came of it, and whether the service may have heard the request: then no other address is tried.
    private func perform(
        _ exchange: Exchange, _ target: OutboundTarget, at address: NetworkAddress
    ) async -> (Result<Answer, Failure>, isOver: Bool) {
        var request = HTTPClientRequest(url: target.url)
        switch exchange.method {
        case .get: request.method = .GET
        case .post(let body, let type):
            request.method = .POST
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        for (name, value) in exchange.headers { request.headers.add(name: name, value: value) }
        request.headers.add(name: "User-Agent", value: "Countersign")
        if let position = TracePosition.current {
            request.headers.replaceOrAdd(name: "traceparent", value: position.parent.header)
        }
        let prepared = request
        do {
            return try await clients.withClient(for: target.hostInURL, at: address) { client in
                let response = try await client.execute(prepared, deadline: .distantFuture)
                let status = Int(response.status.code)
                // Of a refusal the status is enough.
                guard response.status == .ok, exchange.bodyLimit > 0 else {
                    return (.success(Answer(status: status, body: Data(), response.headers)), isOver: true)
                }
                var body = try await response.body.collect(upTo: exchange.bodyLimit)
                let bytes = Data(body.readBytes(length: body.readableBytes) ?? [])
                return (.success(Answer(status: status, body: bytes, response.headers)), isOver: true)
            }
        } catch is NIOTooManyBytesError {
            return (.failure(.tooLarge), isOver: true)
        } catch let error as HTTPClientError where error == .connectTimeout {
            return (.failure(.timedOut), isOver: false)
        } catch {
            // Its text may name what is not for the log; the type tells a refused connection from a bad certificate.
            let isUnheard = error is NIOConnectionError || Self.unreached.contains((error as? IOError)?.errnoCode ?? 0)
            return (.failure(.connection("\(type(of: error))")), isOver: !isUnheard)
        }
    }
}

/// A URL taken apart once, so that what is judged is what is called.
private struct OutboundTarget {
    /// Put together from the parts.
    let url: String
    /// Without the brackets of IPv6.
    let host: String
    let hostInURL: String
    let isEncrypted: Bool

    init?(_ text: String, withQuery: Bool) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let written = parts.encodedHost?.lowercased(), !written.isEmpty,
            parts.user == nil, parts.password == nil, URLText.hasUsablePort(text), URLText.isPlainHost(written)
        else { return nil }
        let host = URLText.bareHost(written)
        let isVersion6 = host.contains(":")
        guard !isVersion6 || NetworkAddress(host) != nil else { return nil }
        let authority = (isVersion6 ? "[\(host)]" : host) + (parts.port.map { ":\($0)" } ?? "")
        let query = withQuery ? parts.percentEncodedQuery.map { "?\($0)" } ?? "" : ""
        url = "\(scheme)://\(authority)\(parts.percentEncodedPath)\(query)"
        guard let read = URL(string: url)?.host, read == host || read == "[\(host)]" else { return nil }
        self.host = host
        hostInURL = read
        isEncrypted = scheme == "https"
    }
}
