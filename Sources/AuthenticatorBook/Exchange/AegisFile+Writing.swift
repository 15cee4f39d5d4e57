import Crypto
import Foundation
import OneTimePassword

extension AegisFile {
    /// The text of a vault that Aegis opens. **Without a password the secrets are in it unencrypted.**
    ///
    /// - Parameter password: not empty; seals the vault.
    /// - Throws: ``AccountFileError/failed(_:)`` where there is no memory for scrypt.
    static func text(
        of accounts: [OTPAuthURI], password: [UInt8]?, cost: AegisCipher.Cost = .standard
    ) throws(AccountFileError) -> String {
        do {
            let database = WrittenDatabase(entries: accounts.map { Entry($0, uuid: UUID()) })
            guard let password else { return try Written(header: Written.Header(), db: .plain(database)).text }
            let contents = try JSONEncoder().encode(database)
            let sealed = try AegisCipher.seal(contents, password: password, cost: cost)
            return try Written(
                header: Written.Header(slots: [sealed.slot], params: sealed.parameters),
                db: .sealed(sealed.contents.base64EncodedString())
            ).text
        } catch let error as AccountFileError {
            throw error
        } catch {
            throw .failed("The file could not be made.")
        }
    }

    private struct WrittenDatabase: Encodable {
        let version = 3
        let entries: [Entry]
        let groups: [String] = []
    }

    private struct Written: Encodable {
        struct Header: Encodable {
            var slots: [Slot]?
            var params: SealParameters?

            private enum CodingKeys: String, CodingKey { case slots, params }

            /// Both are written when they are null: that says "not encrypted".
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(slots, forKey: .slots)
                try container.encode(params, forKey: .params)
            }
        }

        enum Contents: Encodable {
            case plain(WrittenDatabase)
            case sealed(String)

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .plain(let database): try container.encode(database)
                case .sealed(let text): try container.encode(text)
                }
            }
        }

        let version = 1
        let header: Header
        let db: Contents

        var text: String {
            get throws {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
            }
        }
    }
}

/// Aegis' vault as it is written.
public enum AegisVault {
    /// The text of a vault that Aegis opens. **Without a password the secrets are in it unencrypted.**
    public static func text(of accounts: [OTPAuthURI], password: [UInt8]?) throws(AccountFileError) -> String {
        try AegisFile.text(of: accounts, password: password)
    }
}
