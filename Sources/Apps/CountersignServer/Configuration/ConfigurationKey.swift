/// What can be configured. The raw value is the key in files; a dot separates a section from what is in it.
public enum ConfigurationKey: String, CaseIterable, Sendable {
    /// The address and port on which the server accepts connections. One that is not loopback needs TLS, or a proxy
    /// that ends it.
    case listen
    /// The directory of the database, the master key and the administrator's token.
    case data
    /// The URL of the PostgreSQL database that servers share, instead of SQLite in ``data``. It may hold a password.
    case database
    /// Seconds that connecting to one address of PostgreSQL may take.
    case postgresConnectTimeout = "postgres.connectTimeout"
    /// Seconds that one statement may take in PostgreSQL.
    case postgresStatementTimeout = "postgres.statementTimeout"
    /// Seconds that a transaction may take in PostgreSQL, from its beginning to its commit.
    case postgresTransactionTimeout = "postgres.transactionTimeout"
    /// Seconds that a starting server waits for a PostgreSQL that it cannot reach; 0 waits without limit.
    case postgresStartTimeout = "postgres.startTimeout"
    /// Whether everything that is weaker for laptops and CI is on.
    case dev
    /// Whether a server under ``dev`` may be reached from other machines, whose users can then read all mails and sign
    /// in as any user.
    case devOnNetwork
    /// The URLs by which clients reach the server. The first is the base of token issuers and of links in mails.
    case publicURL
    /// The project that Firebase clients name: the audience of their ID tokens.
    case projectID
    /// What the pages call the service.
    case serviceName
    /// The directory of the operator's theme for the pages.
    case themeDirectory = "theme.directory"
    /// The path of the server's certificate in PEM, followed in the same file by those up to its root.
    case tlsCertificate = "tls.certificate"
    /// The path of the certificate's private key in PEM.
    case tlsKey = "tls.key"
    /// Whether a proxy in front of the server ends TLS and names the clients.
    case tlsEndedByProxy = "tls.endedByProxy"
    /// The header in which that proxy names the client; the server ignores the other one.
    case proxyHeader = "proxy.header"
    /// The addresses or networks that the proxy connects from. Without it every peer is taken for the proxy.
    case proxyTrusted = "proxy.trusted"
    /// How many connections may be open at once.
    case httpMaxConnections = "http.maxConnections"
    /// How many connections one address may have open at once (IPv6: one /64).
    case httpMaxConnectionsPerSource = "http.maxConnectionsPerSource"
    /// An address for metrics alone, without TLS and without the administrator's token.
    case metricsListen = "metrics.listen"
    /// The path of the file with the master key, where it is not in ``data``.
    case masterKeyFile = "masterKey.file"
    /// An open descriptor that the master key is read from, once, at the start.
    case masterKeyDescriptor = "masterKey.descriptor"
    /// The memory of a password hash (Argon2id), in MiB.
    case passwordsMemory = "passwords.memoryMiB"
    /// The passes of a password hash (Argon2id).
    case passwordsOperations = "passwords.operations"
    /// How many password hashes are computed at once.
    case passwordsThreads = "passwords.threads"
    /// How many password hashes may run and wait together. Requests beyond it are answered with 503.
    case passwordsQueueLimit = "passwords.queueLimit"
    /// The sender of all mails; required with ``mailSMTPURL``.
    case mailFrom = "mail.from"
    /// The directory of the operator's texts for mails.
    case mailTemplates = "mail.templates"
    /// The server that takes all mails. Without it mails wait in the outbox.
    case mailSMTPURL = "mail.smtp.url"
    /// The name of the login at the mail server.
    case mailSMTPUser = "mail.smtp.user"
    /// The password of that login. It is a secret, so that ``mailSMTPPasswordFile`` is the better place.
    case mailSMTPPassword = "mail.smtp.password"
    /// The path of a file that contains the password of that login, and nothing else.
    case mailSMTPPasswordFile = "mail.smtp.passwordFile"
    /// The path of the authorities that may vouch for the mail server, in PEM, instead of the system's.
    case mailSMTPAuthorities = "mail.smtp.authorities"
    /// Whether the connection to the mail server has to be encrypted.
    case mailSMTPEncryption = "mail.smtp.encryption"
    /// Networks that are not public and in which the server may call services of the operator's.
    case extensionsAllowedNetworks = "extensions.allowedNetworks"
    /// The path of the authorities that may vouch for those services, in PEM, instead of the system's.
    case extensionsAuthorities = "extensions.authorities"
    /// The least important level that is logged.
    case logLevel = "log.level"
    /// Whether lines of the log are text or JSON.
    case logFormat = "log.format"
    /// Whether each request is a line of the log at `info`.
    case logAccess = "log.access"
    /// The OpenTelemetry collector that gets spans (OTLP over HTTP). Without it none are made.
    case tracingURL = "tracing.url"
    /// The share of the traces that begin at this server and are recorded.
    case tracingShare = "tracing.share"
    /// The path of a file with headers for the collector, such as its API key. It is read as a secret.
    case tracingHeadersFile = "tracing.headersFile"
    /// What spans say of this server beside its name, version and process.
    case tracingAttributes = "tracing.attributes"

