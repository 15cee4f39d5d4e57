import AccountServer
import CountersignCore
import Delivery
import Foundation
import NativeAuthExtensions
import PasswordHashing
import StorePostgres
import StoreSQLite
import Traces

/// A realm out of a data directory: what the server serves, and what administrative commands work on, also while a
/// server runs on the same directory.
public struct OpenedRealm: Sendable {
    /// The realm over the opened store. It works until ``close()``.
    public let realm: Realm
    /// The directory that the realm was opened from.
    public let directory: DataDirectory
    /// What the data is for; the first start decided it.
    public let kind: DataKind
    /// The token that opens the admin API.
    public let adminToken: AdminToken
    /// What an operator should know of this start: to be logged.
    public let notices: [String]
    /// The movable clock, under `--dev`.
    let movableClock: MovableClock?
    /// Where the master keys are read from; nil where it was a descriptor.
    let masterKeyFile: MasterKeyFile?
    let store: any OpenedStore
    let hasher: Argon2idHasher
    let extensionCaller: HTTPExtensionCaller
    /// Reaches the services of applications: where they are told that sessions ended, and where their keys and their documents are.
    let outbound: OutboundHTTP
    /// Makes spans of what is done; nil where there are no traces.
    let tracer: SpanTracer?

    /// Where the system keeps the list up to date (Debian's package `publicsuffix`, Fedora's `publicsuffix-list`).
    private static let publicSuffixListPath = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// The purpose of opening a realm.
    enum Purpose {
        /// A start, which makes what is missing: the database, the keys, the admin token, a first application.
        case start(DataKind)
        /// An administrative command, which makes nothing and works on data of either kind.
        case administration
    }

    /// Opens the directory for a start, making what is missing: the database, the master key, the signing keys, the admin
    /// token and a first application.
    /// - Parameters:
    ///   - database: the URL of a PostgreSQL database; nil keeps everything in the directory.
    ///   - postgres: its limits, and how long to wait for it where it cannot be reached yet.
    ///   - masterKey: where the key is that seals all others.
    ///   - isDevelopment: the clock can be moved, tokens may be unsigned, and the application `dev-app` is there. What the
    ///     first start says holds for all that follow.
    ///   - extensions: where services of the developer's own may be called; under `isDevelopment` also on this machine.
    ///   - clock: what time it is; under `isDevelopment`, before the clock is moved. For tests.
    ///   - proofs: the means of proof that answers are judged by.
    ///   - tracer: makes spans of transactions, hashes and calls; nil makes none.
    ///   - storePatience: how long public documents wait for the store, where there is an answer of before. For tests.
    /// - Throws: ``DataDirectoryError``, ``DataKindMismatch`` where the data is of the other kind, `StoreError`.
    public static func open(
        _ directory: DataDirectory, database: Secret<String>? = nil,
        postgres: PostgresStore.Options = PostgresStore.Options(),
        masterKey: ServerConfiguration.MasterKeySource = .dataDirectory,
        hashing: Argon2idParameters = Argon2idParameters(), isDevelopment: Bool = false,
        extensions: ExtensionCallOptions = .standard,
        clock: any WallClock = SystemClock(), proofs: ProofRegistry = .standard, tracer: SpanTracer? = nil,
        storePatience: Duration = .seconds(1)
    ) async throws -> OpenedRealm {
        try await open(
            directory, for: .start(isDevelopment ? .development : .production), database: database,
            postgres: postgres, masterKey: masterKey, hashing: hashing, extensions: extensions, clock: clock,
            proofs: proofs, tracer: tracer, storePatience: storePatience)
    }

    /// Opens what servers have filled before, of whichever kind, and makes nothing.
    /// - Throws: ``DataDirectoryError``, also where no server was there before; `StoreError`.
    public static func administer(
        _ directory: DataDirectory, database: Secret<String>? = nil,
        masterKey: ServerConfiguration.MasterKeySource = .dataDirectory,
        extensions: ExtensionCallOptions = .standard
    ) async throws -> OpenedRealm {
        try await open(
            directory, for: .administration, database: database, postgres: PostgresStore.Options(),
            masterKey: masterKey, hashing: Argon2idParameters(), extensions: extensions, clock: SystemClock())
    }

