import Foundation
import KeychainTypes
import SecretVault

/// `prompt PROVIDER KIND RESULT [PROGRAM]`: asks once, and writes into the file RESULT what came of it.
enum Prompt {
    static func run(_ arguments: [String]) throws {
        try "\(getpid())\n".write(toFile: arguments[2] + ".pid", atomically: true, encoding: .utf8)
        let kind: PresenceRequest.Kind = arguments[1] == "new" ? .newPasscode : .unlock
        let request = PresenceRequest(kind: kind, reason: "for a test", application: "vault-tool")
        let provider: any PresenceProvider =
            switch arguments[0] {
            case "terminal": .terminal
            case "brief-terminal": .terminal(timeout: .seconds(1))
            case "pinentry" where arguments.count > 3: .pinentry(program: arguments[3])
            case "pinentry": .pinentry
            default: .fileDescriptor(try parsed(arguments[0]))
            }
        let result: String
        do throws(PresenceError) {
            let credential = try provider.credential(for: request)
            result = "answer " + credential.withBytes { String(decoding: $0, as: UTF8.self) }
        } catch {
            result = "\(error)"
        }
        try (result + "\n").write(toFile: arguments[2], atomically: true, encoding: .utf8)
    }
}
