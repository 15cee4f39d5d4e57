import AdminServer
import ArgumentParser
import AuthenticatorBook
import CountersignCore
import Foundation
import JSON
import PasskeyAuthenticator

extension AuthenticatorCommand {
    /// Passkeys of this machine.
    struct PasskeyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "passkey",
            abstract: "Keep passkeys, and sign in with them without a browser.",
            discussion: """
                A key is made in the machine's TPM where this user may open it, otherwise in the vault. A program fetches \
                the server's options and posts the answer:

                  countersign authenticator passkey create \\
                    --origin https://example.com < options.json
                  countersign authenticator passkey get \\
                    --origin https://example.com < options.json

                The user is verified by the vault's passcode. Signatures are not counted, and nothing is attested.
                """,
            subcommands: [Create.self, Get.self, List.self, Rename.self, Remove.self])
    }
}

/// A passkey as commands print it: everything but its key.
struct PasskeySummary: Encodable {
    let id: String
    let rpID: String
    let name: String
    let user: String
    /// Base64url, as servers list it.
    let credentialID: String
    let isInHardware: Bool
    let isBackupEligible: Bool
    /// Whether each signature asks for the passcode.
    let asksEachTime: Bool
    let addedAt: Timestamp
    let lastUsedAt: Timestamp?

    init(_ passkey: Passkey) {
        id = passkey.id
        rpID = passkey.rpID
        name = passkey.name
        user = passkey.userName
        credentialID = passkey.credentialID.base64URL
        isInHardware = passkey.isInHardware
        isBackupEligible = passkey.isBackupEligible
        asksEachTime = passkey.asksEachTime
        addedAt = Timestamp(passkey.addedAt)
        lastUsedAt = passkey.lastUsedAt.map(Timestamp.init)
    }
}

/// The options of a ceremony, and the origin that sent them.
struct CeremonyInput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server that sent the options: scheme, host and port. The answer is good there alone.",
            valueName: "url"))
    var origin: String

    @Argument(help: ArgumentHelp("The file with the options; - is standard input.", valueName: "file"))
    var file = "-"

    /// The longest options that are read, in bytes.
    private static let limit = 256 << 10

    func callingOrigin() throws -> CallingOrigin {
        do { return try CallingOrigin(origin) } catch { throw CommandFailure(.usage, error.description) }
    }

    func bytes() throws -> [UInt8] {
        let data: Data
        if file == "-" {
            data = try FileHandle.standardInput.read(upToCount: Self.limit + 1) ?? Data()
        } else {
            guard let read = FileManager.default.contents(atPath: file) else {
                throw CommandFailure(.usage, "\(file.printable) cannot be read. Name an existing file.")
            }
            data = read
        }
        return Array(data)
    }
}

extension ExitStatus {
    init(_ error: PasskeyBookError) {
        self =
            switch error {
            case .notFound, .noneFor: .notFound
            case .ambiguous, .badName: .usage
            case .options(.unreadableOptions), .options(.notAnOrigin): .usage
            case .options, .alreadyThere, .userNotVerified, .damaged, .busy: .refused
            case .keychain(let error): ExitStatus(AccountBookError.keychain(error))
            }
    }
}
