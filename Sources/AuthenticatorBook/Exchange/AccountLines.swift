import Foundation
import OneTimePassword

/// Lists of URIs, one a line. Empty lines and lines that begin with `#` do not count.
public enum AccountLines {
    /// - Throws: ``AccountFileError/unknownForm`` where not one line is a URI.
    static func read(_ text: String) throws(AccountFileError) -> AccountFile {
        var file = AccountFile()
        var batches = MigrationBatches()
        var hasURI = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces.union(CharacterSet(charactersIn: "\u{FEFF}")))
            if line.isEmpty || line.hasPrefix("#") { continue }
            let where_ = "line \(index + 1)"
            if MigrationURI.isOne(line) {
                hasURI = true
                let part = try MigrationURI.read(line)
                file.accounts += part.accounts
                file.leftOut += part.leftOut
                batches.note(part)
            } else {
                do throws(OTPAuthURI.ParsingError) {
                    file.accounts.append(try OTPAuthURI(parsing: line))
                    hasURI = true
                } catch .notOTPAuth {
                    file.leftOut.append(.init(name: where_, reason: "it does not begin with otpauth://"))
                } catch {
                    hasURI = true
                    file.leftOut.append(.init(name: where_, reason: "\(error)"))
                }
            }
            guard file.accounts.count + file.leftOut.count <= AccountFile.entryLimit else { throw .tooManyEntries }
        }
        guard hasURI else { throw file.leftOut.isEmpty ? .empty : .unknownForm }
        file.missingParts = batches.missing
        return file
    }

    /// A line each. **With the secrets.**
    public static func text(of accounts: [OTPAuthURI]) -> String {
        accounts.map { $0.uriString + "\n" }.joined()
    }
}
