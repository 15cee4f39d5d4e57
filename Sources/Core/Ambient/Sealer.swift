import Crypto
import Foundation
import JSON

/// Encrypts what must not be readable in a stolen database: TOTP secrets, signing keys, mail on its way.
///
/// AES-256-GCM under keys that come from one kept outside the database. Each address (which table, which row) has a key of its own,
/// derived from the master key, so a random nonce has to be unique among the values of one row only: NIST SP 800-38D, section 8.3,
/// allows 2³² of them under one key. The address is also authenticated: a sealed value opens nowhere but in the place that it was
/// made for. A sealed value names the master key, so that one can be replaced while servers run (``MasterKeys``).
///
/// Layout: version (1 byte, 2) ‖ key name (4 bytes) ‖ nonce (12) ‖ ciphertext ‖ tag (16). Version 1 had one key for all
/// addresses; it is opened, and no longer made.
public struct Sealer: Sendable {
    /// A 256-bit key from which the keys of sealed values and of keyed digests are derived (HKDF-SHA-256, RFC 5869).
    public struct MasterKey: Sendable {
        /// Bytes of a master key.
        public static let byteCount = 32

        /// What sealed values call it; tells nothing about it.
        let name: [UInt8]
        /// Sealed all values of version 1.
        let formerSealing: SymmetricKey
        /// What the keys of addresses are expanded from.
        private let addresses: KeyedSHA256
        /// What digests are keyed with.
        private let digesting: KeyedSHA256
        /// Seals the log.
        private let logSealing: KeyedSHA256

        /// - Parameter bytes: exactly 32 bytes of full entropy.
        public init(bytes: Secret<[UInt8]>) throws {
            guard bytes.reveal().count == Self.byteCount else {
                throw SealingError(
                    "A master key has \(Self.byteCount) bytes; this one has \(bytes.reveal().count).")
            }
            let master = SymmetricKey(data: bytes.reveal())
            let salt: [UInt8]? = nil
            let extracted = KeyedSHA256(
                key: SymmetricKey(data: HKDF<SHA256>.extract(inputKeyMaterial: master, salt: salt)))
            func derive(_ purpose: String) -> SymmetricKey {
                Self.expanded(extracted, "countersign/\(purpose)")
            }
            name = derive("name").withUnsafeBytes { Array($0.prefix(Sealer.nameByteCount)) }
            formerSealing = derive("sealing")
            addresses = KeyedSHA256(key: derive("sealing by address"))
            digesting = KeyedSHA256(key: derive("digesting"))
            logSealing = KeyedSHA256(key: derive("sealing the log"))
        }

        /// The name for people: eight hexadecimal digits, of which nothing about the key can be learnt.
        public var id: String { name.hex }

        /// The key of values of that version in that place.
        func sealing(_ version: UInt8, for context: String) -> SymmetricKey {
            if version == Sealer.firstVersion { return formerSealing }
            return Self.expanded(addresses, context)
        }

        /// HKDF's first block, which is all of a key of 32 bytes: HMAC(key, info ‖ 1) (RFC 5869, section 2.3).
        private static func expanded(_ key: KeyedSHA256, _ info: String) -> SymmetricKey {
            var info = Array(info.utf8)
            info.append(1)
            return SymmetricKey(data: key.code(for: info))
        }

        /// The keyed digest of a text in a context.
        func digest(_ text: String, for context: String) -> SHA256.Digest {
            Self.code(digesting, context, text)
        }

        /// The code of a seal of the log, by what it says (``AuditSeal/link``).
        func code(ofSeal link: String, isPruned: Bool) -> SHA256.Digest {
            Self.code(logSealing, isPruned ? "pruned" : "kept", link)
        }

        private static func code(_ key: KeyedSHA256, _ context: String, _ text: String) -> SHA256.Digest {
            var message = Array(context.utf8)
            message.append(0)
            message.append(contentsOf: text.utf8)
            return key.code(for: message)
        }
    }

    /// The keys that values are opened with, and which of them seals.
    public let keys: MasterKeys
    private let random: any RandomSource

    /// Seals with the key of `keys` that the store names, and draws nonces from `random`.
    public init(keys: MasterKeys, random: any RandomSource) {
        self.keys = keys
        self.random = random
    }

    /// - Parameters:
    ///   - active: seals, where the store does not say otherwise, and opens what it sealed.
    ///   - earlier: open what they sealed before they were replaced.
    public init(active: MasterKey, earlier: [MasterKey] = [], random: any RandomSource) {
        self.init(keys: MasterKeys(active, earlier), random: random)
    }

    static let firstVersion: UInt8 = 1
    static let version: UInt8 = 2
    static let nameByteCount = 4

    // MARK: Sealing

    /// Encrypts `plaintext` for the place that it will be kept in, as part of the transaction that keeps it.
    ///
    /// The transaction decides the key: the one that the store's data is sealed with now. It cannot be the one before, as
    /// a replacement and this transaction exclude each other (docs/decisions/0040-master-keys-are-replaced-live.md).
    /// - Throws: ``SealingError`` where that key is not here.
    public func seal(
        _ plaintext: some DataProtocol, for address: SealedAddress, in transaction: any StoreTransaction
    ) throws -> Data {
        try seal(plaintext, for: address.context, under: try keys.current(in: transaction))
    }

