import ArgumentParser
import AuthenticatorBook
import Foundation
import KeychainServices
import OneTimePassword

#if !canImport(Security)
    import SecretVault
#endif

extension AuthenticatorCommand {
    struct Codes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "codes",
            abstract: "Show the current codes.",
            discussion: """
                At a terminal they are shown with their remaining time until you press q. Otherwise they are printed once; \
                the code of a single account comes without its name, for programs:

                  countersign authenticator codes github | tr -d '\\n' | wl-copy

                A counter-based account gives a new code each time you name it, and stores its counter before it shows the \
                code. Accounts that ask each time show a code only when you name them.
                """)

        struct Answer: Encodable {
            struct Code: Encodable {
                let id: String
                let issuer: String?
                let name: String
                /// Nil where the account has to be named to give one.
                let code: String?
                let secondsRemaining: Int?
                let period: Int?
                /// The counter that the code was made of.
                let counter: UInt64?
            }

            let codes: [Code]
        }

        @Argument(
            help: ArgumentHelp("Only this account: its id, its name, its issuer, or a part.", valueName: "account"))
        var account: String?

        @Flag(help: "Print once, at a terminal too.")
        var once = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            if let account {
                let (book, account) = try await vault.open(for: account)
                try await show(account, of: book)
            } else {
                try await showAll()
            }
        }

        private var isLive: Bool { !once && !output.json && Terminal.isOutputTerminal && isatty(STDIN_FILENO) == 1 }

        private func show(_ account: Account, of book: AccountBook) async throws {
            guard account.codes?.isCounted != true else {
                let (code, counter) = try await book.nextCode(of: account)
                return try print([line(account, code: code.stringCode, counter: counter)], one: account)
            }
            let opened = try await book.open(account)
            if isLive { return try await CodesScreen(rows: [.code(opened)]).run() }
            try print([line(opened)], one: account)
        }

        private func showAll() async throws {
            let book = try await vault.openExisting()
            var rows: [CodesScreen.Row] = []
            for account in try await book?.accounts() ?? [] where account.codes != nil {
                if let book, !account.asksEachTime, account.codes?.isCounted == false {
                    rows.append(.code(try await book.open(account)))
                } else {
                    rows.append(.named(account))
                }
            }
            if isLive && !rows.isEmpty { return try await CodesScreen(rows: rows).run() }
            let codes = rows.map { row in
                switch row {
                case .code(let opened): line(opened)
                case .named(let account): line(account, code: nil, counter: nil)
                }
            }
            try print(codes, one: nil)
        }

        private func line(_ opened: OpenedCodes, at now: Date = Date()) -> Answer.Code {
            Answer.Code(
                id: opened.account.id, issuer: opened.account.issuer, name: opened.account.name,
                code: opened.code(at: now).stringCode, secondsRemaining: opened.secondsRemaining(at: now),
                period: opened.period, counter: nil)
        }

        private func line(_ account: Account, code: String?, counter: UInt64?) -> Answer.Code {
            Answer.Code(
                id: account.id, issuer: account.issuer, name: account.name, code: code, secondsRemaining: nil,
                period: nil, counter: counter)
        }

        private func print(_ codes: [Answer.Code], one account: Account?) throws {
            try output.show(Answer(codes: codes)) {
                if account != nil, !Terminal.isOutputTerminal { return codes.compactMap(\.code) }
                if codes.isEmpty { return ["There are no codes. `countersign authenticator enroll` adds an account."] }
                var table = Table("CODE", "LEFT", "ISSUER", "NAME", "ID")
                for code in codes {
                    table.add(
                        code.code ?? "name it", code.secondsRemaining.map { "\($0) s" }, code.issuer, code.name, code.id
                    )
                }
                return table.lines
            }
        }
    }
}
