import CountersignCore
import CountersignServer
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import PasswordHashing
import TestSupport
import Testing

/// A database of an earlier version, and the requests that finish what is pending in it.
struct KeptData: Sendable, CustomTestStringConvertible {
    let folder: URL
    let steps: [Step]
    /// Stands still at the instant at which everything was pending.
    let clock: KeptClock

    var testDescription: String { folder.lastPathComponent }

    static let hashing = Argon2idParameters.weakest(threads: 2)

    /// One request, and what its answer has to be.
    struct Step: Decodable, Sendable {
        let name: String
        let request: Request
        let status: Int
        /// Members that have to be there, by their paths: `user.id`, `sessions.0.user`.
        let has: [String]
        /// Members that have to be equal, by their paths.
        let value: [String: Value]

        struct Request: Decodable, Sendable {
            let method: String
            let path: String
            let headers: [String: String]
            let body: String?
        }
    }

    enum Value: Decodable, Sendable, Equatable, CustomStringConvertible {
        case text(String)
        case number(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var description: String {
            switch self {
            case .text(let text): text
            case .number(let number): "\(number)"
            }
        }
    }

    private struct Document: Decodable {
        let now: Double
        let steps: [Step]
    }

    /// Those of a store, the oldest first: the folders `Kept/<schema version>-<store>`.
    static func all(_ store: String) throws -> [KeptData] {
        let parent = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Kept")
        let names = try FileManager.default.contentsOfDirectory(atPath: parent.path).filter {
            $0.hasSuffix("-\(store)")
        }
        return try names.sorted().map { name in
            let folder = parent.appending(path: name)
            let document = try JSONDecoder().decode(
                Document.self, from: Data(contentsOf: folder.appending(path: "steps.json")))
            return KeptData(folder: folder, steps: document.steps, clock: KeptClock(at: document.now))
        }
    }

    /// Runs with a copy of the data directory, which is gone afterwards.
    func withCopy(_ body: (DataDirectory) async throws -> Void) async throws {
        let path = try TestRun.place(for: "kept").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.copyItem(atPath: folder.path, toPath: path)
        for name in ["steps.json", "postgres.sql"] { try? FileManager.default.removeItem(atPath: "\(path)/\(name)") }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(path)/\(name)")
        }
        try await body(DataDirectory(path: path))
    }

    /// Sends every request, or those of these names, and compares.
    /// - Parameter look: sees the answers.
    func finish(
        _ opened: OpenedRealm, only names: Set<String>? = nil,
        look: @Sendable @escaping (Any?) throws -> Void = { _ in }
    ) async throws {
        let logger = Logger(label: "kept") { _ in SwiftLogNoOpLogHandler() }
        let server = CountersignServer(
            opened, options: .init(isDevelopment: true, tlsEndedByProxy: true), logger: logger)
        let application = Application(responder: try server.responder(), logger: logger)
        do {
            try await application.test(.router) { client in
                for (number, step) in steps.enumerated() where names?.contains(step.name) ?? true {
                    try await perform(step, from: "10.0.\(number / 250).\(number % 250 + 1)", on: client, look)
                }
            }
            try await opened.close()
        } catch {
            try? await opened.close()
            throw error
        }
    }

    private func perform(
        _ step: Step, from address: String, on client: any TestClientProtocol, _ look: (Any?) throws -> Void
    ) async throws {
        var headers = HTTPFields()
        for (name, value) in step.request.headers { headers[try #require(HTTPField.Name(name))] = value }
        headers[try #require(HTTPField.Name("X-Forwarded-For"))] = address
        let response = try await client.executeRequest(
            uri: step.request.path, method: try #require(HTTPRequest.Method(step.request.method)), headers: headers,
            body: step.request.body.map { ByteBuffer(string: $0) })
        let text = String(buffer: response.body)
        #expect(response.status.code == step.status, "\(step.name): \(text)")
        let document = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        try look(document)
        for path in step.has { #expect(Self.member(path, of: document) != nil, "\(step.name): \(path) in \(text)") }
        for (path, value) in step.value {
            let found = Self.member(path, of: document).map { "\($0)" }
            #expect(found == value.description, "\(step.name): \(path) in \(text)")
        }
    }

    private static func member(_ path: String, of document: Any?) -> Any? {
        path.split(separator: ".").reduce(document) { found, name in
            if let list = found as? [Any] { return Int(name).flatMap { list.indices.contains($0) ? list[$0] : nil } }
            return (found as? [String: Any])?[String(name)]
        }
    }
}

/// A clock that stands still, years before the machine's.
struct KeptClock: WallClock {
    let now: Date
    /// The database's time goes on: it is taken back to the same instant each time.
    var displacement: TimeInterval { now.timeIntervalSince(Date()) }

    init(at seconds: Double) {
        now = Date(microseconds: Int64(seconds * 1_000_000))
    }
}
