import ClientHTTP
import Foundation
import JSON

/// What a request will be. It is put together when it is started, since a signature must be fresh.
struct RequestPlan<Body: Encodable & Sendable>: Sendable {
    /// What depends on the moment of sending.
    struct Content: Sendable {
        var headers: [String: String] = [:]
        var body: Body?
    }

    let method: String
    let url: URL
    /// Seconds until the whole answer must have come.
    var timeout: TimeInterval = 60
    /// The key that ``content`` signs with.
    var key: (any SigningKey)?
    var telemetry: Auth0TelemetryInfo?
    let content: @Sendable () throws -> Content

    init(
        _ method: String, _ url: URL, timeout: TimeInterval = 60, key: (any SigningKey)? = nil,
        telemetry: Auth0TelemetryInfo? = nil, content: @escaping @Sendable () throws -> Content
    ) {
        self.method = method
        self.url = url
        self.timeout = timeout
        self.key = key
        self.telemetry = telemetry
        self.content = content
    }

    /// One that cannot be sent.
    init(_ method: String, _ url: URL, failure: any Error) {
        self.init(method, url) { throw failure }
    }

    /// One whose URL may not be one.
    init(
        _ method: String, _ url: Result<URL, GuardianError>, timeout: TimeInterval = 60,
        key: (any SigningKey)? = nil, telemetry: Auth0TelemetryInfo? = nil,
        content: @escaping @Sendable (URL) throws -> Content
    ) {
        switch url {
        case .success(let url):
            self.init(method, url, timeout: timeout, key: key, telemetry: telemetry) { try content(url) }
        case .failure(let error): self.init(method, .nowhere, failure: error)
        }
    }

    /// Whether it is assembled without a prompt.
    var isReadyAtOnce: Bool { key?.signsAtOnce ?? true }

    /// The request as it goes over the wire. May wait for a prompt unless ``isReadyAtOnce``.
    func prepared() throws -> HTTPClientRequest {
        let content = try content()
        var headers = content.headers
        headers["Accept"] = "application/json"
        headers["Auth0-Client"] = telemetry?.header
        var request = HTTPClientRequest(method: method, url: url, headers: headers, timeout: timeout)
        if let body = content.body {
            request.headers["Content-Type"] = "application/json"
            do {
                request.body = try JSONEncoder.wire.encode(body)
            } catch {
                throw NetworkError(.cannotEncodeJSON, cause: error)
            }
        }
        return request
    }
}

extension JSONEncoder {
    /// The same value is always the same text.
    static var wire: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// Which app asks, for the header `Auth0-Client` (Guardian.swift, `Auth0TelemetryInfo`). Without it the header is not sent.
public struct Auth0TelemetryInfo: Sendable, Equatable {
    /// The app's name, `env.appName` of the header.
    public let name: String
    /// The app's version, `env.appVersion` of the header.
    public let version: String

    /// Names the app for the header `Auth0-Client`, which is JSON in base64url.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    private struct Form: Encodable {
        struct App: Encodable {
            let appName: String
            let appVersion: String
        }

        let name = "Countersign.Guardian"
        let version = "1.9.2"
        let env: App
    }

    /// The version is that of the vendor's API which this module follows.
    var header: String? {
        (try? JSONEncoder.wire.encode(Form(env: Form.App(appName: name, appVersion: version))))?.base64URL
    }
}
