import Foundation
import OneTimePassword

/// What was found in a file of another authenticator's, or of our own.
public struct AccountFile: Sendable, Equatable {
    /// In the order of the file.
    public var accounts: [OTPAuthURI] = []
    /// What is in the file and was not taken, in words: entries of kinds that are not standardized, and broken ones.
    public var leftOut: [LeftOut] = []
    /// Parts of a migration that are not in the file, as `2 of 3`.
    public var missingParts: [String] = []

    public struct LeftOut: Sendable, Equatable {
        /// What the entry calls itself; a stranger's text.
        public let name: String
        public let reason: String

        public init(name: String, reason: String) {
            self.name = name
            self.reason = reason
        }
    }

    /// The longest file in bytes.
    public static let limit = 16 << 20
    /// The most entries of one file.
    public static let entryLimit = AccountBook.limit

    /// Reads a file of any form that is known: Aegis, plain or encrypted; lines of `otpauth://`, of
    /// `otpauth-migration://`, or of both.
    ///
    /// - Parameter password: asked for where the file is encrypted; nil there means that the user declined.
    /// - Throws: ``AccountFileError``, and what `password` throws.
    public init(reading data: Data, password: () throws -> [UInt8]?) throws {
        guard data.count <= Self.limit else { throw AccountFileError.tooLarge }
        guard let text = String(validating: data, as: UTF8.self) else { throw AccountFileError.notText }
        let start = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" }
        switch start {
        case nil: throw AccountFileError.empty
        case "{": self = try AegisFile(reading: data).contents(password: password)
        default: self = try AccountLines.read(text)
        }
        guard accounts.count + leftOut.count <= Self.entryLimit else { throw AccountFileError.tooManyEntries }
    }

    init() {}
}

/// Why a file gave no accounts. It quotes no secret.
public enum AccountFileError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case tooLarge
    case tooManyEntries
    case notText
    /// Neither a list of URIs nor anything else that is known.
    case unknownForm
    /// The JSON is not an Aegis vault of a version that is known; the text says why.
    case notAegis(String)
    /// The vault is encrypted, and no password was given.
    case passwordNeeded
    case wrongPassword
    /// Opened with the right password, what was inside is broken.
    case damaged(String)
    /// A `otpauth-migration` URI cannot be read; the text says why.
    case badMigration(String)
    /// There is nothing that the form could hold.
    case nothingToWrite
    case failed(String)

    public var description: String {
        switch self {
        case .empty: "The file is empty."
        case .tooLarge: "The file has more than \(AccountFile.limit >> 20) MiB."
        case .tooManyEntries: "The file has more than \(AccountFile.entryLimit) entries."
        case .notText: "The file is not text (UTF-8). Export it as a file of accounts, not as a picture."
        case .unknownForm:
            "The file is neither an Aegis vault nor a list of otpauth:// or otpauth-migration:// lines."
        case .notAegis(let reason): "The file is JSON, but no Aegis vault that can be read: \(reason)."
        case .passwordNeeded:
            "The file is encrypted: give its password with --password-file, or run this at a terminal."
        case .wrongPassword: "The password does not open the file."
        case .damaged(let reason): "The file is damaged: \(reason)."
        case .badMigration(let reason): "The otpauth-migration link cannot be read: \(reason)."
        case .nothingToWrite: "There is no account that this form could hold."
        case .failed(let reason): reason
        }
    }
}
