import Foundation
import OneTimePassword

/// Where a link with a secret comes from.
enum LinkInput {
    /// The longest link in bytes.
    static let limit = 64 << 10

    /// - Parameter argument: the link itself; `-` for standard input; nil asks at the terminal, or reads standard input
    ///   where there is none.
    static func text(_ argument: String?) throws -> String {
        let text: String
        if let argument, argument != "-" {
            text = argument
        } else if argument == nil, Terminal.canAsk {
            guard let typed = Terminal.askSecretly("Paste the otpauth:// link (it is not shown): ") else {
                throw CommandFailure(.refused, "No link was given.")
            }
            text = typed
        } else {
            let data = try FileHandle.standardInput.read(upToCount: limit + 1) ?? Data()
            guard let read = String(validating: data, as: UTF8.self) else {
                throw CommandFailure(
                    .usage, "Standard input is not UTF-8. It takes the text of a QR code, not its picture.")
            }
            text = read
        }
        let link = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard link.utf8.count <= limit else { throw CommandFailure(.usage, "A link has at most \(limit >> 10) KiB.") }
        guard !link.isEmpty else { throw CommandFailure(.usage, "There is no link. It begins with otpauth://.") }
        return link
    }
}

extension OTPAuthURI {
    /// The same secret under another account name.
    func renamed(_ name: String) throws(OTPParameterError) -> OTPAuthURI {
        try OTPAuthURI(
            kind: kind, issuer: issuer, accountName: name, secret: secret, algorithm: algorithm, digits: digits,
            extraParameters: extraParameters)
    }
}
