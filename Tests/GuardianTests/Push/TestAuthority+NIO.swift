import NIOSSL
import TestSupport

extension TestAuthority {
    func trustRoot() throws -> NIOSSLCertificate { try NIOSSLCertificate(bytes: Array(root.utf8), format: .pem) }

    /// - Parameter protocols: what the server speaks, by ALPN.
    func tls(protocols: [String] = ["h2"]) throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        tls.applicationProtocols = protocols
        return tls
    }
}
