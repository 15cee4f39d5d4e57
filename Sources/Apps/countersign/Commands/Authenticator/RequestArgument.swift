import ArgumentParser
import AuthenticatorBook
import Foundation

/// The request that `allow` and `deny` answer.
struct RequestArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The request's id, as `watch` shows it.", valueName: "request"))
    var id: String?

    @Flag(help: "The newest waiting request.")
    var latest = false

    @Flag(help: "With --latest: do not ask for confirmation.")
    var yes = false

    func validate() throws {
        if (id == nil) != latest { throw ValidationError("Give the id of a request, or --latest.") }
        if yes && !latest { throw ValidationError("--yes goes with --latest: an id needs no confirmation.") }
    }

    /// The one that is meant. With `--latest` it is shown, and confirmed at a terminal.
    func request(in book: AccountBook?, verb: String, output: OutputOptions) async throws -> SignInRequest {
        if latest && !yes && !Terminal.canAsk {
            throw CommandFailure(
                .usage,
                "Without a terminal the latest request cannot be confirmed. Give its id, or add --yes.")
        }
        guard let book else { throw CommandFailure(.notFound, "There are no accounts that answer requests.") }
        let accounts = try await book.devices()
        guard !accounts.isEmpty else { throw CommandFailure(.notFound, "There are no accounts that answer requests.") }
        let (requests, failures) = await book.waiting(for: accounts)
        let found = latest ? requests.last : try only(requests)
        guard let found else {
            // Where some could not be asked, it may be among theirs.
            if let (account, failure) = failures.first {
                throw CommandFailure(ExitStatus(failure), "\(account.label): \(failure.description)")
            }
            throw CommandFailure(.notFound, latest ? "No request is waiting." : "No request \(id ?? "") is waiting.")
        }
        if latest, !output.json { found.lines(now: Date()).forEach { Terminal.say($0) } }
        if latest, !yes, !Terminal.confirms("\(verb) it?") { throw CommandFailure(.refused, "No answer was sent.") }
        return found
    }

    private func only(_ requests: [SignInRequest]) throws -> SignInRequest? {
        let id = id?.lowercased() ?? ""
        let found = requests.filter { !id.isEmpty && $0.id.hasPrefix(id) }
        guard found.count < 2 else {
            throw CommandFailure(.usage, "Several requests begin with \(id). Give all of the id.")
        }
        return found.first
    }
}

extension ExitStatus {
    init(_ failure: DeviceFailure) {
        self =
            switch failure.kind {
            case .unreachable: .unreachable
            case .gone, .unknownDevice: .notFound
            case .keychain, .refused: .refused
            }
    }
}
