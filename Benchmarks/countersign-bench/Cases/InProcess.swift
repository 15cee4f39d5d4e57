import CSodium
import CountersignCore
import CountersignServer
import Crypto
import CryptoExtras
import Foundation
import OneTimePassword
import PasswordHashing
import StorePostgres
import StoreSQLite
import Synchronization

/// What can be measured without a server: rules, limits, the store alone.
enum InProcess {
    @Sendable static func hmac(_ bench: Workbench) throws -> [Quantity: [Double]] {
        let key = SymmetricKey(size: .init(bitCount: 160))
        let message: [UInt8] = Array(0..<8)
        return rate(bench) { blackHole(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key)) }
    }

    /// What a verification has to compute at least: of the step before, of now, and of the one after.
    @Sendable static func hmacOfThree(_ bench: Workbench) throws -> [Quantity: [Double]] {
        let key = SymmetricKey(size: .init(bitCount: 160))
        let messages = (0..<3).map { number in [UInt8](repeating: 0, count: 7) + [number] }
        return rate(bench) {
            for message in messages {
                blackHole(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            }
        }
    }

    @Sendable static func totpVerify(_ bench: Workbench) throws -> [Quantity: [Double]] {
        let totp = try TOTP(secret: Array(0..<20))
        let now = Date()
        let code = totp.code(at: now).stringCode
        return rate(bench) { blackHole(totp.matchedStep(for: code, at: now)) }
    }

    @Sendable static func es256(_ bench: Workbench) throws -> [Quantity: [Double]] {
        let key = P256.Signing.PrivateKey()
        let message = Data(repeating: 7, count: 700)
        return try rate(bench) { blackHole(try key.signature(for: message)) }
    }

    @Sendable static func rsaVerify(_ bench: Workbench) throws -> [Quantity: [Double]] {
        let message = Data(repeating: 7, count: 400)
        let signature = try BenchDevice.key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        let key = BenchDevice.key.publicKey
        return rate(bench) {
            blackHole(key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5))
        }
    }

    @Sendable static func idToken(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let opened = try await OpenedRealm.open(DataDirectory(path: "\(bench.options.scratch)/tokens"))
        let second: [String: JSONValue] = [
            "identities": .object(["email": .array([.string("person@bench.example")])]),
            "sign_in_provider": .string("password"), "sign_in_second_factor": .string("totp"),
            "second_factor_identifier": .string("0123456789abcdef0123456789abcdef"),
        ]
        let claims = TokenClaims([
            "iss": .string("https://securetoken.google.com/countersign"), "aud": .string("countersign"),
            "sub": .string("Jq5wDhXvGqgPr5wqCbJ0fXh0QyA3"), "user_id": .string("Jq5wDhXvGqgPr5wqCbJ0fXh0QyA3"),
            "auth_time": .integer(1_800_000_000), "iat": .integer(1_800_000_000), "exp": .integer(1_800_003_600),
            "email": .string("person@bench.example"), "email_verified": .bool(true), "firebase": .object(second),
            "countersign_epoch": .integer(0),
        ])
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while clock.now - start < .seconds(seconds(bench)) {
            for _ in 0..<50 { blackHole(try await opened.realm.keyring.sign(claims, with: .es256)) }
            count += 50
        }
        let result = Double(count) / ((clock.now - start) / .seconds(1))
        try await opened.close()
        return [.perSecond: [result]]
    }

    /// What libsodium does by itself: a thread for each core, the memory as the system maps it.
    @Sendable static func bareHash(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let parameters = Argon2idParameters()
        let seconds = bench.options.seconds
        return try await withThrowingTaskGroup(of: Double.self) { group in
            for _ in 0..<parameters.threads {
                group.addTask {
                    try await onThread {
                        let clock = ContinuousClock()
                        let start = clock.now
                        var count = 0.0
                        while clock.now - start < .seconds(seconds) {
                            var hash = [UInt8](repeating: 0, count: 32)
                            let code = crypto_pwhash(
                                &hash, 32, Person.password, UInt64(Person.password.utf8.count),
                                [UInt8](repeating: 7, count: 16), UInt64(parameters.operations),
                                parameters.memoryKiB * 1024, crypto_pwhash_alg_argon2id13())
                            guard code == 0 else { throw POSIXError(.ENOMEM) }
                            count += 1
                        }
                        return count / ((clock.now - start) / .seconds(1))
                    }
                }
            }
            return [.perSecond: [try await group.reduce(0, +)]]
        }
    }

    private static func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result(catching: body)) }.start()
        }
    }

    /// As many hashes at once as there are clients in a load, so that the threads never wait.
    static func hash(_ bench: Workbench, _ parameters: Argon2idParameters) async throws -> [Quantity: [Double]] {
        let hasher = try Argon2idHasher(parameters)
        defer { hasher.shutDown() }
        let hash = try await hasher.hash(Secret(Person.password))
        return try await together(64, seconds: bench.options.seconds) { _, _ in
            blackHole(try await hasher.verify(Secret(Person.password), against: hash))
        }
    }

    @Sendable static func disk(_ bench: Workbench) throws -> [Quantity: [Double]] {
        [.perSecond: [try Machine.syncsPerSecond(in: bench.options.scratch, seconds: seconds(bench))]]
    }

    @Sendable static func store(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let store = try await SQLiteStore.open(path: "\(bench.options.scratch)/store-alone.sqlite")
        var result = try await writes(bench, to: store)
        let done = store.statistics
        result[.commitsEach] = [Double(done.commits) / Double(max(1, done.writes))]
        try await store.close()
        return result
    }

    @Sendable static func postgresStore(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        _ = try await bench.subject(.postgres)
        let store = try await PostgresStore.open(url: Secret(await bench.postgresURL ?? ""))
        let result = try await writes(bench, to: store)
        await store.close()
        return result
    }

    /// The smallest write there is, each in a row of its own.
    private static func writes(_ bench: Workbench, to store: any Store) async throws -> [Quantity: [Double]] {
        let now = Date()
        return try await together(64, seconds: bench.options.seconds) { writer, count in
            try await store.write { transaction in
                try transaction.put(AttemptCounter(key: "bench/\(writer)/\(count)", count: 1, since: now))
            }
        }
    }

    // MARK: How

    /// What is fast needs less time.
    private static func seconds(_ bench: Workbench) -> Double { bench.options.seconds / 4 }

    static func rate(_ bench: Workbench, _ body: () throws -> Void) rethrows -> [Quantity: [Double]] {
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while clock.now - start < .seconds(seconds(bench)) {
            for _ in 0..<100 { try body() }
            count += 100
        }
        return [.perSecond: [Double(count) / ((clock.now - start) / .seconds(1))]]
    }

    /// Many tasks that each do one thing after another.
    private static func together(
        _ tasks: Int, seconds: Double, _ body: @escaping @Sendable (_ task: Int, _ count: Int) async throws -> Void
    ) async throws -> [Quantity: [Double]] {
        let clock = ContinuousClock()
        let start = clock.now
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var count = 0
                    while clock.now - start < .seconds(seconds) {
                        try await body(task, count)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return [.perSecond: [Double(total) / ((clock.now - start) / .seconds(1))]]
    }

    /// Keeps the optimiser from removing unused results.
    @inline(never) static func blackHole<T>(_ value: T) {
        withExtendedLifetime(value) {}
    }
}
