import Foundation
import Testing

/// What a client of TLS can negotiate, tried out by OpenSSL: versions and suites that are broken or weak are refused by the server, and
/// not only by the client's own caution.
@Suite struct TLSProbeTests {
    /// In TLS 1.2; those of TLS 1.3 are all of that kind.
    private static func suites(_ kind: ServedCertificateFiles.Kind) -> [String] {
        ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"].map {
            "ECDHE-\(kind.rawValue.uppercased())-\($0)"
        }
    }

    @Test(arguments: ServedCertificateFiles.Kind.allCases)
    func `Only forward secret authenticated encryption is negotiated`(kind: ServedCertificateFiles.Kind) async throws {
        guard let openssl = Tool(named: "openssl") else { throw MissingTool(name: "openssl") }
        let files = try await ServedCertificateFiles(kind)
        let server = try await ServerProcess(files.arguments)
        let port = try #require(server.url.port)
        func negotiate(_ arguments: [String]) async throws -> Tool.Outcome {
            try await openssl.run(["s_client", "-connect", "127.0.0.1:\(port)", "-brief"] + arguments)
        }

        for version in ["-tls1", "-tls1_1"] {
            let outcome = try await negotiate([version, "-cipher", "ALL:@SECLEVEL=0"])
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains("protocol version"), "\(version): \(outcome.errors)")
        }
        // Everything that OpenSSL has, but for what is taken.
        let others = Self.suites(kind).map { ":!\($0)" }.joined()
        let weak = try await negotiate(["-tls1_2", "-cipher", "ALL:COMPLEMENTOFALL:eNULL:@SECLEVEL=0\(others)"])
        #expect(weak.status != 0)
        #expect(weak.errors.contains("handshake failure"), "\(weak.errors)")
        for suite in Self.suites(kind) {
            let outcome = try await negotiate(["-tls1_2", "-cipher", suite])
            #expect(outcome.status == 0 && outcome.errors.contains("Ciphersuite: \(suite)"), "\(outcome.errors)")
        }
        for suite in ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"] {
            let outcome = try await negotiate(["-tls1_3", "-ciphersuites", suite])
            #expect(outcome.status == 0 && outcome.errors.contains("Ciphersuite: \(suite)"), "\(outcome.errors)")
        }
        #expect(await server.terminate() == 0)
    }
}