    /// The variable of the environment: `COUNTERSIGN_` and the key in capitals, with an underscore between its words.
    public var environmentName: String { Self.environmentNames[self] ?? spelled() }

    /// A start looks for each of them in several places.
    private static let environmentNames = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.spelled()) })

    /// Keys are of ASCII letters and dots.
    private func spelled() -> String {
        var name = Array(Self.environmentPrefix.utf8)
        var previous = UInt8(ascii: ".")
        for byte in rawValue.utf8 {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            // "MiB" is one word, and no other has a capital there.
            let followsSmall =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(previous)
                && !(byte == UInt8(ascii: "B") && previous == UInt8(ascii: "i"))
            if isCapital, followsSmall { name.append(UInt8(ascii: "_")) }
            switch byte {
            case UInt8(ascii: "."): name.append(UInt8(ascii: "_"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): name.append(byte - 0x20)
            default: name.append(byte)
            }
            previous = byte
        }
        return String(decoding: name, as: UTF8.self)
    }

    static let environmentPrefix = "COUNTERSIGN_"

    /// The option of the command line: `--tls-certificate`.
    public var flagName: String {
        let name = environmentName.utf8.dropFirst(Self.environmentPrefix.utf8.count)
        let letters = name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 | 0x20 }
        return "--" + String(decoding: letters, as: UTF8.self)
    }

    /// Variables that clients of the server and administrative commands read. The server leaves them alone.
    public static let environmentOfClients: Set<String> = [
        "COUNTERSIGN_URL", "COUNTERSIGN_API_KEY", "COUNTERSIGN_ADMIN_TOKEN",
    ]

    /// The variable that names the file, for the server and for commands beside it.
    public static let environmentOfFile = "COUNTERSIGN_CONFIG"

    /// What means nothing without a mail server.
    static let ofMailServer: [ConfigurationKey] = [
        .mailFrom, .mailSMTPUser, .mailSMTPPassword, .mailSMTPPasswordFile, .mailSMTPAuthorities, .mailSMTPEncryption,
    ]

    /// What means nothing without a collector.
    static let ofTracing: [ConfigurationKey] = [.tracingShare, .tracingHeadersFile, .tracingAttributes]

    /// Whether a value, in a file, may be a secret.
    var isSecret: Bool { self == .mailSMTPPassword || self == .database }

    static let connectionRange = 1...10_000_000
    private static let connections = "\(connectionRange.lowerBound) to \(connectionRange.upperBound)"

    /// The type, default and range as the documentation has them.
    public var documentation: (type: String, standard: String, range: String) {
        switch self {
        case .listen: ("`HOST:PORT`", "`127.0.0.1:8080`", "port 0 to 65535")
        case .data: ("path", "`./countersign-data`; `./countersign-dev-data` under `dev`", "not empty")
        case .database: ("URL", "SQLite in `data`", "`postgres://…` or `postgresql://…`")
        case .postgresConnectTimeout: ("integer, seconds", "`5`", "2 to 600")
        case .postgresStatementTimeout, .postgresTransactionTimeout: ("integer, seconds", "`5`", "1 to 600")
        case .postgresStartTimeout: ("integer, seconds", "`0`, until it is there", "0 to 86400")
        case .dev: ("Boolean", "`false`", "`true`, `false`")
        case .devOnNetwork: ("Boolean", "`false`", "`true`, `false`")
        case .publicURL: ("list of URLs", "`http(s)://` + `listen`", "`http` or `https`, with a host")
        case .projectID: ("text", "`countersign`", "1 to 63 letters, digits, `-`, `.`, `_`, `:`")
        case .serviceName: ("text", "`Countersign`", "1 to 60 characters on one line")
        case .themeDirectory: ("path", "none", "a directory as [pages.md](pages.md) describes it")
        case .tlsCertificate: ("path", "none", "a readable PEM file")
        case .tlsKey: ("path", "none", "a readable PEM file")
        case .tlsEndedByProxy: ("Boolean", "`false`", "`true`, `false`")
        case .proxyHeader: ("name", "`x-forwarded-for`", "`x-forwarded-for`, `forwarded`")
        case .proxyTrusted: ("list of networks", "every peer", "such as `127.0.0.1`, `::1`, `10.1.0.0/16`")
        case .httpMaxConnections: ("integer", "open files less 256", Self.connections)
        case .httpMaxConnectionsPerSource: ("integer", "a quarter of `http.maxConnections`", Self.connections)
        case .metricsListen: ("`HOST:PORT`", "none", "port 0 to 65535")
        case .masterKeyFile: ("path", "a file in `data`", "a readable file")
        case .masterKeyDescriptor: ("integer", "none", "0, or 3 to 65535")
        case .passwordsMemory: ("integer, MiB", "`19`", "1 to 1024")
        case .passwordsOperations: ("integer, passes", "`2`", "1 to 64")
        case .passwordsThreads: ("integer, threads", "one for each core", "1 to 256")
        case .passwordsQueueLimit: ("integer, hashes", "1024 for each thread", "1 to 100000")
        case .mailFrom: ("address", "none", "`login@example.com` or `Name <login@example.com>`")
        case .mailTemplates: ("path", "ours", "a directory of templates")
        case .mailSMTPURL: ("URL", "none", "`smtp://…` or `smtps://…`, without a login")
        case .mailSMTPUser: ("text", "none", "one line")
        case .mailSMTPPassword: ("text", "none", "one line")
        case .mailSMTPPasswordFile: ("path", "none", "a readable file")
        case .mailSMTPAuthorities: ("path", "the system's", "a readable PEM file")
        case .mailSMTPEncryption: ("name", "`required`", "`required`, `none`")
        case .extensionsAllowedNetworks: ("list of networks", "none", "such as `10.1.0.0/16`, `fd00::/8`, `127.0.0.1`")
        case .extensionsAuthorities: ("path", "the system's", "a readable PEM file")
        case .logLevel:
            ("name", "`info`", "`trace`, `debug`, `info`, `notice`, `warning`, `error`, `critical`")
        case .logFormat: ("name", "`text`", "`text`, `json`")
        case .logAccess: ("Boolean", "`false`", "`true`, `false`")
        case .tracingURL: ("URL", "none", "`http` or `https`, with a host")
        case .tracingShare: ("number", "`1`", "0 to 1")
        case .tracingHeadersFile: ("path", "none", "a readable file with lines `Name: value`")
        case .tracingAttributes: ("list of `name=value`", "none", "at most 32")
        }
    }
}
