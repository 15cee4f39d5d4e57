import CSodium
import Crypto
import CryptoExtras
import Foundation
import KeychainServices
import SecretVault

/// `keychain-bench [ROUNDS] [ITEMS]`: what the keychain costs beside the primitives that it cannot do without. Every
/// round measures every case once, so that a busy moment of the machine falls on all of them. Prints a table in Markdown.
@main enum KeychainBench {
    struct Case {
        let name: String
        /// How many times in one round.
        let count: Int
        let body: () async throws -> Void
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let rounds = max(1, arguments.first ?? 15)
        let items = max(1, arguments.dropFirst().first ?? 10_000)
        let directory = NSTemporaryDirectory() + "/keychain-bench-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }

        let (cases, setUp) = try await makeCases(directory, items: items)
        var times = [[Double]](repeating: [], count: cases.count)
        for round in 0...rounds {
            for (index, one) in cases.enumerated() {
                let clock = ContinuousClock()
                let start = clock.now
                for _ in 0..<one.count { try await one.body() }
                let (seconds, attoseconds) = (clock.now - start).components
                // The first round warms up.
                if round > 0 {
                    times[index].append((Double(seconds) * 1e3 + Double(attoseconds) / 1e15) / Double(one.count))
                }
            }
            FileHandle.standardError.write(Data("\rround \(round) of \(rounds)".utf8))
        }
        FileHandle.standardError.write(Data("\n".utf8))
        print("| what | median ms | least | most |\n|---|---:|---:|---:|")
        for (one, times) in zip(cases, times) {
            let sorted = times.sorted()
            print(
                "| \(one.name) | \(text(sorted[sorted.count / 2])) | \(text(sorted[0])) | \(text(sorted[sorted.count - 1])) |"
            )
        }
        print("\n\(setUp) \(rounds) rounds, interleaved.")
    }

    private static func text(_ milliseconds: Double) -> String { String(format: "%.3f", milliseconds) }

    private static func makeCases(_ directory: String, items: Int) async throws -> ([Case], String) {
        let passcode = "six random words of a list"
        let answers = CustomPresence { _ in LockedBytes(Array(passcode.utf8)) }
        var large = try VaultConfiguration(application: "bench", presence: answers, directory: directory + "/large")
        large.keyDerivation = .interactive
        let vault = try Vault.open(large)
        let start = ContinuousClock.now
        try vault.add(
            (0..<items).map { index in
                NewItem(
                    itemClass: "genp", uniqueKey: Array("account \(index)".utf8),
                    attributes: ["acct": .string("account \(index)"), "svce": .string("bench")],
                    secret: LockedBytes(Array("a password of \(index)".utf8)),
                    access: AccessControl(unconstrained: .whenUnlocked))
            })
        let filled = ContinuousClock.now - start

        try await KeychainVault.configure(
            presence: answers, application: "bench", directory: directory + "/small", keyDerivation: .moderate)
        let keychain = Keychain()
        let free = AccessControl(unconstrained: .whenUnlocked)
        let guarded = try AccessControl(.whenUnlocked, .devicePasscode)
        try await keychain.store(LockedBytes([1, 2, 3]), account: "free", service: "bench", access: free)
        try await keychain.store(LockedBytes([1, 2, 3]), account: "guarded", service: "bench", access: guarded)
        let context = AuthenticationContext(reuse: .seconds(300))
        _ = try await keychain.read(account: "guarded", service: "bench", context: context)
        _ = try await keychain.makeKey(.rsa2048, tag: "rsa", access: free)
        _ = try await keychain.makeKey(.p256, tag: "ec", access: free)

        var small = try VaultConfiguration(application: "bench", presence: answers, directory: directory + "/small")
        small.log = { _ in }
        let configuration = small
        let message = Data("a message of forty bytes, more or less .".utf8)
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let ec = P256.Signing.PrivateKey()
        let key = SymmetricKey(size: .bits256)
        let box = try AES.GCM.seal(Data(repeating: 1, count: 64), using: key)
        var index = 0

        let cases = [
            Case(name: "Argon2id, moderate, alone", count: 1) { derive(passcode) },
            Case(name: "unlock: open a vault (Argon2id moderate)", count: 1) { _ = try Vault.open(configuration) },
            Case(name: "AES-256-GCM open of 64 bytes, alone", count: 1000) { _ = try AES.GCM.open(box, using: key) },
            Case(name: "read, no constraint", count: 100) {
                _ = try await keychain.read(account: "free", service: "bench")
            },
            Case(name: "read, passcode shown within the reuse window", count: 100) {
                _ = try await keychain.read(account: "guarded", service: "bench", context: context)
            },
            Case(name: "store, one item (durable)", count: 3) {
                index += 1
                try await keychain.store(LockedBytes([1]), account: "new \(index)", service: "bench", access: free)
            },
            Case(name: "RS256 with RSA 2048, alone", count: 20) {
                _ = try rsa.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            },
            Case(name: "RS256 with RSA 2048, keychain", count: 20) {
                _ = try await keychain.sign(message, with: "rsa", .rs256)
            },
            Case(name: "ES256, alone", count: 100) { _ = try ec.signature(for: message) },
            Case(name: "ES256, keychain", count: 100) { _ = try await keychain.sign(message, with: "ec", .es256) },
            Case(name: "open a vault of \(items) items (Argon2id interactive)", count: 1) { _ = try Vault.open(large) },
            Case(name: "read by primary key among \(items) items", count: 100) {
                index += 7919
                let found = try vault.item(ofClass: "genp", uniqueKey: Array("account \(index % items)".utf8))
                guard let found else { throw KeychainError.itemNotFound }
                _ = try vault.read(found.id)
            },
            Case(name: "search all of \(items) items by an attribute", count: 1) {
                index += 7919
                let account = AttributeValue.string("account \(index % items)")
                let found = try vault.items(ofClass: "genp") { attributes, _ in attributes["acct"] == account }
                guard found.count == 1 else { throw KeychainError.itemNotFound }
            },
            Case(name: "change one of \(items) items (durable)", count: 1) {
                index += 7919
                guard let found = try vault.item(ofClass: "genp", uniqueKey: Array("account \(index % items)".utf8))
                else {
                    throw KeychainError.itemNotFound
                }
                try vault.update(found.id, with: ItemChange(secret: LockedBytes([2])))
            },
        ]
        return (cases, "\(items) items were added in one write of \(filled).")
    }

    private static func derive(_ passcode: String) {
        var output = [UInt8](repeating: 0, count: 32)
        let salt = [UInt8](repeating: 7, count: 16)
        let cost = KeyDerivation.moderate
        precondition(
            crypto_pwhash(
                &output, 32, passcode, UInt64(passcode.utf8.count), salt, UInt64(cost.operations), Int(cost.memory),
                crypto_pwhash_ALG_ARGON2ID13) == 0)
    }
}
