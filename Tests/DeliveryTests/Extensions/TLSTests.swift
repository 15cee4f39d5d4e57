import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import OutboundTLS
import ServiceLifecycle
import TestSupport
import Testing

@testable import Delivery

@Suite("Calls to extensions over TLS")
struct ExtensionTLSTests {
    /// Serves `{}` as `localhost` for as long as the body runs, which is given the port.
    private func serving(
        _ authority: TestAuthority, upTo version: TLSVersion? = nil,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let router = Router()
        router.post("/") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "{}")))
        }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(authority.certificate.utf8)).map {
                .certificate($0)
            }, privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(authority.key.utf8), format: .pem)))
        tls.applicationProtocols = ["http/1.1"]
        tls.maximumTLSVersion = version
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let silent = Logger(label: "service") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router, server: try .tls(.http1(), tlsConfiguration: tls),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: {
                announce.yield($0.localAddress?.port ?? 0)
                announce.finish()
            }, logger: silent)
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: application)], logger: silent))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { announce.finish() }
                try await group.run()
            }
            var port: Int?
            for await announced in ports { port = announced }
            let result: Result<Void, any Error>
            do { result = .success(try await body(try #require(port))) } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try result.get()
        }
    }

    private func post(_ url: String, trusting root: String?) async throws -> ExtensionReply {
        let roots = try root.map {
            NIOSSLTrustRoots.certificates(try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)))
        }
        // Both names lead to the service: the certificate has to be for the one that was asked for.
        let caller = HTTPExtensionCaller(
            HTTPExtensionCaller.Options(rules: AddressRules(allowed: AddressRules.loopback), trustRoots: roots),
            lookUp: { _ in [try #require(NetworkAddress("127.0.0.1"))] })
        let reply = await caller.post(
            ExtensionCall(
                url: url, bearer: Secret("t"), body: Data("{}".utf8), timeout: .seconds(120), bodyLimit: 1000))
        await caller.shutDown()
        return reply
    }

    @Test
    func `A certificate has to be of the name, and of an authority that is trusted`() async throws {
        let authority = try TestAuthority()
        try await serving(authority) { port in
            guard case .answered(200, _, _) = try await post("https://localhost:\(port)/", trusting: authority.root)
            else {
                Issue.record("a trusted certificate of the name")
                return
            }
            for (url, root) in [
                ("https://other.example:\(port)/", authority.root), ("https://localhost:\(port)/", nil),
                ("https://localhost:\(port)/", try TestAuthority().root),
            ] {
                guard case .failed(let failure) = try await post(url, trusting: root) else {
                    Issue.record("\(url) was taken")
                    return
                }
                #expect(failure.code == .connectionError)
            }
        }
    }

    /// RFC 9325, section 3.1.1. Every client has this configuration, as `scripts/check-seams` sees.
    @Test
    func `No version of TLS before 1.2 is spoken, and certificates are verified`() async throws {
        let configuration = TLSConfiguration.outbound()
        #expect(configuration.minimumTLSVersion == .tlsv12 && configuration.maximumTLSVersion == nil)
        #expect(configuration.certificateVerification == .fullVerification)
        let authority = try TestAuthority()
        for (version, isSpoken) in [(TLSVersion.tlsv12, true), (TLSVersion.tlsv11, false)] {
            try await serving(authority, upTo: version) { port in
                switch try await post("https://localhost:\(port)/", trusting: authority.root) {
                case .answered(let status, _, _): #expect(isSpoken && status == 200)
                case .failed(let failure): #expect(!isSpoken && failure.code == .connectionError)
                }
            }
        }
    }
}