    /// Encrypts under a given key: for the check that the key is the right one, and for tests.
    func seal(_ plaintext: some DataProtocol, for context: String, under key: MasterKey) throws -> Data {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let box = try AES.GCM.seal(
            plaintext, using: key.sealing(Self.version, for: context), nonce: nonce,
            authenticating: Array(context.utf8))
        // Nonce ‖ ciphertext ‖ tag; there is none only for nonces of other lengths.
        guard let combined = box.combined else { throw SealingError("The nonce of a sealed value has 12 bytes.") }
        // Put together as an array: `Data` asks with each piece that is appended what kind of sequence it is.
        var result: [UInt8] = []
        result.reserveCapacity(1 + Self.nameByteCount + combined.count)
        result.append(Self.version)
        result.append(contentsOf: key.name)
        combined.withUnsafeBytes { result.append(contentsOf: $0) }
        return Data(result)
    }

    // MARK: Opening

    /// Decrypts what ``seal(_:for:in:)`` made for the same address.
    /// - Throws: ``SealingError`` if the value was made elsewhere, was altered, or its key is missing. The store's
    ///   reads and writes then read the keys again and run once more; outside of them, use ``opened(_:for:)``.
    public func open(_ sealed: Data, for address: SealedAddress) throws -> Data {
        try Self.open(sealed, for: address.context, with: keys)
    }

    /// The same outside of a transaction: where the key is missing, the keys are read again once.
    public func opened(_ sealed: Data, for address: SealedAddress) async throws -> Data {
        try await keys.retrying { try open(sealed, for: address) }
    }

    static func open(_ sealed: Data, for context: String, with keys: MasterKeys) throws -> Data {
        guard let name = keyName(of: sealed), let version = sealed.first, sealed.count >= 33 else {
            throw SealingError("This is not a sealed value.")
        }
        guard let key = keys.named(name) else { throw SealingError(missing: name) }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(1 + nameByteCount))
            return try AES.GCM.open(
                box, using: key.sealing(version, for: context), authenticating: Array(context.utf8))
        } catch {
            throw SealingError("A sealed value for \(context) was altered or belongs elsewhere.")
        }
    }

    /// The name of the key that a value was sealed with; nil where it is no sealed value.
    static func keyName(of sealed: Data) -> [UInt8]? {
        sealed.withUnsafeBytes { bytes -> [UInt8]? in
            guard bytes.count > nameByteCount, (firstVersion...version).contains(bytes[0]) else { return nil }
            return Array(bytes[1...nameByteCount])
        }
    }

    // MARK: Digests

    /// A keyed digest of something that could be guessed (an address, a short code), so that a stolen database does
    /// not confirm the guess.
    ///
    /// The name of the master key, then HMAC-SHA-256. The transaction decides the key, as for sealing.
    public func digest(
        _ text: String, for context: String, in transaction: any StoreTransaction
    ) throws -> Data {
        let key = try keys.current(in: transaction)
        return Data(key.name) + key.digest(text, for: context).data
    }

    /// Whether the digest is one of the text, by whatever key it names.
    /// - Throws: ``SealingError`` where that key is not here.
    func matches(_ text: String, _ digest: Data, for context: String) throws -> Bool {
        guard digest.count > Self.digestByteCount else {
            // Made by a version that named no key.
            return keys.all.reduce(false) { $1.matches(text, digest, for: context) || $0 }
        }
        let name = Array(digest.prefix(Self.nameByteCount))
        guard let key = keys.named(name) else { throw SealingError(missing: name) }
        return key.matches(text, digest.dropFirst(Self.nameByteCount), for: context)
    }

    /// Whether a stranger's digest is one of the text. One by a key that is not here is none: it is not looked for.
    package func recognises(_ text: String, _ digest: Data, for context: String) -> Bool {
        guard digest.count == Self.nameByteCount + Self.digestByteCount,
            let key = keys.named(Array(digest.prefix(Self.nameByteCount)))
        else { return false }
        return key.matches(text, digest.dropFirst(Self.nameByteCount), for: context)
    }

    /// Bytes of HMAC-SHA-256.
    static let digestByteCount = 32
}

extension Sealer.MasterKey {
    /// Takes the same time wherever the two differ.
    fileprivate func matches(_ text: String, _ digest: Data, for context: String) -> Bool {
        ConstantTime.equal(self.digest(text, for: context).data, digest)
    }
}

/// A value that could not be sealed or opened.
public struct SealingError: Error, Sendable, CustomStringConvertible {
    public let description: String
    /// The name of the master key that is not here, where that is the reason.
    public let missingKey: String?

    init(_ description: String) {
        self.description = description
        missingKey = nil
    }

    init(missing name: [UInt8]) {
        self.init("Sealed with the master key \(name.hex), which is not here.", missingKey: name.hex)
    }

    /// A master key that something names, and that is not here.
    init(unknown id: String) {
        self.init("The master key \(id) is not here.", missingKey: id)
    }

    private init(_ description: String, missingKey: String?) {
        self.description = description
        self.missingKey = missingKey
    }

    /// The same, with why the key could not be looked for.
    func because(_ reason: any Error) -> SealingError {
        SealingError("\(description) Reading the keys anew failed: \(reason)", missingKey: missingKey)
    }
}
