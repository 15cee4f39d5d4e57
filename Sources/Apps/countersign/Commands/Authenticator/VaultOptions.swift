import ArgumentParser
import AuthenticatorBook
import Foundation
import KeychainServices
import KeychainTypes

#if !canImport(Security)
    import SecretVault
#endif

/// Which keychain a command works on, and who opens it.
struct VaultOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the vault (default: countersign/keychain in $XDG_DATA_HOME, or in ~/.local/share).",
            valueName: "dir"))
    var vault: String?

    @Option(
        help: ArgumentHelp(
            "Read the vault's passcode from this open descriptor, instead of asking at the terminal.", valueName: "n"))
    var passcodeFd: Int32?

    @Option(
        help: ArgumentHelp("Read the vault's passcode from this credential of systemd.", valueName: "name"))
    var passcodeCredential: String?

    @Flag(help: "Ask for the passcode through pinentry, as GnuPG does.")
    var pinentry = false

    func validate() throws {
        if [passcodeFd != nil, passcodeCredential != nil, pinentry].count(where: { $0 }) > 1 {
            throw ValidationError("Give one of --passcode-fd, --passcode-credential and --pinentry.")
        }
        if let passcodeFd, passcodeFd < 0 { throw ValidationError("Descriptors count from 0.") }
    }

    /// Opens the book, and makes the vault where there is none.
    ///
    /// - Parameter keepingAnswer: whether what opens the vault also opens the first item.
    func open(keepingAnswer: Bool = true) async throws -> AccountBook {
        AccountBook(lockFile: try await openKeychain(keepingAnswer: keepingAnswer, chip: .none))
    }

    /// Opens the keychain of this process, and makes the vault where there is none.
    /// - Returns: the file that processes lock while they change what is in it; nil with a keychain of the system.
    private func openKeychain(keepingAnswer: Bool, chip: ChipOptions.Chip) async throws -> String? {
        #if canImport(Security)
            guard vault == nil, passcodeFd == nil, passcodeCredential == nil, !pinentry else {
                throw CommandFailure(.usage, "This system has its own keychain: leave out the options for a vault.")
            }
            return nil
        #else
            var configuration = try configuration(presence: presence(keepingAnswer: keepingAnswer))
            if case .tpm(let endpoint) = chip { configuration.hardware = .tpm(endpoint) }
            do throws(KeychainError) {
                try await KeychainVault.configure(configuration)
            } catch {
                throw AccountBookError.keychain(error)
            }
            return configuration.directory + "/authenticator.lock"
        #endif
    }

    /// Opens the passkeys, and makes the vault where there is none.
    func openPasskeys(_ chip: ChipOptions.Chip = .none) async throws -> PasskeyBook {
        let lockFile = try await openKeychain(keepingAnswer: true, chip: chip)
        #if canImport(Security)
            // The keychain is open since the user's login.
            return PasskeyBook(lockFile: lockFile, isOpenedByUser: false)
        #else
            return PasskeyBook(lockFile: lockFile, isOpenedByUser: true)
        #endif
    }

    /// Opens the passkeys; nil where there is no vault yet.
    func openExistingPasskeys(_ chip: ChipOptions.Chip = .none) async throws -> PasskeyBook? {
        try hasVault ? try await openPasskeys(chip) : nil
    }

    /// Opens the book; nil where there is no vault yet, and so no account.
    func openExisting(keepingAnswer: Bool = true) async throws -> AccountBook? {
        try hasVault ? try await open(keepingAnswer: keepingAnswer) : nil
    }

    private var hasVault: Bool {
        get throws {
            #if canImport(Security)
                return true
            #else
                let directory = try configuration(presence: TerminalPresence()).directory
                return ["vault.kc", "vault.kc.bak"].contains {
                    FileManager.default.fileExists(atPath: "\(directory)/\($0)")
                }
            #endif
        }
    }

    /// Opens the book, and finds the account that the user means.
    func open(for selector: String) async throws -> (AccountBook, Account) {
        guard let book = try await openExisting() else { throw AccountBookError.notFound(selector) }
        return (book, try await book.account(meant: selector))
    }

    #if !canImport(Security)
        private func configuration(presence: any PresenceProvider) throws -> VaultConfiguration {
            do throws(KeychainError) {
                return try VaultConfiguration(
                    application: "countersign", presence: presence, directory: vault.map(Self.absolute))
            } catch {
                throw AccountBookError.keychain(error)
            }
        }

        private static func absolute(_ path: String) -> String {
            let path = (path as NSString).expandingTildeInPath
            guard !path.hasPrefix("/") else { return path }
            return (FileManager.default.currentDirectoryPath as NSString).appendingPathComponent(path)
        }

        private func presence(keepingAnswer: Bool) -> any PresenceProvider {
            if let passcodeFd { return DescriptorPresence(passcodeFd) }
            if let passcodeCredential { return SystemdCredentialPresence(passcodeCredential) }
            let person: any PresenceProvider = pinentry ? PinentryPresence() : TerminalPresence()
            return keepingAnswer ? AnsweredOnce(person) : person
        }
    #endif
}

#if !canImport(Security)
    import Synchronization

    /// Lets the answer that opened the vault also open the first item that the same command uses, so that `codes NAME` asks
    /// once and not twice. It hands over what was typed, and no verdict; what comes after asks again.
    final class AnsweredOnce: PresenceProvider {
        private struct Answer {
            let credential: LockedBytes
            let at: ContinuousClock.Instant
        }

        var asksPerson: Bool { provider.asksPerson }

        /// How long an answer is valid for the item.
        private static let window = Duration.seconds(60)

        private let provider: any PresenceProvider
        private let kept = Mutex<Answer?>(nil)

        init(_ provider: any PresenceProvider) {
            self.provider = provider
        }

        func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
            let answer = kept.withLock { answer in
                defer { answer = nil }
                return answer
            }
            if request.kind == .passcode, request.triesLeftAfterWrongAnswer == nil, let answer,
                ContinuousClock.now - answer.at < Self.window
            {
                return answer.credential
            }
            let credential = try provider.credential(for: request)
            if request.kind == .unlock || request.kind == .newPasscode {
                kept.withLock { $0 = Answer(credential: credential, at: .now) }
            }
            return credential
        }
    }
#endif
