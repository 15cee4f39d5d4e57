/// A configuration file that sets nothing: every key as a comment, with what it means, its range and its default.
public enum ConfigurationFile {
    /// The file as YAML. A line with one `#` is a setting, one with two explains it; a section's own line is a setting too.
    /// - Parameter values: what it sets, as YAML writes the value: `[.data: "/var/lib/countersign"]`.
    public static func commented(setting values: [ConfigurationKey: String] = [:]) -> String {
        var lines = [
            "## Countersign's configuration. `countersign serve --config FILE` reads it.",
            "##",
            "## An option of the command line counts more than a variable of the environment (COUNTERSIGN_LISTEN for `listen`),",
            "## and that more than this file. A line with one # is a setting: take the # away, and that of its section.",
        ]
        var open: [Substring] = []
        for key in inSections {
            let path = key.rawValue.split(separator: ".")
            let sections = path.dropLast()
            for (depth, section) in sections.enumerated() where depth >= open.count || open[depth] != section {
                open = Array(open.prefix(depth))
                if depth == 0 { lines.append("") }
                // A section is set where one of its keys is.
                let isSet = values.keys.contains { $0.rawValue.hasPrefix(path[...depth].joined(separator: ".") + ".") }
                lines.append("\(isSet ? "" : "#")\(indentation(depth))\(section):")
                open.append(section)
            }
            open = Array(open.prefix(sections.count))
            if sections.isEmpty { lines.append("") }
            let indentation = indentation(sections.count)
            let (type, standard, range) = key.documentation
            for line in [key.summary, "\(plain(type)), \(plain(range)); default: \(plain(standard))"] {
                lines += wrapped(line, width: 115 - indentation.count).map { "## \(indentation)\($0)" }
            }
            let isSet = values[key] != nil
            lines.append("\(isSet ? "" : "#")\(indentation)\(path.last ?? ""): \(values[key] ?? key.example)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// All keys; those of one section follow each other, its own keys before those of the sections in it.
    static var inSections: [ConfigurationKey] {
        let keys = ConfigurationKey.allCases
        let plain = keys.filter { !$0.rawValue.contains(".") }
        return plain + keys.filter { $0.rawValue.contains(".") }
    }

    private static func indentation(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

    /// What Markdown says, as a comment says it.
    private static func plain(_ text: String) -> String {
        text.replacing("[pages.md](pages.md)", with: "docs/pages.md").replacing("`", with: "")
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension ConfigurationKey {
    /// What the key does, in a sentence or two.
    public var summary: String {
        switch self {
        case .listen: "Where the server listens. An address that is not loopback needs TLS."
        case .data: "The directory of the database, the master key and the administrator's token."
        case .database:
            "A PostgreSQL database for everything that servers share. Better leave its password to ~/.pgpass."
        case .postgresConnectTimeout: "How long PostgreSQL may take to connect."
        case .postgresStatementTimeout: "How long one statement may take."
        case .postgresTransactionTimeout: "How long a whole transaction may take."
        case .postgresStartTimeout: "How long a start waits for a database that is away. 0 waits without an end."
        case .dev:
            "For laptops and CI: an inbox for all mail, an adjustable clock. Every client can sign in as any user."
        case .devOnNetwork: "Let other machines reach a server under dev."
        case .publicURL: "Where clients reach the server; the first is the base of issuers and links."
        case .projectID: "The Firebase project: the audience of its ID tokens."
        case .serviceName: "What pages, mails and authenticator apps call the service."
        case .themeDirectory: "Colours, logo and words of the pages."
        case .tlsCertificate:
            "The server's certificate, followed by the intermediate ones. A replaced file is read anew."
        case .tlsKey: "The certificate's private key."
        case .tlsEndedByProxy: "A proxy in front of the server ends TLS and names the client."
        case .proxyHeader: "The header in which the proxy names the client."
        case .proxyTrusted: "Where the proxy connects from; other peers cannot set the header."
        case .httpMaxConnections: "How many connections may be open at once."
        case .httpMaxConnectionsPerSource: "How many of them one address may have; of IPv6, one /64."
        case .metricsListen: "A separate address for /metrics, by plain http, open to every client that can connect."
        case .masterKeyFile: "The master key, outside of the data directory."
        case .masterKeyDescriptor: "An open descriptor that the master key is read from, once."
        case .passwordsMemory: "The memory of one password hash (Argon2id)."
        case .passwordsOperations: "The passes of one password hash."
        case .passwordsThreads: "How many password hashes are computed at once."
        case .passwordsQueueLimit: "How many password hashes may run and wait together."
        case .mailFrom: "The sender of all mails."
        case .mailTemplates: "Your own texts for mails."
        case .mailSMTPURL: "The mail server. Without one mails wait in the outbox."
        case .mailSMTPUser: "The login at the mail server."
        case .mailSMTPPassword: "Its password. Better name a file, with passwordFile."
        case .mailSMTPPasswordFile: "A file that contains the password alone."
        case .mailSMTPAuthorities: "The certificate authorities to trust for the mail server."
        case .mailSMTPEncryption: "Whether mails have to be encrypted on their way to the mail server."
        case .extensionsAllowedNetworks: "Private networks in which the server may call services of your own."
        case .extensionsAuthorities: "The certificate authorities to trust for those services."
        case .logLevel: "The least important level that is logged, on standard error."
        case .logFormat: "How lines are written: text for people, or json, one object a line, for collectors."
        case .logAccess: "Log each request in a line at info."
        case .tracingURL: "A collector of OpenTelemetry (OTLP over HTTP, in JSON) that gets spans."
        case .tracingShare: "Of the traces that begin here, those that are recorded."
        case .tracingHeadersFile: "Headers for the collector, such as its API key."
        case .tracingAttributes: "What is said of this server beside its name and version."
        }
    }

    /// A value that stands for what the key takes.
    var example: String {
        switch self {
        case .listen: "\"[::]:8443\""
        case .data: "/var/lib/countersign"
        case .database: "postgres://countersign@db.example.com/countersign?sslmode=verify-full"
        case .postgresConnectTimeout, .postgresStatementTimeout, .postgresTransactionTimeout: "5"
        case .postgresStartTimeout: "0"
        case .dev, .devOnNetwork, .tlsEndedByProxy, .logAccess: "false"
        case .publicURL: "[https://login.example.com]"
        case .projectID: "countersign"
        case .serviceName: "Countersign"
        case .themeDirectory: "/etc/countersign/theme"
        case .tlsCertificate: "/etc/countersign/fullchain.pem"
        case .tlsKey: "/etc/countersign/key.pem"
        case .proxyHeader: "x-forwarded-for"
        case .proxyTrusted: "[127.0.0.1, \"::1\"]"
        case .httpMaxConnections: "10000"
        case .httpMaxConnectionsPerSource: "2500"
        case .metricsListen: "127.0.0.1:9464"
        case .masterKeyFile: "/etc/countersign/master.key"
        case .masterKeyDescriptor: "3"
        case .passwordsMemory: "19"
        case .passwordsOperations: "2"
        case .passwordsThreads: "2"
        case .passwordsQueueLimit: "2048"
        case .mailFrom: "Example <login@example.com>"
        case .mailTemplates: "/etc/countersign/mail"
        case .mailSMTPURL: "smtp://mail.example.com"
        case .mailSMTPUser: "countersign"
        case .mailSMTPPassword: "\"…\""
        case .mailSMTPPasswordFile: "/etc/countersign/mail-password"
        case .mailSMTPAuthorities, .extensionsAuthorities: "/etc/ssl/certs/ca-certificates.crt"
        case .mailSMTPEncryption: "required"
        case .extensionsAllowedNetworks: "[10.1.0.0/16]"
        case .logLevel: "info"
        case .logFormat: "json"
        case .tracingURL: "http://127.0.0.1:4318"
        case .tracingShare: "0.1"
        case .tracingHeadersFile: "/etc/countersign/collector-headers"
        case .tracingAttributes: "[deployment.environment.name=production]"
        }
    }
}
