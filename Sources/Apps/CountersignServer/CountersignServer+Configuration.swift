import CountersignCore
import Delivery
import Foundation
import PasswordHashing
import StorePostgres

extension OpenedRealm {
    /// Opens the data directory that the configuration names, with its master key.
    /// - Throws: ``DataDirectoryError``, `SealingError` where the master key is another, `StoreError`.
    public static func open(_ configuration: ServerConfiguration) async throws -> OpenedRealm {
        try await open(
            DataDirectory(path: configuration.dataDirectory), database: configuration.database,
            postgres: PostgresStore.Options(configuration.databaseTimeouts),
            masterKey: configuration.masterKey,
            hashing: configuration.passwords, isDevelopment: configuration.isDevelopment,
            extensions: configuration.extensions.options(publicURL: nil),
            tracer: configuration.tracing?.tracer(random: SystemRandom()))
    }
}

extension PostgresStore.Options {
    init(_ timeouts: ServerConfiguration.DatabaseTimeouts) {
        self.init()
        connectTimeout = .seconds(timeouts.connect)
        statementTimeout = .seconds(timeouts.statement)
        transactionTimeout = .seconds(timeouts.transaction)
        startPatience = timeouts.start.map { .seconds($0) }
    }
}

extension CountersignServer.Options {
    /// How the configuration wants the server reached.
    public init(_ configuration: ServerConfiguration) {
        self.init(
            host: configuration.listen.host, port: configuration.listen.port,
            isDevelopment: configuration.isDevelopment,
            publicURLs: configuration.publicURLs.map(\.absoluteString), projectID: configuration.projectID,
            tls: configuration.tls.map { ($0.certificate, $0.key) },
            tlsEndedByProxy: configuration.tlsIsEndedByProxy)
        socket = configuration.socket
        proxy = configuration.proxy
        connections = configuration.connections
        metricsListen = configuration.metricsListen
        mail = configuration.mail
        pages = configuration.pages
        logsAccess = configuration.logsAccess
        traces = configuration.tracing?.destination(random: SystemRandom())
        deployment = Deployment(configuration)
    }
}

extension Deployment {
    /// What the store is told of a configuration.
    init(_ configuration: ServerConfiguration) {
        let isLocal = configuration.listen.isLoopback && configuration.publicURLs.isEmpty
        let channel = configuration.tls != nil || configuration.tlsIsEndedByProxy || configuration.listen.isLoopback
        self.init(
            isDevelopment: configuration.isDevelopment,
            isEncrypted: isLocal
                || channel
                    && configuration.publicURLs.allSatisfy {
                        $0.scheme == "https" || ServerConfiguration.isLoopback($0)
                    },
            mail: configuration.mail.smtp.map {
                $0.encryption == .none && !$0.isLoopback ? .plain : .encrypted
            } ?? .none,
            hashMemory: configuration.passwords.memoryKiB, hashPasses: configuration.passwords.operations,
            values: configuration.written)
    }
}

extension ServerConfiguration.MasterKeySource {
    /// The keys, the newest first, and a reader for those that come later; a descriptor can be read once.
    func load(_ directory: DataDirectory, random: any RandomSource) throws -> (keys: MasterKeys, file: MasterKeyFile?) {
        let entries: [MasterKeyFile.Entry]
        let file: MasterKeyFile?
        switch self {
        case .dataDirectory:
            entries = try directory.masterKeys(random: random)
            file = MasterKeyFile(path: directory.masterKeyPath)
        case .file(let path):
            let named = MasterKeyFile(path: path)
            entries = try named.entries()
            file = named
        case .descriptor(let number):
            let place = "descriptor \(number)"
            guard let text = try? FileHandle(fileDescriptor: number).readToEnd() else {
                throw DataDirectoryError.cannotRead(place, EBADF)
            }
            entries = try MasterKeyFile.entries(in: text, from: place)
            file = nil
        }
        let keys = entries.map(\.key)
        let source = file.map { file in { @Sendable in try await file.readEntries().map(\.key) } }
        return (MasterKeys(keys[0], Array(keys.dropFirst()), source: source), file)
    }
}
