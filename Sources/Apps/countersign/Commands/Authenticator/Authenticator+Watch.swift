import ArgumentParser
import AuthenticatorBook
import Foundation

extension AuthenticatorCommand {
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Show sign-in requests as they arrive, and answer them.",
            discussion: """
                At a terminal each request is shown with browser, location and time, and a key answers it: a allows, d denies \
                with a reason, n says that it was not you, l leaves it for later, q ends. The device's key asks for the \
                passcode at each answer.

                Without a terminal, and with --json, requests are printed as they arrive, a line each, without a prompt. \
                `allow` and `deny` answer them.
                """)

        @Flag(help: "Print the waiting requests, and exit.")
        var once = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {}

        func run() async throws {
            // What opened the vault does not answer requests.
            let book = try await vault.openExisting(keepingAnswer: false)
            let accounts = try await book?.devices() ?? []
            guard let book, !accounts.isEmpty else {
                throw CommandFailure(
                    .notFound,
                    "There are no accounts that answer requests. Use `enroll` with a server's link.")
            }
            if once { return try await showWaiting(book, accounts) }
            if !output.json, Terminal.isOutputTerminal, isatty(STDIN_FILENO) == 1 {
                return try await WatchSession(book, accounts).run()
            }
            var failure: DeviceFailure?
            for await event in book.requests(of: accounts) {
                switch event {
                case .request(let request): try show(request)
                case .ended(let account, let reason):
                    failure = reason
                    Terminal.say("countersign: \(account.label.printable): \(reason.description.printable)")
                }
            }
            throw CommandFailure(failure.map(ExitStatus.init) ?? .refused, "No account is left to watch.")
        }

        private func showWaiting(_ book: AccountBook, _ accounts: [Account]) async throws {
            let (requests, failures) = await book.waiting(for: accounts)
            for request in requests { try show(request) }
            for (account, failure) in failures {
                Terminal.say("countersign: \(account.label.printable): \(failure.description.printable)")
            }
            if let failure = failures.first?.1 {
                throw CommandFailure(ExitStatus(failure), "Not every server could be reached.")
            }
            if requests.isEmpty, !output.json { Terminal.print("No request is waiting.") }
        }

        private func show(_ request: SignInRequest) throws {
            if output.json { return Terminal.print(try OutputOptions.text(of: RequestSummary(request), pretty: false)) }
            request.lines(now: Date()).forEach { Terminal.print($0) }
        }
    }
}
