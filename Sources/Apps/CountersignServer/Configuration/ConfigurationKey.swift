/// What can be configured. The raw value is the key in files; a dot separates a section from what is in it.
public enum ConfigurationKey: String, CaseIterable, Sendable {
    case listen
    case data
    case database
    case postgresConnectTimeout = "postgres.connectTimeout"
    case postgresStatementTimeout = "postgres.statementTimeout"
    case postgresTransactionTimeout = "postgres.transactionTimeout"
    case postgresStartTimeout = "postgres.startTimeout"
    case dev
    case devOnNetwork
    case publicURL
    case projectID
    case serviceName
    case themeDirectory = "theme.directory"
    case tlsCertificate = "tls.certificate"
    case tlsKey = "tls.key"
    case tlsEndedByProxy = "tls.endedByProxy"
    case proxyHeader = "proxy.header"
    case proxyTrusted = "proxy.trusted"
    case httpMaxConnections = "http.maxConnections"
    case httpMaxConnectionsPerSource = "http.maxConnectionsPerSource"
    case metricsListen = "metrics.listen"
    case masterKeyFile = "masterKey.file"
    case masterKeyDescriptor = "masterKey.descriptor"
    case passwordsMemory = "passwords.memoryMiB"
    case passwordsOperations = "passwords.operations"
    case passwordsThreads = "passwords.threads"
    case passwordsQueueLimit = "passwords.queueLimit"
    case mailFrom = "mail.from"
    case mailTemplates = "mail.templates"
    case mailSMTPURL = "mail.smtp.url"
    case mailSMTPUser = "mail.smtp.user"
    case mailSMTPPassword = "mail.smtp.password"
    case mailSMTPPasswordFile = "mail.smtp.passwordFile"
    case mailSMTPAuthorities = "mail.smtp.authorities"
    case mailSMTPEncryption = "mail.smtp.encryption"
    case extensionsAllowedNetworks = "extensions.allowedNetworks"
    case extensionsAuthorities = "extensions.authorities"
    case logLevel = "log.level"
    case logFormat = "log.format"
    case logAccess = "log.access"
    case tracingURL = "tracing.url"
    case tracingShare = "tracing.share"
    case tracingHeadersFile = "tracing.headersFile"
    case tracingAttributes = "tracing.attributes"

    /// The variable of the environment: `COUNTERSIGN_` and the key in capitals, with an underscore between its words.
    public var environmentName: String {
        var name = Self.environmentPrefix
        var previous: Character = "."
        // "MiB" is one word.
        for character in rawValue.replacing("MiB", with: "Mib") {
            if character == "." {
                name += "_"
            } else {
                if character.isUppercase, previous.isLowercase { name += "_" }
                name += character.uppercased()
            }
            previous = character
        }
        return name
    }

    static let environmentPrefix = "COUNTERSIGN_"

    /// The option of the command line: `--tls-certificate`.
    public var flagName: String {
        "--" + environmentName.dropFirst("COUNTERSIGN_".count).lowercased().replacing("_", with: "-")
    }

    /// Variables that clients of the server and administrative commands read. The server leaves them alone.
    public static let environmentOfClients: Set<String> = [
        "COUNTERSIGN_URL", "COUNTERSIGN_API_KEY", "COUNTERSIGN_ADMIN_TOKEN",
    ]

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
