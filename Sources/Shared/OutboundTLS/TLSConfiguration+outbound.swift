import NIOSSL

extension TLSConfiguration {
    /// For connections that are made to others: TLS 1.2 and 1.3, as for mail; the library would take 1.0 (RFC 9325, section
    /// 3.1.1). Certificates and names are verified.
    /// - Parameter roots: nil trusts what the system trusts.
    public static func outbound(trusting roots: NIOSSLTrustRoots? = nil) -> TLSConfiguration {
        var configuration = makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let roots { configuration.trustRoots = roots }
        return configuration
    }
}
