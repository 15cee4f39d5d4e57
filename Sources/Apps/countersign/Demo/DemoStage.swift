import ClientHTTP
import CountersignCore
import CountersignServer
import Foundation
import Logging

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server of the demonstration's own: in this process, on a free port, on a data directory that goes with it.
struct DemoStage: Sendable {
    /// Where the server listens.
    let url: URL
    /// What goes when the demonstration ends.
    let folder: URL

    /// Starts a server under `--dev`, hands it over, and stops it however the body ends.
    static func run<T: Sendable>(_ body: @escaping @Sendable (DemoStage) async throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "countersign-demo-\(UUID().uuidString)")
        let leftover = Leftover(folder.path)
        defer {
            try? FileManager.default.removeItem(at: folder)
            withExtendedLifetime(leftover) {}
        }
        let opened = try await OpenedRealm.open(DataDirectory(path: folder.path), isDevelopment: true)
        var logger = Logger(label: "countersign")
        logger.logLevel = .error
        let server = CountersignServer(
            opened, options: CountersignServer.Options(port: 0, isDevelopment: true), logger: logger)
        let result: Result<T, any Error>
        do {
            result = .success(try await server.serving { try await body(DemoStage(url: $0, folder: folder)) })
        } catch {
            result = .failure(error)
        }
        try await opened.close()
        return try result.get()
    }

    // MARK: What programs do beside the app

    /// What administrators show.
    var adminToken: String {
        get throws {
            try String(contentsOf: folder.appendingPathComponent("admin-token"), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Sends JSON, and answers what comes back, whatever its status.
    func send(
        _ method: String, _ path: String, _ body: [String: JSONValue]? = nil, headers: [String: String] = [:]
    ) async throws -> JSONValue {
        guard let target = URL(string: "/\(path)", relativeTo: url) else {
            throw DemoNarrator.Disappointment(description: "\(path) is no path.")
        }
        var request = URLRequest(url: target)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        let (data, _) = try await URLSession.shared.answer(to: request)
        return try JSONDecoder().decode(JSONValue.self, from: data)
    }

    // MARK: What a person does beside the app

    private struct Inbox: Decodable {
        let messages: [Message]

        struct Message: Decodable {
            let to: String
            let subject: String
            let payload: [String: String]
        }
    }

    /// What the newest mail to an address says, as the inbox shows it.
    private func newestMail(to address: String) async throws -> Inbox.Message {
        let (data, _) = try await URLSession.shared.answer(
            to: URLRequest(url: url.appendingPathComponent("dev/inbox.json")))
        let inbox = try JSONDecoder().decode(Inbox.self, from: data)
        guard let mail = inbox.messages.last(where: { $0.to == address }) else {
            throw DemoNarrator.Disappointment(description: "No mail arrived for \(address).")
        }
        return mail
    }

    /// The link in the newest mail to an address.
    func mailedLink(to address: String) async throws -> (subject: String, link: URL) {
        let mail = try await newestMail(to: address)
        guard let link = mail.payload["link"].flatMap({ URL(string: $0) }) else {
            throw DemoNarrator.Disappointment(description: "The mail to \(address) has no link.")
        }
        return (mail.subject, link)
    }

    /// The code in the newest mail to an address.
    func mailedCode(to address: String) async throws -> (subject: String, code: String) {
        let mail = try await newestMail(to: address)
        guard let code = mail.payload["code"] else {
            throw DemoNarrator.Disappointment(description: "The mail to \(address) has no code.")
        }
        return (mail.subject, code)
    }

    /// Opens the page of a link and presses its button.
    func press(buttonBehind link: URL) async throws {
        guard var components = URLComponents(url: link, resolvingAgainstBaseURL: false),
            let form = components.percentEncodedQuery
        else { throw DemoNarrator.Disappointment(description: "The link \(link) cannot be read.") }
        components.query = nil
        guard let page = components.url else { return }
        var request = URLRequest(url: page)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(form.utf8)
        let (_, response) = try await URLSession.shared.answer(to: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw DemoNarrator.Disappointment(description: "The page of the link did not accept it.")
        }
    }

    /// Moves the server's clock, so that the demonstration need not wait for the next code.
    func advanceClock(seconds: Int) async throws {
        var request = URLRequest(url: url.appendingPathComponent("dev/clock"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("{\"advanceSeconds\":\(seconds)}".utf8)
        let (_, response) = try await URLSession.shared.answer(to: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw DemoNarrator.Disappointment(description: "The clock of the server could not be moved.")
        }
    }
}
