import ClientHTTP
import Foundation
import KeychainServices

/// The key pair of a registered client, by a tag.
package protocol ClientKeys: Sendable {
    /// Makes a pair, in the place of an earlier one with the tag. Returns the public half, PKCS #1.
    func makeKey(tag: String) async throws -> Data
    /// Signs as RS256 does. Nil where there is no such key any more.
    func sign(_ message: Data, tag: String) async throws -> Data?
    func removeKey(tag: String) async throws
}

/// Keys of RSA with 2048 bits in the system's keychain, or in the process's vault; never in a backup, so that a
/// restored app registers again (security-checks 6, 6). Where a Linux process has not opened a vault, they are kept in
/// memory.
package final class KeychainClientKeys: ClientKeys {
    private let keychain = Keychain()
    private let memory = InMemoryClientKeys()

    package init() {}

    package func makeKey(tag: String) async throws -> Data {
        try await removeKey(tag: tag)
        do throws(KeychainError) {
            return try await keychain.makeKey(
                .rsa2048, tag: tag, access: AccessControl(unconstrained: .afterFirstUnlockThisDeviceOnly)
            ).publicKey
        } catch {
            guard case .notAvailable = error else { throw WLError(key: error) }
        }
        MemoryNotice.say()
        return try await memory.makeKey(tag: tag)
    }

    package func sign(_ message: Data, tag: String) async throws -> Data? {
        if let signature = try await memory.sign(message, tag: tag) { return signature }
        do throws(KeychainError) {
            return try await keychain.sign(message, with: tag, .rs256)
        } catch {
            switch error {
            case .itemNotFound, .notAvailable: return nil
            default: throw WLError(key: error)
            }
        }
    }

    package func removeKey(tag: String) async throws {
        memory.removeKey(tag: tag)
        do throws(KeychainError) {
            try await keychain.removeKey(tag: tag)
        } catch {
            switch error {
            case .itemNotFound, .notAvailable: return
            default: throw WLError(key: error)
            }
        }
    }
}

extension WLError {
    fileprivate init(key error: KeychainError) {
        self.init(.unexpectedError, "The client's key cannot be used: \(error)")
    }
}

/// Keys that end with the process.
package final class InMemoryClientKeys: ClientKeys {
    private let keys = Locked<[String: KeyInMemory]>([:])

    package init() {}

    package func makeKey(tag: String) async throws -> Data {
        let key = try await KeyInMemory.make()
        keys.withLock { $0[tag] = key }
        return key.publicKey
    }

    package func sign(_ message: Data, tag: String) async throws -> Data? {
        try await keys.current[tag]?.sign(message)
    }

    package func removeKey(tag: String) { keys.withLock { $0[tag] = nil } }
}

/// A key pair that ends with the process.
///
/// Unchecked because on Apple's systems `SecKey` is not marked: it never changes after it is made, and Apple lets all threads
/// use one.
private struct KeyInMemory: @unchecked Sendable {
    let key: SecKey
    let publicKey: Data

    private static let queue = CallbackQueue(queue: DispatchQueue(label: "mobilefirst-keys"))

    /// To find two primes takes a while: not on a thread of Swift's pool.
    static func make() async throws -> KeyInMemory {
        try await queue.run {
            Result {
                let parameters: [String: Any] = [
                    kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 2048,
                ]
                var error: Unmanaged<CFError>?
                guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error),
                    let half = SecKeyCopyPublicKey(key),
                    let external = SecKeyCopyExternalRepresentation(half, &error) as Data?
                else { throw fault(error) }
                return KeyInMemory(key: key, publicKey: external)
            }
        }.get()
    }

    func sign(_ message: Data) async throws -> Data {
        try await Self.queue.run {
            Result {
                var error: Unmanaged<CFError>?
                guard
                    let signature = SecKeyCreateSignature(
                        key, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, &error) as Data?
                else { throw Self.fault(error) }
                return signature
            }
        }.get()
    }

    private static func fault(_ error: Unmanaged<CFError>?) -> WLError {
        WLError(
            .unexpectedError, "The client's key cannot be used: \(error.map { "\($0.takeRetainedValue())" } ?? "").")
    }
}