    private static func open(
        _ directory: DataDirectory, for purpose: Purpose, database: Secret<String>?, postgres: PostgresStore.Options,
        masterKey: ServerConfiguration.MasterKeySource, hashing: Argon2idParameters, extensions: ExtensionCallOptions,
        clock: any WallClock, proofs: ProofRegistry = .standard, tracer: SpanTracer? = nil,
        storePatience: Duration = .seconds(1)
    ) async throws -> OpenedRealm {
        let random = SystemRandom()
        let (keys, masterKeyFile) = try masterKey.load(directory, random: random)
        let store: any OpenedStore =
            if let database { try await PostgresStore.open(url: database, options: postgres, random: random) } else {
                try await SQLiteStore.open(path: directory.databasePath)
            }
        do {
            // Before anything else: what is refused stays as it is.
            let kind = try await DevelopmentData.kind(
                of: store, for: purpose, place: database == nil ? .directory(directory.path) : .database)
            let movableClock = kind == .development ? MovableClock(base: clock) : nil
            try await movableClock?.load(from: store)
            let hasher = try Argon2idHasher(hashing)
            var extensions = extensions
            if kind == .development { extensions.rules.allowed += AddressRules.loopback }
            let caller = HTTPExtensionCaller(extensions)
            let outbound = OutboundHTTP(
                extensions.rules, trustRoots: extensions.trustRoots, admitsPlainLoopback: kind == .development)
            let system = database == nil ? "sqlite" : "postgresql"
            let hooks = HTTPHookCaller(outbound)
            let realm = Realm(
                store: tracer.map { TracedStore(base: store, tracer: $0, system: system) } ?? store,
                clock: movableClock ?? clock, random: random, sealer: Sealer(keys: keys, random: random),
                hasher: tracer.map { TracedHasher(base: hasher, tracer: $0) } ?? hasher,
                passwordImporter: ImportedPasswords(), mode: kind == .development ? .development : .production,
                extensionCaller: tracer.map { TracedExtensionCaller(base: caller, tracer: $0) } ?? caller,
                extensionFormat: EntraExtensionFormat(), linkFormat: ActionLinkFormat(),
                proofs: proofs, keySetFetcher: HTTPKeySetFetcher(outbound),
                hookCaller: tracer.map { TracedHookCaller(base: hooks, tracer: $0) } ?? hooks,
                documentFetcher: HTTPClientDocumentFetcher(outbound), storePatience: storePatience)
            realm.site.tell(publicSuffixes: { FileManager.default.contents(atPath: Self.publicSuffixListPath) })
            try await realm.checkMasterKey()
            let (token, notices) =
                switch purpose {
                case .start: try await realm.prepare(directory, kind)
                case .administration:
                    (
                        AdminToken(
                            try await realm.administratorToken.current(), noting: realm.administratorToken.noteUse),
                        [String]()
                    )
                }
            return OpenedRealm(
                realm: realm, directory: directory, kind: kind, adminToken: token, notices: notices,
                movableClock: movableClock, masterKeyFile: masterKeyFile, store: store, hasher: hasher,
                extensionCaller: caller, outbound: outbound, tracer: tracer)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Lets go of the database and the threads.
    public func close() async throws {
        hasher.shutDown()
        await extensionCaller.shutDown()
        await outbound.shutDown()
        try await store.close()
    }
}

extension Realm {
    /// Makes what a server needs and has not got yet.
    fileprivate func prepare(
        _ directory: DataDirectory, _ kind: DataKind
    ) async throws -> (token: AdminToken, notices: [String]) {
        try await keyring.prepare()
        let (token, notices) = try await directory.settleAdminToken(of: self)
        let first = try await directory.settleFirstApplication(of: self)
        if try await !applications.has(first) {
            _ = try await applications.add(
                id: first, ApplicationRegistration(displayName: "First application"), by: .commandLine)
        }
        if kind == .development { try await DevelopmentData.prepare(self) }
        return (token, notices)
    }
}
