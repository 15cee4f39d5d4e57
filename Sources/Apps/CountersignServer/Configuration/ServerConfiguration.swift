import CountersignCore
import Foundation
import Logging
import PasswordHashing
import ServerHTTP

/// What the operator decides before the server starts. `docs/configuration.md` describes every key.
public struct ServerConfiguration: Sendable {
    /// Where connections are accepted: where ``socket`` listens, if there is one.
    public var listen: ListenAddress
    /// What a service manager hands on, to be accepted from; nil where the server listens itself.
    public var socket: SystemdSocket?
    /// The directory of the database, the keys and the first secrets.
    public var dataDirectory: String
    /// The URL of a PostgreSQL database, which may hold its password; nil keeps everything in `dataDirectory`.
    public var database: Secret<String>?
    /// How long PostgreSQL may take.
    public var databaseTimeouts: DatabaseTimeouts
    /// Whether everything that is weaker for laptops and CI is on.
    public var isDevelopment: Bool
    /// The URLs under which clients reach the server, without a slash at the end, as far as they were configured. Use
    /// ``baseURLs(port:)``.
    public var publicURLs: [URL]
    /// The id of the project in tokens and paths.
    public var projectID: String
    /// The server's certificate and key, where it ends TLS itself.
    public var tls: TLSFiles?
    /// Whether every connection comes from a trusted proxy, which ends TLS and names the client.
    public var tlsIsEndedByProxy: Bool
    /// How that proxy is known, and what it says.
    public var proxy: ProxyOptions
    /// How many connections there may be.
    public var connections: ConnectionOptions
    /// A separate address for metrics, open to every client that can connect; nil: beside everything else, to
    /// administrators and this machine.
    public var metricsListen: ListenAddress?
    /// Where the key comes from that seals all others.
    public var masterKey: MasterKeySource
    /// What a password hash costs.
    public var passwords: Argon2idParameters
    /// How mails are sent.
    public var mail: MailConfiguration
    /// How pages look, and what they call the service.
    public var pages: PageConfiguration
    /// Where services of the developer's own may be called.
    public var extensions: ExtensionConfiguration
    /// The least important level that is logged.
    public var logLevel: Logger.Level
    /// How a line of the log is written: as text for people, or as JSON for collectors.
    public var logFormat: LogFormat
    /// Whether each request is a line of the log.
    public var logsAccess: Bool
    /// Where spans go; nil where none are made.
    public var tracing: TracingOptions?
    /// What is allowed but should be known: to be logged at the start.
    public var warnings: [String]
    /// What was written and where; empty where nothing was read.
    public var written: [Deployment.Value] = []

    /// PEM files.
    public struct TLSFiles: Sendable, Equatable {
        /// The path of the certificate, followed in the same file by those that lead to its root.
        public var certificate: String
        /// The path of its private key.
        public var key: String

        /// Names the two files; they are read when the server starts.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Seconds.
    public struct DatabaseTimeouts: Sendable, Equatable {
        /// To connect to one address; at least 2.
        public var connect = 5
        /// For one statement, waiting for rows included.
        public var statement = 5
        /// For a transaction from its beginning to its commit.
        public var transaction = 5
        /// How long the server waits at its start for a database that cannot be reached; nil for as long as it takes.
        public var start: Int?

        /// Five seconds each, and no limit to the wait at the start.
        public init() {}
    }

    /// Where a server reads the master key. All its other keys and secrets are sealed with it.
    public enum MasterKeySource: Sendable, Equatable {
        /// A file in the data directory, made at the first start.
        case dataDirectory
        /// The file of that path.
        case file(String)
        /// An open file descriptor, which is read to its end.
        case descriptor(Int32)
    }

    /// The defaults, except what is said otherwise. Nothing is judged: that is for
    /// ``load(flags:environment:file:systemFile:socket:)``, which operators' words go through.
    public init(
        listen: ListenAddress = ListenAddress(host: "127.0.0.1", port: 8080),
        dataDirectory: String? = nil,
        database: Secret<String>? = nil,
        databaseTimeouts: DatabaseTimeouts = DatabaseTimeouts(),
        isDevelopment: Bool = false,
        publicURLs: [URL] = [],
        projectID: String = "countersign",
        tls: TLSFiles? = nil,
        tlsIsEndedByProxy: Bool = false,
        proxy: ProxyOptions = ProxyOptions(),
        connections: ConnectionOptions = ConnectionOptions(),
        metricsListen: ListenAddress? = nil,
        masterKey: MasterKeySource = .dataDirectory,
        passwords: Argon2idParameters = Argon2idParameters(),
        mail: MailConfiguration = MailConfiguration(),
        pages: PageConfiguration = PageConfiguration(),
        extensions: ExtensionConfiguration = ExtensionConfiguration(),
        logLevel: Logger.Level = .info,
        logFormat: LogFormat = .text,
        logsAccess: Bool = false,
        tracing: TracingOptions? = nil,
        warnings: [String] = []
    ) {
        self.listen = listen
        self.dataDirectory = dataDirectory ?? Self.standardDataDirectory(isDevelopment: isDevelopment)
        self.database = database
        self.databaseTimeouts = databaseTimeouts
        self.isDevelopment = isDevelopment
        self.publicURLs = publicURLs
        self.projectID = projectID
        self.tls = tls
        self.tlsIsEndedByProxy = tlsIsEndedByProxy
        self.proxy = proxy
        self.connections = connections
        self.metricsListen = metricsListen
        self.masterKey = masterKey
        self.passwords = passwords
        self.mail = mail
        self.pages = pages
        self.extensions = extensions
        self.logLevel = logLevel
        self.logFormat = logFormat
        self.logsAccess = logsAccess
        self.tracing = tracing
        self.warnings = warnings
    }

    /// The default data directory: that of development apart from the other.
    public static func standardDataDirectory(isDevelopment: Bool) -> String {
        isDevelopment ? "./countersign-dev-data" : "./countersign-data"
    }

    /// The URLs under which clients reach the server; the first is the base of issuers and of links in mails.
    ///
    /// Where none is configured, it is made of the listen address: for one that means every interface, `localhost`.
    /// - Parameter port: the port that was bound, because the configured one may be 0.
    public func baseURLs(port: Int) -> [URL] {
        if !publicURLs.isEmpty { return publicURLs }
        let host = listen.isWildcard ? "localhost" : listen.hostInURL
        let scheme = tls == nil ? "http" : "https"
        return URL(string: "\(scheme)://\(host):\(port)").map { [$0] } ?? []
    }
}
