import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import PasswordHashing
import Synchronization
import TestSupport
import Testing

@testable import CountersignServer

/// A whole server in this process, without sockets: what a request meets is what it meets in production.
struct TestServer: Sendable {
    enum Mode: String, Sendable, CaseIterable {
        case production
        case development
    }

    let mode: Mode
    let opened: OpenedRealm
    let countersign: CountersignServer
    let clock: FrozenClock
    /// The first application's API key.
    let key: String
    let adminToken: String
    private let client: any TestClientProtocol

    var realm: Realm { opened.realm }
    var now: Date { realm.clock.now }

    /// Runs a test against a fresh server, which is gone afterwards.
    static func with<T: Sendable>(
        _ mode: Mode = .production, publicURLs: [String] = [], extensions: ExtensionCallOptions = .standard,
        _ test: @Sendable (TestServer) async throws -> T
    ) async throws -> T {
        let path = try await TemplateDirectory.copy(mode)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = FrozenClock()
        let directory = try DataDirectory(path: path)
        let opened = try await OpenedRealm.open(
            directory, hashing: .weakest(threads: 2), isDevelopment: mode == .development,
            extensions: extensions, clock: clock)
        // Behind a proxy the header says who asks, so that a test can be anybody.
        let server = CountersignServer(
            opened,
            options: .init(isDevelopment: mode == .development, publicURLs: publicURLs, tlsEndedByProxy: true),
            logger: Self.logger)
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

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// An address that nobody has had: limits per source do not hold for whoever comes from there. (Those of `--dev` are lifted for
    /// loopback, and behind a proxy nobody is that.)
    static func freshAddress() -> String {
        let number = addresses.withLock { number in
            number += 1
            return number
        }
        return "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
    }

    private static let addresses = Mutex(0)

    // MARK: Requests

    /// One request, with everything about it as given. `from` is the client's address.
    func send(
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
    func post(
        _ path: String, _ body: JSON = [:], headers: HTTPFields = [:], from: String? = nil
    ) async throws -> Reply {
        var headers = headers
        headers[.contentType] = headers[.contentType] ?? "application/json"
        return try await send(.post, "\(path)?key=\(key)", headers: headers, body: body.bytes, from: from)
    }

    func get(_ path: String, headers: HTTPFields = [:]) async throws -> Reply {
        try await send(.get, "\(path)\(path.contains("?") ? "&" : "?")key=\(key)", headers: headers)
    }

    /// The administrator's header.
    var administrator: HTTPFields { [.authorization: "Bearer \(adminToken)"] }

    func config() async throws -> JSON {
        let reply = try await send(.get, "/v2/projects/countersign/config", headers: administrator)
        #expect(reply.status == 200)
        return reply.json
    }

    func changeConfig(
        mask: String?, _ body: JSON, path: String = "/v2/projects/countersign/config", headers: HTTPFields? = nil
    ) async throws -> Reply {
        var headers = headers ?? administrator
        headers[.contentType] = "application/json"
        return try await send(
            .patch, path + (mask.map { "?updateMask=\($0)" } ?? ""), headers: headers, body: body.bytes)
    }

    /// Switches TOTP, as the reference page does.
    func setTOTP(_ state: String = "ENABLED", adjacentIntervals: Int?) async throws {
        let number: JSON = adjacentIntervals.map { ["adjacentIntervals": .integer($0)] } ?? [:]
        let reply = try await changeConfig(
            mask: "mfa", ["mfa": ["providerConfigs": [["state": .string(state), "totpProviderConfig": number]]]])
        #expect(reply.status == 200, "\(reply.text)")
    }

    func setEmailPrivacy(_ isOn: Bool) async throws {
        let reply = try await changeConfig(
            mask: "emailPrivacyConfig", ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(isOn)]])
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// Lets links lead on to a host.
    func authorize(_ domain: String) async throws {
        let reply = try await changeConfig(mask: "authorizedDomains", ["authorizedDomains": [.string(domain)]])
        #expect(reply.status == 200, "\(reply.text)")
    }

    // MARK: Time

    /// Moves the clock: by its route where there is one.
    func advance(_ seconds: Double) async throws {
        guard mode == .development else { return clock.advance(seconds) }
        let reply = try await send(
            .post, "/dev/clock", headers: [.contentType: "application/json"],
            body: JSON.object(["advanceSeconds": .number(seconds)]).bytes)
        #expect(reply.status == 200)
    }
}

/// What came back.
struct Reply: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Null where the body is no JSON.
    var json: JSON { (try? JSON(parsing: bytes)) ?? .null }

    /// The refusal's message; nil for a success.
    var message: String? { json["error"]["message"].text }
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
    static var xForwardedFor: Self { Self("X-Forwarded-For")! }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

// MARK: Refusals

/// The two forms of the envelope (AIP-193, and the older one of Google's APIs).
enum EnvelopeForm: Sendable {
    /// Versions 1 and 3.
    case errors
    /// Version 2, the administrator's endpoints, the token service.
    case status

    /// By path.
    init(_ path: String) {
        let path = path.prefix { $0 != "?" }
        self = path.contains("/v2/") || path.hasSuffix("v1/token") ? .status : .errors
    }
}

/// The reply is a refusal with exactly that message, in exactly that form.
func expectRefused(
    _ reply: Reply, _ message: String, _ form: EnvelopeForm, code: Int = 400, status: String = "INVALID_ARGUMENT",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == code, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(reply.headers[.contentType] == "application/json; charset=UTF-8", sourceLocation: sourceLocation)
    let golden: JSON =
        switch form {
        case .errors:
            [
                "error": [
                    "code": .integer(code), "message": .string(message),
                    "errors": [["message": .string(message), "domain": "global", "reason": "invalid"]],
                ]
            ]
        case .status:
            ["error": ["code": .integer(code), "message": .string(message), "status": .string(status)]]
        }
    expectGolden(reply.json, golden, sourceLocation: sourceLocation)
}
