#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// A key out of its external representation.
    ///
    /// - Parameters:
    ///   - keyData: PKCS #1 for RSA of 2048 bits or more; `04‖X‖Y`, and `‖K` for a private key, for elliptic curves.
    ///   - attributes: with `kSecAttrKeyType` and `kSecAttrKeyClass`.
    ///   - error: receives `errSecParam` for what does not fit together or is too short, `errSecUnimplemented` for kinds
    ///     of keys that are not offered.
    public func SecKeyCreateWithData(
        _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> SecKey? {
        reporting(error) { () throws(KeychainError) in
            let parameters = KeyParameters(attributes)
            if parameters.wantsToken {
                throw .unsupported("a key in hardware is made there: SecKeyCreateRandomKey with kSecAttrTokenID")
            }
            let isRSA = try parameters.isRSA()
            switch try parameters.keyClass() {
            case 0: return SecKey(.publicKey(try PublicKey(Data(keyData), isRSA: isRSA)))
            case 1: return SecKey(.privateKey(try PrivateKey(LockedBytes(Data(keyData)), isRSA: isRSA)))
            case 2: throw .unsupported("symmetric keys are not offered; keep them as passwords")
            default: throw .parameter("kSecAttrKeyClass is kSecAttrKeyClassPublic or kSecAttrKeyClassPrivate")
            }
        }
    }

    /// The public half of a key. Of a public key, itself.
    public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
        key.isPrivate ? SecKey(.publicKey(key.publicKey)) : key
    }

    /// The key's bytes: PKCS #1 for RSA, X9.63 for elliptic curves. A key with `privateKeyUsage`, and one in hardware, is
    /// never given out: `errSecUnimplemented`.
    public func SecKeyCopyExternalRepresentation(
        _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> CFData? {
        reporting(error) { () throws(KeychainError) in
            // What is handed over is the caller's copy, to be wiped by the caller.
            try key.storable().withBytes { NSData(bytes: $0.baseAddress, length: $0.count) }
        }
    }

    /// What a key is: its class, type, size, application label and what it may be used for.
    public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
        var objects: [String: AnyObject] = ["class": "keys" as NSString]
        for (name, value) in key.identity.merging(key.permissions, uniquingKeysWith: { own, _ in own }) {
            objects[name] = value.object
        }
        if case .stored = key.material {} else { objects["perm"] = NSNumber(value: 0) }
        return objects as NSDictionary
    }

    /// The length of an RSA signature, or of an elliptic curve's coordinate, in bytes.
    public func SecKeyGetBlockSize(_ key: SecKey) -> Int { key.publicKey.type.blockSize }

    /// Whether a key does an operation with an algorithm: private keys sign, and private and public keys of the right type
    /// verify. Nothing encrypts (one key, one purpose).
    public func SecKeyIsAlgorithmSupported(
        _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
    ) -> Bool {
        guard let scheme = SignatureScheme(algorithm), scheme.isRSA == key.publicKey.type.isRSA else { return false }
        return switch operation {
        case .sign: key.isPrivate
        case .verify: true
        case .encrypt, .decrypt, .keyExchange: false
        }
    }

    /// Signs.
    ///
    /// A key that stays in the vault asks for what its access control says, at each signature unless the context of the
    /// query that found it still holds. Blocks while a prompt waits: call it off the main thread.
    ///
    /// - Parameter error: receives the status: `errSecParam` for a digest of the wrong length or an algorithm of another
    ///   type of key, `errSecUnimplemented` for one that is not offered, and what opening a protected item gives.
    public func SecKeyCreateSignature(
        _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> CFData? {
        reporting(error) { () throws(KeychainError) in
            let scheme = try SignatureScheme(algorithm, for: key)
            return try key.signature(of: Data(dataToSign), scheme) as NSData
        }
    }

    /// Whether `signature` was made over `signedData` by the key's private half.
    ///
    /// - Parameter error: receives `errSecVerifyFailed` where it was not, and the status where nothing could be verified.
    public func SecKeyVerifySignature(
        _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> Bool {
        reporting(error) { () throws(KeychainError) in
            let scheme = try SignatureScheme(algorithm, for: key)
            guard try key.publicKey.verifies(Data(signature), of: Data(signedData), scheme) else {
                throw .status(errSecVerifyFailed)
            }
            return true
        } ?? false
    }

    extension SignatureScheme {
        init(_ algorithm: SecKeyAlgorithm, for key: SecKey) throws(KeychainError) {
            guard let scheme = SignatureScheme(algorithm) else {
                throw .unsupported("the algorithm \(algorithm.name) is not offered")
            }
            guard scheme.isRSA == key.publicKey.type.isRSA else {
                throw .parameter("the algorithm is for another type of key")
            }
            self = scheme
        }
    }

    /// Runs `body`; an error goes to the caller's `CFError`.
    func reporting<Result>(
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ body: () throws(KeychainError) -> Result
    ) -> Result? {
        do throws(KeychainError) {
            return try body()
        } catch let fault {
            error.report(NSError(fault))
            return nil
        }
    }
#endif
