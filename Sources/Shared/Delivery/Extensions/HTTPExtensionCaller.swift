import AsyncHTTPClient
import CountersignCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Calls custom authentication extensions over HTTP, and only at addresses that the rules admit.
///
/// The name is looked up here, each of its addresses judged, and the connection made to one that was: a name server that
/// answers otherwise a moment later changes nothing. Redirects are not followed, proxies not asked.
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

    /// Addresses of one name that are tried.
    private static let addressLimit = 3
    /// What the system says of an address where nothing was sent to.
    private static let unreached = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT]

    private let rules: AddressRules
    private let deadline: @Sendable (Duration) async -> Void
    private let clients: PinnedClients
    private let lookUp: @Sendable (_ host: String) async throws -> [NetworkAddress]
    private let base: Mutex<@Sendable () -> String>

    public convenience init(_ options: Options = Options()) {
        let lookup = NameLookup()
        self.init(options, lookUp: { try await lookup.addresses(of: $0) })
    }

    /// - Parameter lookUp: the addresses of a host.
    init(_ options: Options, lookUp: @escaping @Sendable (_ host: String) async throws -> [NetworkAddress]) {
        rules = options.rules
        deadline = options.deadline
        clients = PinnedClients(trustRoots: options.trustRoots)
        self.lookUp = lookUp
        let url = options.publicURL
        base = Mutex { url }
    }

    public var publicURL: String { base.withLock { $0 }() }

    /// Says where clients reach the server.
    public func tell(publicURL: @escaping @Sendable () -> String) {
        base.withLock { $0 = publicURL }
    }

    /// Lets go of all connections.
    public func shutDown() async { await clients.shutDown() }

    public func post(_ call: ExtensionCall) async -> ExtensionReply {
        await withTaskGroup(of: ExtensionReply.self) { tasks in
            tasks.addTask { await self.exchange(call) }
            tasks.addTask {
                await self.deadline(call.timeout)
                return .failed(ExtensionFailure(.timedOut))
            }
            let first = await tasks.next() ?? .failed(ExtensionFailure(.unexpectedError))
            tasks.cancelAll()
            return first
        }
    }

    private func exchange(_ call: ExtensionCall) async -> ExtensionReply {
        guard let target = Target(call.url) else { return .failed(ExtensionFailure(.incorrectTargetUrlFormat)) }
        let found: [NetworkAddress]
        if let literal = NetworkAddress(target.host) {
            found = [literal]
        } else {
            do { found = try await lookUp(target.host) } catch {
                return .failed(ExtensionFailure(.connectionError, "the name has no address"))
            }
        }
        let admitted = found.filter { rules.admits($0) && (target.isEncrypted || $0.isLoopback) }
        guard !admitted.isEmpty else { return .failed(ExtensionFailure(.blocked)) }
        var reply = ExtensionReply.failed(ExtensionFailure(.connectionError))
        for address in admitted.prefix(Self.addressLimit) {
            let isOver: Bool
            (reply, isOver) = await exchange(call, target, at: address)
            if isOver || Task.isCancelled { break }
        }
        return reply
    }

    /// - Returns: what came of it, and whether the service may have heard the call: then no other address is tried.
    private func exchange(
        _ call: ExtensionCall, _ target: Target, at address: NetworkAddress
    ) async -> (ExtensionReply, isOver: Bool) {
        var request = HTTPClientRequest(url: target.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Authorization", value: "Bearer \(call.bearer.reveal())")
        request.headers.add(name: "User-Agent", value: "Countersign")
        request.body = .bytes(ByteBuffer(bytes: call.body))
        let prepared = request
        do {
            return try await clients.withClient(for: target.hostInURL, at: address) { client in
                let response = try await client.execute(prepared, deadline: .distantFuture)
                let type = response.headers["Content-Type"]
                // Of a refusal the status is enough.
                guard response.status == .ok else {
                    return (
                        .answered(status: Int(response.status.code), contentType: type, body: Data()), isOver: true
                    )
                }
                var body = try await response.body.collect(upTo: call.bodyLimit)
                let bytes = Data(body.readBytes(length: body.readableBytes) ?? [])
                return (.answered(status: 200, contentType: type, body: bytes), isOver: true)
            }
        } catch is NIOTooManyBytesError {
            return (.failed(ExtensionFailure(.responseSizeExceeded)), isOver: true)
        } catch let error as HTTPClientError where error == .connectTimeout {
            return (.failed(ExtensionFailure(.timedOut)), isOver: false)
        } catch {
            // Its text may name what is not for the log; the type tells a refused connection from a bad certificate.
            let isUnheard = error is NIOConnectionError || Self.unreached.contains((error as? IOError)?.errnoCode ?? 0)
            return (.failed(ExtensionFailure(.connectionError, "\(type(of: error))")), isOver: !isUnheard)
        }
    }
}

/// A URL taken apart once, so that what is judged is what is called.
private struct Target {
    /// Put together from the parts.
    let url: String
    /// Without the brackets of IPv6.
    let host: String
    let hostInURL: String
    let isEncrypted: Bool

    init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            let written = parts.encodedHost?.lowercased(), !written.isEmpty, parts.user == nil, parts.password == nil
        else { return nil }
        let host = written.hasPrefix("[") && written.hasSuffix("]") ? String(written.dropFirst().dropLast()) : written
        let isVersion6 = host.contains(":")
        // Nothing that two parsers could read differently.
        let isPlain = host.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (97...122).contains(byte) || byte == 45 || byte == 46 || byte == 58
        }
        guard isPlain, !isVersion6 || NetworkAddress(host) != nil else { return nil }
        let authority = (isVersion6 ? "[\(host)]" : host) + (parts.port.map { ":\($0)" } ?? "")
        url = "\(scheme)://\(authority)\(parts.percentEncodedPath)"
        guard let read = URL(string: url)?.host, read == host || read == "[\(host)]" else { return nil }
        self.host = host
        hostInURL = read
        isEncrypted = scheme == "https"
    }
}
