import Foundation
import NIOCore

/// Lists and searches of the console among a million users, on one connection: a page is to be there within 50 ms, the thousandth as
/// the first.
enum UserLists {
    /// What is looked at: a page of a list, by the place where it begins, or a search.
    enum Look: Sendable {
        case users(page: Int)
        case log(page: Int)
        /// The page before the last one that was turned to.
        case back(Workbench.List)
        case search(String)
        /// What the id of some user begins with.
        case idSearch
    }

    static func look(
        _ bench: Workbench, _ look: Look, _ kind: Workbench.Subject.Kind
    ) async throws -> [Quantity: [Double]] {
        let (subject, cookie) = try await owner(bench, kind)
        let path: String
        switch look {
        case .users(let page): path = "users" + (try await place(page, of: .users, bench, subject, kind))
        case .log(let page): path = "log" + (try await place(page, of: .log, bench, subject, kind))
        case .back(let list):
            let place = try await bench.places(list, subject, kind).last
            path = (list == .users ? "users" : "log") + (place.map { "?before=\($0)" } ?? "")
        case .search(let text): path = "users?q=\(text)"
        case .idSearch: path = "users?q=\(try await idPrefix(bench, subject))"
        }
        let request = Listed.request(path, cookie: cookie)
        return try await bench.measure(subject.server, connections: 1) { _ in AskingInTurn([request]) }.quantities
    }

    /// The same without pages: what an operator's program asks.
    static func operation(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let (subject, _) = try await owner(bench, kind)
        let places = try await bench.places(.users, subject, kind)
        let body = "{\"limit\":\(Listed.pageLength)\(places.last.map { ",\"after\":\"\($0)\"" } ?? "")}"
        let request = RequestText.post(
            "/admin/v1/users:search", body, source: Listed.owner.source, bearer: subject.adminToken)
        return try await bench.measure(subject.server, connections: 1) { _ in
            AskingInTurn([request], word: "\"users\"")
        }.quantities
    }

    /// What two hundred pages leave in the server's memory, after as many have been looked at.
    static func memory(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let (subject, cookie) = try await owner(bench, kind)
        let requests = try await bench.places(.users, subject, kind).prefix(200).map {
            Listed.request("users?after=\($0)", cookie: cookie)
        }
        func turn() async throws {
            _ = try await bench.load.run(port: subject.server.port, connections: 1, seconds: 600) { _ in
                AskingInTurn(requests, cycles: false)
            }
        }
        try await turn()
        let before = subject.server.figures.memory
        try await turn()
        guard let before, let after = subject.server.figures.memory else { return [:] }
        return [
            .resident: [after.resident],
            .kibibytesEach: [(after.resident - before.resident) * 1024 / Double(max(1, requests.count))],
        ]
    }

    private static func owner(
        _ bench: Workbench, _ kind: Workbench.Subject.Kind
    ) async throws -> (Workbench.Subject, cookie: String) {
        let subject = try await bench.subject(kind)
        return (subject, await bench.cookies[kind]?.first ?? "")
    }

    /// The query of a page; of fewer users than there would have to be, of the last one.
    private static func place(
        _ page: Int, of list: Workbench.List, _ bench: Workbench, _ subject: Workbench.Subject,
        _ kind: Workbench.Subject.Kind
    ) async throws -> String {
        guard page > 1 else { return "" }
        let places = try await bench.places(list, subject, kind)
        return places.isEmpty ? "" : "?after=\(places[min(page - 2, places.count - 1)])"
    }

    private static func idPrefix(_ bench: Workbench, _ subject: Workbench.Subject) async throws -> String {
        let answers = Collected<String>()
        let request = RequestText.post(
            "/admin/v1/users:search", "{\"limit\":1}", source: Listed.owner.source, bearer: subject.adminToken)
        _ = try await bench.load.run(port: subject.server.port, connections: 1, seconds: 10) { _ in
            Asking(request, answers: answers)
        }
        let body = ByteBuffer(string: answers.take() ?? "")
        return String(try Answer(status: 200, body: body).text("id").prefix(6))
    }
}

extension BenchCase {
    /// The rows of one store.
    private static func lists(_ kind: Workbench.Subject.Kind, prefix: String, on store: String) -> [BenchCase] {
        func row(_ name: String, _ title: String, _ look: UserLists.Look) -> BenchCase {
            BenchCase(name: prefix + name, title: "\(title), \(store)", section: .lists) {
                try await UserLists.look($0, look, kind)
            }
        }
        return [
            row("users-page-1", "users: first page", .users(page: 1)),
            row("users-page-2", "users: second page", .users(page: 2)),
            row("users-page-1000", "users: page 1,000", .users(page: Listed.farPage)),
            row("users-back", "users: back from page 1,000", .back(.users)),
            row("users-by-address", "users: address begins with `person4711`", .search("person4711")),
            row("users-by-whole-address", "users: one whole address", .search("person77@bench.example")),
            row("users-by-name", "users: name begins with `Maria` (one of twenty)", .search("Maria")),
            row("users-by-rare-name", "users: name begins with `Olga Zh`", .search("Olga%20Zh")),
            row("users-by-id", "users: id begins with six characters", .idSearch),
            row("users-by-nothing", "users: nothing begins so", .search("zzzzzz")),
            row("log-page-1", "log: first page", .log(page: 1)),
            row("log-page-1000", "log: page 1,000", .log(page: Listed.farPage)),
            row("log-back", "log: back from page 1,000", .back(.log)),
            BenchCase(
                name: prefix + "users-operation", title: "`users:search`, page 1,000, \(store)", section: .lists
            ) { try await UserLists.operation($0, kind) },
            BenchCase(
                name: prefix + "users-200-pages", title: "memory: two hundred pages after as many, \(store)",
                section: .lists
            ) { try await UserLists.memory($0, kind) },
        ]
    }

    static let listsOnSQLite = lists(.listed, prefix: "", on: "SQLite")
    static let listsOnPostgres = lists(.listedPostgres, prefix: "postgres-", on: "PostgreSQL")
    static let ofLists = listsOnSQLite + listsOnPostgres
}
