import Foundation
import TestSupport

/// A certificate that signed itself, and its key, for one test.
final class ServedCertificateFiles: Sendable {
    let folder: URL

    enum Kind: String, CaseIterable, Sendable {
        case ecdsa
        case rsa

        fileprivate var arguments: [String] {
            switch self {
            case .ecdsa: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
            case .rsa: ["-newkey", "rsa:2048"]
            }
        }
    }

    init(_ kind: Kind = .ecdsa) async throws {
        guard let openssl = Tool(named: "openssl") else { throw MissingTool(name: "openssl") }
        folder = try TestRun.place(for: "certificate")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = try await openssl.run(
            ["req", "-x509", "-nodes", "-days", "9", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate]
                + kind.arguments)
        guard made.status == 0 else { throw ServerDidNotStart(said: made.errors) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private var key: String { folder.appendingPathComponent("key.pem").path }
    private var certificate: String { folder.appendingPathComponent("certificate.pem").path }

    /// What `serve` takes.
    var arguments: [String] { ["--tls-certificate", certificate, "--tls-key", key] }
}
