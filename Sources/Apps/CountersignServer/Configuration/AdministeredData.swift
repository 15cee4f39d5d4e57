import CountersignCore
import Foundation

/// What an administrative command takes of a server's configuration: where the data is, and how it is opened
/// (docs/decisions/0480).
///
/// The other keys are the server's alone, and a fault in one of them is no reason to refuse a command; a key that is not there is,
/// because a misspelt `database` would lead to another store.
public struct AdministeredData: Sendable {
    /// The data directory.
    public let directory: String
    /// Whether it was chosen by an option or a variable. Otherwise it is the default.
    public let isNamed: Bool
    /// Whether the command is for what `serve --dev` keeps.
    public let isDevelopment: Bool
    /// The URL of the PostgreSQL database; nil where the database is in the directory.
    public let database: Secret<String>?
    /// Where the master key is.
    public let masterKey: ServerConfiguration.MasterKeySource
    /// Where services of the developer's own may be called.
    public let extensions: ExtensionCallOptions

    /// The configuration that Debian's package has. Commands find it without being told.
    public static let systemFile = "/etc/countersign/countersign.yaml"

    private static let keys: [ConfigurationKey] = [
        .data, .database, .masterKeyFile, .masterKeyDescriptor, .dev, .extensionsAllowedNetworks,
        .extensionsAuthorities, .publicURL,
    ]

    /// Reads what commands go by: the command line counts more than the environment, that more than the file.
    ///
    /// Without a file, that of the system is read, if it is there and is meant: if no directory is named, or the one that it names.
    /// So a command on the data of a service with PostgreSQL is never led to a SQLite file that lies there from before.
    /// - Parameters:
    ///   - flags: what the command line says: `[.data: "/var/lib/countersign"]`.
    ///   - environment: all variables of the process. `COUNTERSIGN_CONFIG` names the file where `file` does not.
    ///   - file: the path of a YAML or JSON file.
    ///   - systemFile: the path of the system's. For tests.
    ///   - standardDirectory: the path of the default directory. For tests.
    /// - Throws: all faults at once; one of them where the default directory and the system's file are both there, and none is named.
    public static func load(
        flags: [ConfigurationKey: String] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        file: String? = nil, systemFile: String = AdministeredData.systemFile,
        standardDirectory: String = ServerConfiguration.standardDataDirectory(isDevelopment: false)
    ) async throws(ConfigurationFaults) -> AdministeredData {
        let names = Set(keys.map(\.environmentName))
        let own = environment.filter { names.contains($0.key) }
        let named = file ?? environment[ConfigurationKey.environmentOfFile]
        var sources = await ConfigurationSources(flags: flags, environment: own, file: named)
        var isDevelopment = sources.bool(.dev)?.value ?? false
        if named == nil, !isDevelopment, FileManager.default.fileExists(atPath: systemFile) {
            var system: ConfigurationSources?
            if let directory = sources.text(.data)?.value {
                // Where it is another directory, or this user may not read it, it tells nothing of this one.
                var alone = await ConfigurationSources(flags: [:], environment: [:], file: systemFile)
                let its = alone.text(.data)?.value
                // One that can be read and not understood may be about this one.
                let isUnclear =
                    its == nil && !alone.faults.isEmpty && FileManager.default.isReadableFile(atPath: systemFile)
                if isUnclear || its.map(resolved) == resolved(directory) {
                    system = await ConfigurationSources(flags: flags, environment: own, file: systemFile)
                }
            } else if FileManager.default.fileExists(atPath: standardDirectory) {
                sources.report(
                    standardDirectory,
                    "there is data here, and \(systemFile) says where this machine's service has its own",
                    "name one: --data \(standardDirectory), or --config \(systemFile)")
            } else {
                system = await ConfigurationSources(flags: flags, environment: own, file: systemFile)
            }
            if let system {
                sources = system
                isDevelopment = sources.bool(.dev)?.value ?? false
            }
        }
        let directory = sources.text(.data)
        if let directory, directory.value.isEmpty {
            sources.report(directory.place, "the path is empty", "write the path of a directory")
        }
        let database = ServerConfiguration.database(&sources)
        let masterKey = Self.masterKey(&sources)
        let extensions = ServerConfiguration.extensions(&sources)
        let publicURL = sources.list(.publicURL)?.value.first
        if !sources.faults.isEmpty { throw ConfigurationFaults(faults: sources.faults) }
        return AdministeredData(
            directory: directory?.value ?? ServerConfiguration.standardDataDirectory(isDevelopment: isDevelopment),
            isNamed: directory != nil, isDevelopment: isDevelopment, database: database, masterKey: masterKey,
            extensions: extensions.options(
                publicURL: publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }))
    }

    /// Whether the master key is elsewhere than in the directory.
    public var hasMasterKey: Bool { masterKey != .dataDirectory }

    /// Whether the file can be read is found out when the key is: then the sentence is about the key.
    private static func masterKey(_ sources: inout ConfigurationSources) -> ServerConfiguration.MasterKeySource {
        if let file = sources.text(.masterKeyFile) { return .file(file.value) }
        if let descriptor = sources.integer(.masterKeyDescriptor, in: 0...65_535) {
            return .descriptor(Int32(descriptor.value))
        }
        return .dataDirectory
    }

    /// The path of a directory without links and detours, to be compared.
    static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
