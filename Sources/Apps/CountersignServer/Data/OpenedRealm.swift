import CountersignCore
import Delivery
import Foundation
import PasswordHashing
import StorePostgres
import StoreSQLite

/// A realm out of a data directory: what the server serves, and what administrative commands work on, also while a
/// server runs on the same directory.
public struct OpenedRealm: Sendable {
    public let realm: Realm
    public let directory: DataDirectory
    public let adminToken: AdminToken
    /// The movable clock, under `--dev`.
    let movableClock: MovableClock?
    /// Where the master keys are read from; nil where it was a descriptor.
    let masterKeyFile: MasterKeyFile?
    let store: any OpenedStore
    let hasher: Argon2idHasher
    let extensionCaller: HTTPExtensionCaller

    /// Opens the directory, making what is missing: the database, the master key, the signing keys, the admin token and
    /// a first application.
    /// - Parameters:
    ///   - database: the URL of a PostgreSQL database; nil keeps everything in the directory.
    ///   - postgres: its limits, and how long to wait for it where it cannot be reached yet.
    ///   - masterKey: where the key is that seals all others.
    ///   - isDevelopment: the clock can be moved, tokens may be unsigned, and the application `dev-app` is there.
    ///   - extensions: where services of the developer's own may be called; under `isDevelopment` also on this machine.
    ///   - clock: what time it is; under `isDevelopment`, before the clock is moved. For tests.
    /// - Throws: ``DataDirectoryError``, `StoreError`.
    public static func open(
        _ directory: DataDirectory, database: Secret<String>? = nil,
        postgres: PostgresStore.Options = PostgresStore.Options(),
        masterKey: ServerConfiguration.MasterKeySource = .dataDirectory,
        hashing: Argon2idParameters = Argon2idParameters(), isDevelopment: Bool = false,
        extensions: ExtensionCallOptions = .standard,
        clock: any WallClock = SystemClock()
    ) async throws -> OpenedRealm {
        let random = SystemRandom()
        let (keys, masterKeyFile) = try masterKey.load(directory, random: random)
        let store: any OpenedStore =
            if let database { try await PostgresStore.open(url: database, options: postgres, random: random) } else {
                try await SQLiteStore.open(path: directory.databasePath)
            }
        let movableClock = isDevelopment ? MovableClock(base: clock) : nil
        try await movableClock?.load(from: store)
        let hasher = try Argon2idHasher(hashing)
        var extensions = extensions
        if isDevelopment { extensions.rules.allowed += AddressRules.loopback }
        let caller = HTTPExtensionCaller(extensions)
        let realm = Realm(
            store: store, clock: movableClock ?? clock, random: random,
            sealer: Sealer(keys: keys, random: random), hasher: hasher,
            passwordImporter: ImportedPasswords(), mode: isDevelopment ? .development : .production,
            extensionCaller: caller)
        let opened = OpenedRealm(
            realm: realm, directory: directory, adminToken: try directory.adminToken(random: random),
            movableClock: movableClock, masterKeyFile: masterKeyFile, store: store, hasher: hasher,
            extensionCaller: caller)
        try await opened.prepare(isDevelopment: isDevelopment)
        return opened
    }

    /// Lets go of the database and the threads.
    public func close() async throws {
        hasher.shutDown()
        await extensionCaller.shutDown()
        try await store.close()
    }

    private func prepare(isDevelopment: Bool) async throws {
        try await realm.checkMasterKey()
        try await realm.keyring.prepare()
        let fresh = ClientID(rawValue: "cs" + realm.random.string(37, of: .alphanumeric))
        let first = try directory.apiKey(random: realm.random) { fresh }
        if try await realm.applications.application(first) == nil {
            _ = try await realm.applications.add(
                id: first, ApplicationRegistration(displayName: "First application"), by: .commandLine)
        }
        if isDevelopment {
            try await prepareDevelopmentApplication()
            try await SampleChecks.prepare(realm)
        }
    }

    /// The application that every dialect knows under `--dev` (design, "Black-box conventions").
    private func prepareDevelopmentApplication() async throws {
        let id = ClientID(rawValue: "dev-app")
        guard try await realm.applications.application(id) == nil else { return }
        _ = try await realm.applications.add(
            id: id,
            ApplicationRegistration(
                displayName: "Development", redirectURIs: ["http://127.0.0.1/callback"],
                challengeTypes: ["oob", "password", "redirect"],
                scopes: ["openid", "profile", "email", "offline_access", "api"],
                audiences: [ApplicationRegistration.anyAudience]),
            by: .commandLine)
    }
}

extension ClientContext {
    /// An administrator at the machine itself, and the server on its own behalf.
    public static let commandLine = ClientContext(
        clientID: ClientID(rawValue: "command-line"), dialect: .admin, limitedSource: nil, source: "local")
}
