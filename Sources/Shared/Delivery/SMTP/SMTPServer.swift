import CountersignCore
import Foundation

/// The mail server that takes our mails, and how it is spoken to.
public struct SMTPServer: Sendable {
    public enum Encryption: String, Sendable, CaseIterable {
        /// TLS from the first byte (`smtps:`), or `STARTTLS` before anything is said; without it nothing is sent.
        case required
        /// Plain text.
        case none
    }

    public var host: String
    public var port: Int
    /// `smtps:`, TLS from the first byte.
    public var isImplicitTLS: Bool
    public var encryption: Encryption
    /// Nil where the server accepts mails without a login.
    public var login: Login?
    /// A PEM file of authorities to trust instead of the system's.
    public var authorities: String?
    /// Seconds that one mail may take.
    public var timeout: Int

    public struct Login: Sendable {
        public var user: String
        public var password: Secret<String>

        public init(user: String, password: Secret<String>) {
            self.user = user
            self.password = password
        }
    }

    public init(
        host: String, port: Int, isImplicitTLS: Bool = false, encryption: Encryption = .required,
        login: Login? = nil, authorities: String? = nil, timeout: Int = 30
    ) {
        self.host = host
        self.port = port
        self.isImplicitTLS = isImplicitTLS
        self.encryption = encryption
        self.login = login
        self.authorities = authorities
        self.timeout = timeout
    }

    /// `smtp://host[:port]` or `smtps://host[:port]`; nil for anything else, and for what says more.
    public init?(url text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["smtp", "smtps"].contains(scheme), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.query == nil, parts.fragment == nil, ["", "/"].contains(parts.path),
            (1...65_535).contains(parts.port ?? 1), host.utf8.allSatisfy(Self.isHost)
        else { return nil }
        self.init(host: host, port: parts.port ?? (scheme == "smtps" ? 465 : 587), isImplicitTLS: scheme == "smtps")
    }

    private static func isHost(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-.:[]".utf8.contains(byte)
    }

    /// The options for libcurl.
    var url: String { "\(isImplicitTLS ? "smtps" : "smtp")://\(host):\(port)" }
}
