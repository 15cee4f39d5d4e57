import CountersignCore
import Foundation
import StorePostgres
import StoreSQL
import StoreSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ServerCheck {
    /// The database under its master key: whether it can be had, its schema, what it is for, whether the key opens it, its clock.
    func store() async -> [CheckFinding] {
        var findings: [CheckFinding] = []
        let keys = masterKeys(&findings)
        guard isSound(.database, .data, .dev) else { return findings }
        do {
            if let database = configuration.database {
                // A server may wait for minutes; here an operator waits.
                var timeouts = configuration.databaseTimeouts
                timeouts.connect = min(timeouts.connect, Self.patience)
                timeouts.statement = min(timeouts.statement, Self.patience)
                timeouts.transaction = min(timeouts.transaction, Self.patience)
                let inspection = try await PostgresInspection.open(
                    url: database, options: PostgresStore.Options(timeouts))
                findings += await judge(inspection, inspection.schema, keys, place: .database)
            } else if access(databasePath, F_OK) == 0 {
                let inspection = try await SQLiteInspection.open(path: databasePath)
                findings += await judge(
                    inspection, inspection.schema, keys, place: .directory(configuration.dataDirectory))
                try await inspection.close()
            } else if !isHidden {
                findings.append(CheckFinding(.database, .ok, "There is no database yet; the first start makes it."))
            }
        } catch let error as StoreError {
            findings.append(CheckFinding(.database, .fault, "The database cannot be used: \(error.sentence)"))
        } catch {
            findings.append(CheckFinding(.database, .fault, "The database cannot be used: \(error)"))
        }
        return findings
    }

    /// Whether there is a directory into which this user may not look, so that nothing can be said about what is in it. That is a
    /// finding about the directory.
    private var isHidden: Bool {
        access(configuration.dataDirectory, F_OK) == 0 && access(configuration.dataDirectory, X_OK) != 0
    }

    /// The keys, where they can be read without a start.
    private func masterKeys(_ findings: inout [CheckFinding]) -> MasterKeys? {
        guard isSound(.masterKeyFile, .masterKeyDescriptor, .data) else { return nil }
        let file: String
        switch configuration.masterKey {
        case .dataDirectory:
            if isHidden { return nil }
            file = masterKeyPath
            if access(file, F_OK) != 0 {
                let hasDatabase = access(databasePath, F_OK) == 0 || configuration.database != nil
                findings.append(
                    hasDatabase && configuration.database == nil
                        ? CheckFinding(
                            .masterKey, .fault,
                            "\(file) is not there, and the database beside it cannot be opened without it",
                            remedy: "put the key back from its backup")
                        : CheckFinding(.masterKey, .ok, "There is no master key yet; the first start makes it."))
                return nil
            }
        case .file(let path): file = path
        case .descriptor(let number):
            let isOpen = fcntl(number, F_GETFD) >= 0
            findings.append(
                isOpen
                    ? CheckFinding(.masterKey, .ok, "Descriptor \(number) is open; it is read at the start alone.")
                    : CheckFinding(
                        .masterKey, .fault, "descriptor \(number) is not open",
                        remedy: "open it for the server: \(number)<FILE"))
            return nil
        }
        do {
            let entries = try MasterKeyFile(path: file).entries()
            findings.append(
                CheckFinding(
                    .masterKey, .ok,
                    "\(file) has \(entries.count == 1 ? "a key" : "\(entries.count) keys, as while one is replaced")."
                ))
            return MasterKeys(entries[0].key, entries.dropFirst().map(\.key))
        } catch {
            findings.append(CheckFinding(.masterKey, .fault, "\(error)"))
            return nil
        }
    }

    private func judge(
        _ store: any Store, _ schema: SchemaVersion, _ keys: MasterKeys?, place: DataKindMismatch.Place
    ) async -> [CheckFinding] {
        if schema.present > schema.newest {
            return [
                CheckFinding(
                    .database, .fault,
                    "its schema has version \(schema.present), and this program knows versions up to \(schema.newest)",
                    remedy: "start a program that is as new as the one that was here")
            ]
        }
        if schema.present == 0 {
            return [CheckFinding(.database, .ok, "The database is empty; the first start makes its schema.")]
        }
        var findings: [CheckFinding] = []
        if schema.present < schema.newest {
            findings.append(
                CheckFinding(
                    .database, .warning,
                    "its schema has version \(schema.present); the start brings it to \(schema.newest), after which an earlier program refuses it",
                    remedy: "back it up first: `countersign db backup`, or pg_dump"))
        }
        do {
            let found = try await DataKind.find(
                in: store, samples: DevelopmentData.samples, isSample: DevelopmentData.isSample)
            let wanted: DataKind = configuration.isDevelopment ? .development : .production
            if case .unknown(let kind) = found {
                findings.append(CheckFinding(.database, .fault, "it is for \"\(kind)\", which a later version knows"))
            } else if let kind = found.kind, kind != wanted {
                findings.append(CheckFinding(.database, .fault, "\(DataKindMismatch(place: place, finding: found))"))
            }
            guard let keys else { return findings + [CheckFinding(.database, .ok, "The database answers.")] }
            let random = SystemRandom()
            let realm = Realm(
                store: store, clock: clock, random: random, sealer: Sealer(keys: keys, random: random),
                hasher: NoHasher())
            let health = try await realm.storeHealth()
            findings.append(
                CheckFinding(.database, .ok, "The database answers, and its secrets are sealed with the master key."))
            if case .database = place, !health.takesWrites {
                findings.append(
                    CheckFinding(
                        .database, .fault, "it takes no writes: it is a standby, or was made read-only",
                        remedy: "name the primary in database"))
            }
            findings += Self.clock(health.clockSkew)
        } catch is SealingError {
            findings.append(
                CheckFinding(
                    .masterKey, .fault, "the master key is not the one that the database is sealed with",
                    remedy: "name the file with the right key, with masterKey.file"))
        } catch let error as StoreError {
            findings.append(CheckFinding(.database, .fault, "The database cannot be read: \(error.sentence)"))
        } catch {
            findings.append(CheckFinding(.database, .fault, "The database cannot be read: \(error)"))
        }
        return findings
    }

    /// Codes of a while and single-use tokens are judged by each server's own clock.
    static func clock(_ skew: TimeInterval?) -> [CheckFinding] {
        guard let skew else { return [] }
        let text = "This machine's clock and the database's differ by \(String(format: "%.1f", abs(skew))) s."
        return [
            abs(skew) < 2
                ? CheckFinding(.clock, .ok, text)
                : CheckFinding(
                    .clock, abs(skew) < 30 ? .warning : .fault, text, remedy: "let both follow a time server")
        ]
    }

    /// Nothing is hashed.
    private struct NoHasher: PasswordHasher {
        func hash(_ password: Secret<String>) async throws -> String { throw PasswordHashingOverload(retryAfter: 1) }
        func verify(_ password: Secret<String>, against hash: String) async throws -> Bool { false }
        func needsRehash(_ hash: String) -> Bool { false }
        var decoy: String { "" }
    }
}
