import Crypto
import Foundation

/// Encrypts what must not be readable in a stolen database: TOTP secrets, signing keys, mail on its way.
///
/// AES-256-GCM under a key that is kept outside the database. The context (which table, which row) is authenticated,
/// so that a sealed value does not open in another place than the one it was made for. A sealed value names the key
/// that sealed it, so that a master key can be replaced while old values stay readable.
///
/// Layout: version (1 byte, 1) ‖ key name (4 bytes) ‖ nonce (12) ‖ ciphertext ‖ tag (16).
public struct Sealer: Sendable {
    /// A 256-bit key from which the sealing key and the keys of keyed digests are derived (HKDF-SHA-256, RFC 5869).
    public struct MasterKey: Sendable {
        public static let byteCount = 32

        let name: [UInt8]
        let sealing: SymmetricKey
        let digesting: SymmetricKey

        /// - Parameter bytes: exactly 32 bytes of full entropy.
        public init(bytes: Secret<[UInt8]>) throws {
            guard bytes.reveal().count == Self.byteCount else {
                throw SealingError(
                    "A master key has \(Self.byteCount) bytes; this one has \(bytes.reveal().count).")
            }
            let master = SymmetricKey(data: bytes.reveal())
            func derive(_ purpose: String, _ count: Int) -> SymmetricKey {
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: master, info: Data("countersign/\(purpose)".utf8), outputByteCount: count)
            }
            name = derive("name", 4).withUnsafeBytes { Array($0) }
            sealing = derive("sealing", 32)
            digesting = derive("digesting", 32)
        }
    }

    private let active: MasterKey
    private let earlier: [MasterKey]
    private let random: any RandomSource

    /// - Parameters:
    ///   - active: seals, and opens what it sealed.
    ///   - earlier: open what they sealed before they were replaced.
    public init(active: MasterKey, earlier: [MasterKey] = [], random: any RandomSource) {
        self.active = active
        self.earlier = earlier
        self.random = random
    }

    private static let version: UInt8 = 1

    /// Encrypts `plaintext` for the place that `context` names.
    public func seal(_ plaintext: some DataProtocol, for context: String) throws -> Data {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let box = try AES.GCM.seal(
            plaintext, using: active.sealing, nonce: nonce, authenticating: Data(context.utf8))
        var result = Data([Self.version])
        result.append(contentsOf: active.name)
        result.append(contentsOf: nonce)
        result.append(box.ciphertext)
        result.append(box.tag)
        return result
    }

    /// Decrypts what ``seal(_:for:)`` made for the same context.
    /// - Throws: ``SealingError`` if the value was made elsewhere, was altered, or its key is missing.
    public func open(_ sealed: Data, for context: String) throws -> Data {
        let bytes = Array(sealed)
        guard bytes.count >= 33, bytes[0] == Self.version else {
            throw SealingError("This is not a sealed value.")
        }
        let name = Array(bytes[1..<5])
        guard let key = ([active] + earlier).first(where: { $0.name == name }) else {
            throw SealingError("Sealed with the master key \(name.hex), which is not here.")
        }
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: bytes[5..<17]), ciphertext: bytes[17..<(bytes.count - 16)],
                tag: bytes[(bytes.count - 16)...])
            return try AES.GCM.open(box, using: key.sealing, authenticating: Data(context.utf8))
        } catch {
            throw SealingError("A sealed value for \(context) was altered or belongs elsewhere.")
        }
    }

    /// A keyed digest of something that could be guessed (an address, a short code), so that a stolen database does
    /// not confirm the guess.
    ///
    /// HMAC-SHA-256 with the key of the active master key.
    public func digest(_ text: String, for context: String) -> Data {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(context)\u{0}\(text)".utf8), using: active.digesting)
        return Data(code)
    }
}

/// A value that could not be sealed or opened.
public struct SealingError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
