#if !canImport(Security)
    import Crypto
    import CryptoExtras
    import KeychainServices
    import KeychainTypes
    import SecretVault
    import Synchronization

    /// What a chip does, in memory: its blobs are names, and it wants the authorization that it was given.
    final class TestChip: HardwareKeystore {
        private enum Key: Sendable {
            case p256(P256.Signing.PrivateKey)
            case rsa(_RSA.Signing.PrivateKey)
        }

        private struct Entry: Sendable {
            let key: Key?
            let secret: LockedBytes?
            let authorization: [UInt8]
        }

        let name = "test"
        private let entries = Mutex<[[UInt8]: Entry]>([:])
        private let signed = Mutex(0)
        var signatures: Int { signed.withLock { $0 } }

        func status() throws(KeychainError) -> HardwareKeystoreStatus {
            HardwareKeystoreStatus(isLockedOut: false, limitsGuesses: true, details: "a test's")
        }

        private func keep(_ entry: Entry) -> [UInt8] {
            entries.withLock { entries in
                let blob = Array("blob \(entries.count)".utf8)
                entries[blob] = entry
                return blob
            }
        }

        private func entry(_ blob: [UInt8], _ authorization: LockedBytes) throws(KeychainError) -> Entry {
            guard let entry = entries.withLock({ $0[blob] }) else { throw .corrupted("another chip's blob") }
            guard entry.authorization == authorization.withBytes({ Array($0) }) else {
                throw .authenticationFailed(triesLeft: nil)
            }
            return entry
        }

        func seal(_ secret: LockedBytes, authorization: LockedBytes) throws(KeychainError) -> [UInt8] {
            keep(Entry(key: nil, secret: secret, authorization: authorization.withBytes { Array($0) }))
        }

        func unseal(_ blob: [UInt8], authorization: LockedBytes) throws(KeychainError) -> LockedBytes {
            guard let secret = try entry(blob, authorization).secret else { throw .corrupted("no sealed secret") }
            return secret
        }

        func makeKey(_ kind: HardwareKeyKind, authorization: LockedBytes) throws(KeychainError) -> HardwareKey {
            let key: Key
            let publicKey: Data
            switch kind {
            case .p256:
                let made = P256.Signing.PrivateKey()
                (key, publicKey) = (.p256(made), made.publicKey.x963Representation)
            case .rsa2048:
                guard let made = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else { throw .status(-26276) }
                (key, publicKey) = (.rsa(made), made.publicKey.pkcs1DERRepresentation)
            }
            let blob = keep(Entry(key: key, secret: nil, authorization: authorization.withBytes { Array($0) }))
            return HardwareKey(kind: kind, blob: blob, publicKey: Array(publicKey))
        }

        func sign(
            digest: [UInt8], with key: HardwareKey, authorization: LockedBytes
        ) throws(KeychainError) -> [UInt8] {
            let entry = try entry(key.blob, authorization)
            signed.withLock { $0 += 1 }
            // Signed as a message's digest would be: what comes in is one.
            let digest = RawDigest(bytes: digest)
            switch entry.key {
            case .p256(let key):
                guard let signature = try? key.signature(for: digest) else { throw .status(-26276) }
                return Array(signature.derRepresentation)
            case .rsa, .none: throw .unsupported("this test's chip signs with P-256")
            }
        }

        private struct RawDigest: Digest {
            static var byteCount: Int { 32 }
            let bytes: [UInt8]
            var description: String { "digest" }
            func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
                try bytes.withUnsafeBytes(body)
            }
            func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
        }
    }
#endif
