import CountersignCore
import Foundation

extension OpenedRealm {
    /// Opens the data directory that the configuration names, with its master key.
    /// - Throws: ``DataDirectoryError``, `SealingError` where the master key is another, `StoreError`.
    public static func open(_ configuration: ServerConfiguration) async throws -> OpenedRealm {
        try await open(
            DataDirectory(path: configuration.dataDirectory), database: configuration.database,
            masterKey: configuration.masterKey.load(),
            hashing: configuration.passwords, isDevelopment: configuration.isDevelopment)
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
    }
}

extension ServerConfiguration.MasterKeySource {
    /// The key; nil where it is the one in the data directory.
    public func load() throws -> Sealer.MasterKey? {
        switch self {
        case .dataDirectory: return nil
        case .file(let path):
            guard let text = try PrivateFile.read(path) else { throw DataDirectoryError.cannotRead(path, ENOENT) }
            return try DataDirectory.masterKey(text, from: path)
        case .descriptor(let number):
            let place = "descriptor \(number)"
            guard let text = try? FileHandle(fileDescriptor: number).readToEnd() else {
                throw DataDirectoryError.cannotRead(place, EBADF)
            }
            return try DataDirectory.masterKey(text, from: place)
        }
    }
}
