import NIOSSL

extension TLSConfiguration {
    /// TLS 1.2 and 1.3. Of TLS 1.2 only what has forward secrecy and authenticated encryption: ECDHE with AES-GCM or ChaCha20-Poly1305
    /// (RFC 9325, sections 3.1.1 and 4.2). All suites of TLS 1.3 are of that kind.
    static func serving(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) -> TLSConfiguration {
        var configuration = makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        configuration.applicationProtocols = SecureChannel.protocols
        return configuration
    }
}
