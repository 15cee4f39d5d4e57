import AdminServer
import ClientHTTP
import CountersignCore
import CountersignServer
import Foundation

/// Where operations are done.
protocol Administration: Sendable {
    func perform<Operation: AdministrationOperation>(_ operation: Operation) async throws -> Operation.Answer
    func close() async throws
}

/// On the realm itself, in this process.
struct LocalAdministration: Administration {
    let opened: OpenedRealm

    func perform<Operation: AdministrationOperation>(_ operation: Operation) async throws -> Operation.Answer {
        try await operation.perform(on: opened.realm, as: .commandLine, by: .commandLine)
    }

    func close() async throws { try await opened.close() }
}

/// By a server that runs elsewhere.
struct RemoteAdministration: Administration {
    private let base: URL
    private let token: String
    private let client = HTTPClient()

    /// - Parameter server: `https://login.example.com`, or plain http on this machine.
    init(server: String, token: String) throws {
        guard let url = URL(string: server.hasSuffix("/") ? String(server.dropLast()) : server),
            ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false, url.query == nil
        else {
            throw CommandFailure(
                .usage, "\"\(server)\" is no URL of a server. Write one such as https://login.example.com.")
        }
        guard !token.isEmpty, token.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F }) else {
            throw CommandFailure(.usage, "The administrator's token is empty or malformed.")
        }
        base = url
        self.token = token
    }

    func perform<Operation: AdministrationOperation>(_ operation: Operation) async throws -> Operation.Answer {
        guard let url = URL(string: "\(base.absoluteString)/admin/v1/\(Operation.name)") else {
            throw CommandFailure(.usage, "\"\(base)\" is no URL of a server.")
        }
        let response: HTTPClientResponse
        do {
            response = try await client.post(json: operation, to: url, headers: ["Authorization": "Bearer \(token)"])
        } catch let error as HTTPClientError where error.isPlainHTTPRefused {
            throw CommandFailure(.usage, "\(error.description) The token would be sent unencrypted: use https.")
        } catch let error as HTTPClientError where error.isUnreachable || error.isTimedOut {
            // An untrusted certificate and an unreachable server have different remedies.
            let reason = error.underlying.map { " (\($0.localizedDescription))" } ?? ""
            throw CommandFailure(
                .unreachable, "\(base) cannot be reached\(reason). Is the server running, and is the address right?")
        }
        let decoder = JSONDecoder()
        if response.status == 200, let answer = try? decoder.decode(Operation.Answer.self, from: response.body) {
            return answer
        }
        if let body = try? decoder.decode(AdministrationErrorBody.self, from: response.body) { throw body.value }
        throw CommandFailure(
            .unreachable,
            "\(base) answers with status \(response.status), but not as Countersign does. Is the address right?")
    }

    func close() async throws {}
}
