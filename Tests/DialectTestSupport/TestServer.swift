import CountersignCore
import CountersignServer
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import PasswordHashing
import SecurityChecks
import ServerHTTP
import Synchronization
import TestSupport
import Testing

/// A whole server in this process, without sockets: what a request meets is what it meets in production.
package struct TestServer: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        case production
        case development
    }

    package let mode: Mode
    package let opened: OpenedRealm
    package let countersign: CountersignServer
    package let clock: FrozenClock
    /// The first application's API key.
    package let key: String
    package let adminToken: String
    private let client: any TestClientProtocol

    package var realm: Realm { opened.realm }
    package var now: Date { realm.clock.now }

    /// Runs a test against a fresh server, which is gone afterwards.
    /// - Parameter checks: security checks of the realm, in place of the samples of a development server.
    package static func with<T: Sendable>(
        _ mode: Mode = .production, publicURLs: [String] = [], extensions: ExtensionCallOptions = .standard,
        proofs: ProofRegistry = .standard, checks: (@Sendable (Realm) -> [SecurityCheckDefinition])? = nil,
        _ test: @Sendable (TestServer) async throws -> T
    ) async throws -> T {
        let path = try await TemplateDirectory.copy(mode)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = FrozenClock()
        let directory = try DataDirectory(path: path)
        let opened = try await OpenedRealm.open(
            directory, hashing: .weakest(threads: 2), isDevelopment: mode == .development,
            extensions: extensions, clock: clock, proofs: proofs, storePatience: .seconds(1200))
        // Behind a proxy the header names the client, so that a test can use any address.
        var options = CountersignServer.Options(
            isDevelopment: mode == .development, publicURLs: publicURLs, tlsEndedByProxy: true)
        if let checks { options.securityChecks = try SecurityCheckCatalogue(checks(opened.realm)) }
        let server = CountersignServer(opened, options: options, logger: Self.logger)
        let key = try String(contentsOfFile: directory.apiKeyPath, encoding: .utf8).trimmed
        let token = try String(contentsOfFile: directory.adminTokenPath, encoding: .utf8).trimmed
        let application = Application(responder: try server.responder(), logger: Self.logger)
        do {
            let result = try await application.test(.router) { client in
                try await test(
                    TestServer(
                        mode: mode, opened: opened, countersign: server, clock: clock, key: key, adminToken: token,
                        client: client))
            }
            try await opened.close()
            return result
        } catch {
            try? await opened.close()
            throw error
        }
    }

    /// Runs a test against two fresh servers that share their data: one directory, or a database with the keys of one.
    /// - Parameter database: nil keeps everything in the directory.
    package static func withTwo(
        database: Secret<String>? = nil, _ test: @Sendable (TestServer, TestServer) async throws -> Void
    ) async throws {
        let path =
            database == nil
            ? try await TemplateDirectory.copy(.development) : try TestRun.place(for: "two-servers").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = FrozenClock()
        try await one(path, database, clock) { first in
            try await one(path, database, clock) { second in try await test(first, second) }
        }
    }

    /// Runs a test against a server, and another one with what came of it against a server that starts on the same directory afterwards.
    package static func withRestart<T: Sendable>(
        _ before: @Sendable (TestServer) async throws -> T, after: @Sendable (TestServer, T) async throws -> Void
    ) async throws {
        let path = try await TemplateDirectory.copy(.development)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = FrozenClock()
        let kept = Mutex<T?>(nil)
        try await one(path, nil, clock) { server in
            let value = try await before(server)
            kept.withLock { $0 = value }
        }
        let value = try #require(kept.withLock { $0 })
        try await one(path, nil, clock) { try await after($0, value) }
    }

    private static func one(
        _ path: String, _ database: Secret<String>?, _ clock: FrozenClock,
        _ test: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let directory = try DataDirectory(path: path)
        let opened = try await OpenedRealm.open(
            directory, database: database, hashing: .weakest(threads: 2), isDevelopment: true, clock: clock,
            storePatience: .seconds(1200))
        let server = CountersignServer(
            opened, options: .init(isDevelopment: true, tlsEndedByProxy: true), logger: Self.logger)
        let key = try String(contentsOfFile: directory.apiKeyPath, encoding: .utf8).trimmed
        let token = try String(contentsOfFile: directory.adminTokenPath, encoding: .utf8).trimmed
        let application = Application(responder: try server.responder(), logger: Self.logger)
        let result: Result<Void, any Error>
        do {
            try await application.test(.router) { client in
                try await test(
                    TestServer(
                        mode: .development, opened: opened, countersign: server, clock: clock, key: key,
                        adminToken: token, client: client))
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try? await opened.close()
        try result.get()
    }

    /// Keeps what requests are called in the log, and writes nothing but what is critical.
    private static let logger = Logger(label: "test") { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = .critical
        return handler
    }

    /// An unused address, so that limits per source do not apply. (Under `--dev` they do not apply to loopback, but
    /// behind a proxy no client counts as loopback.)
    package static func freshAddress() -> String {
        let number = addresses.withLock { number in
            number += 1
            return number
        }
        return "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
    }

    private static let addresses = Mutex(0)

    // MARK: Requests

    /// One request, with everything about it as given. `from` is the client's address.
    package func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], body: [UInt8]? = nil,
        from: String? = nil
    ) async throws -> Reply {
        var headers = headers
        if headers[.xForwardedFor] == nil {
            headers[.xForwardedFor] = from ?? (mode == .development ? Self.freshAddress() : "192.0.2.1")
        }
        let response = try await client.executeRequest(
            uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) })
        return Reply(
            status: response.status.code, headers: response.headers, bytes: Array(response.body.readableBytesView))
    }

    /// What an SDK sends: JSON, and the API key in the query.
    package func post(
        _ path: String, _ body: JSON = [:], headers: HTTPFields = [:], from: String? = nil
    ) async throws -> Reply {
        var headers = headers
        headers[.contentType] = headers[.contentType] ?? "application/json"
        return try await send(.post, "\(path)?key=\(key)", headers: headers, body: body.bytes, from: from)
    }

    package func get(_ path: String, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, "\(path)\(path.contains("?") ? "&" : "?")key=\(key)", headers: headers)
    }

    /// The administrator's header.
    package var administrator: HTTPFields { [.authorization: "Bearer \(adminToken)"] }

    package func config() async throws -> JSON {
        let reply = try await send(.get, "/v2/projects/countersign/config", headers: administrator)
        #expect(reply.status == 200)
        return reply.json
    }

    package func changeConfig(
        mask: String?, _ body: JSON, path: String = "/v2/projects/countersign/config", headers: HTTPFields? = nil
    ) async throws -> Reply {
        var headers = headers ?? administrator
        headers[.contentType] = "application/json"
        return try await send(
            .patch, path + (mask.map { "?updateMask=\($0)" } ?? ""), headers: headers, body: body.bytes)
    }

    /// Switches TOTP, as the reference page does.
    package func setTOTP(_ state: String = "ENABLED", adjacentIntervals: Int?) async throws {
        let number: JSON = adjacentIntervals.map { ["adjacentIntervals": .integer($0)] } ?? [:]
        let reply = try await changeConfig(
            mask: "mfa", ["mfa": ["providerConfigs": [["state": .string(state), "totpProviderConfig": number]]]])
        #expect(reply.status == 200, "\(reply.text)")
    }

    package func setEmailPrivacy(_ isOn: Bool) async throws {
        let reply = try await changeConfig(
            mask: "emailPrivacyConfig", ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(isOn)]])
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// Lets links lead on to a host.
    package func authorize(_ domain: String) async throws {
        let reply = try await changeConfig(mask: "authorizedDomains", ["authorizedDomains": [.string(domain)]])
        #expect(reply.status == 200, "\(reply.text)")
    }

    // MARK: Time

    /// Moves the clock: by its route where there is one.
    package func advance(_ seconds: Double) async throws {
        guard mode == .development else { return clock.advance(seconds) }
        let reply = try await send(
            .post, "/dev/clock", headers: [.contentType: "application/json"],
            body: JSON.object(["advanceSeconds": .number(seconds)]).bytes)
        #expect(reply.status == 200)
    }
}

/// A data directory that was set up once, since making keys takes a while.
private enum TemplateDirectory {
    static func copy(_ mode: TestServer.Mode) async throws -> String {
        let template = try await (mode == .development ? development : production).value
        let path = try TestRun.place(for: "identity-toolkit").path
        try FileManager.default.copyItem(atPath: template, toPath: path)
        return path
    }

    private static let production = Task { try await make(.production) }
    private static let development = Task { try await make(.development) }

    private static func make(_ mode: TestServer.Mode) async throws -> String {
        let path = try TestRun.place(for: "identity-toolkit-template-\(mode)").path
        let opened = try await OpenedRealm.open(
            DataDirectory(path: path), hashing: .weakest(threads: 1), isDevelopment: mode == .development,
            clock: FrozenClock())
        try await opened.close()
        return path
    }
}

extension HTTPField.Name {
    package static var xForwardedFor: Self { known("X-Forwarded-For") }
}

extension String {
    package var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
