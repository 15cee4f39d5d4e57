import Foundation
import Testing

@testable import PasswordHashing

/// A password and the hash that another implementation made of it.
struct ImportedVector: Sendable, CustomTestStringConvertible {
    typealias Parameters = ImportedPasswordHash.Parameters

    let name: String
    let password: String
    let algorithm: ImportedPasswordHash.Algorithm
    let parameters: Parameters
    let salt: [UInt8]
    let hash: [UInt8]

    init(
        _ name: String, password: String, _ algorithm: ImportedPasswordHash.Algorithm,
        _ parameters: Parameters = Parameters(), salt: [UInt8] = [], hash: [UInt8]
    ) {
        self.name = name
        self.password = password
        self.algorithm = algorithm
        self.parameters = parameters
        self.salt = salt
        self.hash = hash
    }

    var testDescription: String { "\(algorithm.rawValue): \(name)" }

    func imported() throws -> ImportedPasswordHash {
        try ImportedPasswordHash(algorithm, parameters, salt: salt, hash: hash)
    }

    /// Those that this platform can verify.
    static let all: [ImportedVector] =
        (firebaseScrypt + standardScrypt + bcrypt + pbkdf2 + hmac + digests + argon2)
        .filter { $0.algorithm.isSupported }

    static let phrase = "correct horse battery staple"
    /// In normal form C, with characters of two and of four bytes.
    static let words = "P\u{00e4}ssw\u{00f6}rt \u{1f511}"
    static let salt = Array("NaCl-and-pepper".utf8)
}

func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func base64(_ text: String) -> [UInt8] {
    Array(Data(base64Encoded: text) ?? Data())
}
