import AccountServer
import ArgumentParser
import ClientHTTP
import CountersignClient
import CountersignCore
import Foundation

/// `/account/v1` of the server that a user is signed in at, in that user's name.
struct AccountAccess {
    private let entry: KeptSignIns.Entry
    private let session: CountersignSession

    /// - Throws: ``CommandFailure`` where no user is signed in.
    init(_ signIn: SignInOptions) async throws {
        guard try await signIn.vault.openExisting() != nil else { throw SignInOptions.noSignIn }
        try self.init(of: signIn)
    }

    /// The same where the vault is open already.
    init(of signIn: SignInOptions) throws {
        entry = try signIn.entry(try KeptSignIns.load())
        session = CountersignSession(entry.application, storage: KeptSignIns.storage)
    }

    /// As the server calls itself.
    var issuer: String { entry.issuer }

    /// Calls an endpoint without a body.
    /// - Parameters:
    ///   - endpoint: method and path, such as `DELETE /factors/{id}`.
    ///   - name: what stands in the place of the braces.
    func call<Answer: Decodable>(
        _ endpoint: String, _ name: String = "", query: [(name: String, value: String?)] = [],
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await send(endpoint, name, query: query, body: nil)
    }

    /// Calls an endpoint with a body.
    func call<Answer: Decodable>(
        _ endpoint: String, _ name: String = "", _ body: some Encodable, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await send(endpoint, name, body: try JSONEncoder().encode(body))
    }

    private func send<Answer: Decodable>(
        _ endpoint: String, _ name: String, query: [(name: String, value: String?)] = [], body: Data?
    ) async throws -> Answer {
        let parts = endpoint.split(separator: " ", maxSplits: 1).map(String.init)
        let path = parts[1].replacing(/\{[a-z]+\}/, with: name.percentEncoded)
        let items = query.compactMap { item in item.value.map { "\(item.name)=\($0.percentEncoded)" } }
        let text =
            "\(entry.issuer)/account/v1\(path)" + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
        guard let url = URL(string: text) else {
            throw CommandFailure(.usage, "\"\(entry.issuer)\" is no URL of a server.")
        }
        let answer = try await session.send(
            parts[0], url, headers: body == nil ? [:] : ["Content-Type": "application/json"], body: body)
        let decoder = JSONDecoder()
        if (200..<300).contains(answer.status), let value = try? decoder.decode(Answer.self, from: answer.body) {
            return value
        }
        guard let problem = try? decoder.decode(Problem.self, from: answer.body) else {
            throw CommandFailure(
                .unreachable,
                "\(entry.issuer) answers with status \(answer.status), but not as Countersign does. Is it one?")
        }
        let challenge = answer.headers.first { $0.key.lowercased() == "www-authenticate" }?.value ?? ""
        throw failure(problem.error, challenge)
    }

    private struct Problem: Decodable {
        struct Content: Decodable {
            /// Those of `AccountProblem`.
            let code: String
            let message: String
        }

        let error: Content
    }

    /// What is wrong and what to do next.
    private func failure(_ problem: Problem.Content, _ challenge: String) -> CommandFailure {
        switch problem.code {
        case "not_found": return CommandFailure(.notFound, problem.message)
        case "invalid", "weak_password": return CommandFailure(.usage, problem.message)
        case "unavailable", "outcome_unknown", "internal_error": return CommandFailure(.unreachable, problem.message)
        case "unauthorized":
            return CommandFailure(.notFound, "\(problem.message) Sign in with `\(login(["account"]))`.")
        case "forbidden":
            return CommandFailure(.refused, "\(problem.message) Sign in with `\(login(["account"]))`.")
        case "proof_too_old":
            let acr = challenge.contains("acr_values=\"aal2\"") ? " --acr aal2" : ""
            return CommandFailure(
                .refused, "\(problem.message) Then give the command again: `\(login(["account"])) --max-age 0\(acr)`.")
        default: return CommandFailure(.refused, problem.message)
        }
    }

    /// The sign-in that would do.
    private func login(_ needed: [String]) -> String {
        let scopes = entry.scopes + needed.filter { !entry.scopes.contains($0) }
        return "countersign login --issuer \(entry.issuer) --scope \"\(scopes.joined(separator: " "))\""
    }
}

/// A code that came by mail, or that an app shows.
enum CodeInput {
    /// Asks at a terminal, and shows what is typed; else reads a line of standard input.
    static func text(asking question: String) throws -> String {
        if Terminal.canAsk { Terminal.write("\(question): ") }
        guard let line = readLine()?.filter({ !$0.isWhitespace }), !line.isEmpty else {
            throw CommandFailure(.usage, "There is no code.")
        }
        return line
    }
}

extension AccountFactor {
    /// What it is called, or what it is.
    var shownName: String { name.isEmpty ? kind : name }
}
