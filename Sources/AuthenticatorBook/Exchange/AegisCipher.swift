import CSodium
import Crypto
import Foundation

/// How Aegis seals: a password and scrypt (RFC 7914) make a key, which seals the master key, which seals the contents.
enum AegisCipher {
    struct Cost: Equatable {
        let n: UInt64
        let r: UInt64
        let p: UInt64

        /// Aegis' own: 32 MiB.
        static let standard = Cost(n: 1 << 15, r: 8, p: 1)

        /// What a file may ask for, which is paid before anything tells who wrote it: 256 MiB, and eight times the work of
        /// Aegis' own.
        var isBearable: Bool {
            guard n >= 2, n & (n - 1) == 0, n <= 1 << 20, (1...32).contains(r), (1...16).contains(p) else {
                return false
            }
            return 128 * n * r <= 256 << 20 && n * r * p <= 8 * Self.standard.n * Self.standard.r
        }
    }

    /// The most slots that a password is tried on.
    static let slotLimit = 8

    /// - Throws: ``AccountFileError/wrongPassword`` where no slot opens.
    static func masterKey(of slots: [AegisFile.Slot], password: [UInt8]) throws(AccountFileError) -> SymmetricKey {
        guard slots.count <= slotLimit else { throw .notAegis("it has more than \(slotLimit) passwords") }
        for slot in slots {
            guard let n = slot.n, let r = slot.r, let p = slot.p, let salt = slot.salt.flatMap(Data.init(hexadecimal:)),
                let sealed = Data(hexadecimal: slot.key), (1...1024).contains(salt.count), sealed.count == 32
            else { throw .notAegis("the slot of a password is incomplete") }
            let cost = Cost(n: n, r: r, p: p)
            guard cost.isBearable else {
                throw .notAegis("it asks for more work than a vault of Aegis' does (n \(n), r \(r), p \(p))")
            }
            let key = try derive(password, salt: salt, cost)
            if let master = try open(sealed, slot.keyParameters, key) { return SymmetricKey(data: master) }
        }
        throw .wrongPassword
    }

    /// What was sealed, or nil where the key is another or it was changed.
    ///
    /// - Throws: ``AccountFileError/notAegis(_:)`` for a nonce or a tag of another size.
    static func open(
        _ sealed: Data, _ parameters: AegisFile.SealParameters, _ key: SymmetricKey
    ) throws(AccountFileError) -> Data? {
        guard let nonce = Data(hexadecimal: parameters.nonce), nonce.count == 12,
            let tag = Data(hexadecimal: parameters.tag), tag.count == 16
        else { throw .notAegis("a nonce or a tag has another size") }
        do {
            let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed, tag: tag)
            return try AES.GCM.open(box, using: key)
        } catch {
            return nil
        }
    }

    static func seal(
        _ contents: Data, password: [UInt8], cost: Cost
    ) throws -> (contents: Data, parameters: AegisFile.SealParameters, slot: AegisFile.Slot) {
        let master = SymmetricKey(size: .bits256)
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        let box = try AES.GCM.seal(contents, using: master)
        let keyBox = try AES.GCM.seal(
            master.withUnsafeBytes { Data($0) }, using: try derive(password, salt: salt, cost))
        let slot = AegisFile.Slot(
            type: AegisFile.Slot.password, uuid: UUID().uuidString.lowercased(), key: keyBox.ciphertext.hexadecimal,
            keyParameters: parameters(keyBox), n: cost.n, r: cost.r, p: cost.p, salt: salt.hexadecimal)
        return (box.ciphertext, parameters(box), slot)
    }

    private static func parameters(_ box: AES.GCM.SealedBox) -> AegisFile.SealParameters {
        .init(nonce: Data(box.nonce).hexadecimal, tag: box.tag.hexadecimal)
    }

    private static func derive(
        _ password: [UInt8], salt: Data, _ cost: Cost
    ) throws(AccountFileError) -> SymmetricKey {
        var key = [UInt8](repeating: 0, count: 32)
        let code = crypto_pwhash_scryptsalsa208sha256_ll(
            password, password.count, Array(salt), salt.count, cost.n, UInt32(cost.r), UInt32(cost.p), &key, key.count)
        defer { sodium_memzero(&key, key.count) }
        guard code == 0 else { throw .failed("There is not enough memory for the file's password.") }
        return SymmetricKey(data: key)
    }
}

extension Data {
    /// Nil unless there is an even number of hexadecimal digits and nothing else.
    init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        self.init(
            stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}
