import ClientHTTP
import CountersignCore
import CountersignServer
import Foundation
import IBMMobileFirstPlatformFoundation
import SecurityChecks
import ServerTestSupport

/// The real server in this process, with the samples that it has under `--dev`; gone when the body returns.
struct RealServer: Sendable {
    let url: URL
    let realm: Realm
    /// What the clients of this server take for the time; moved with the server's.
    let clock = TestClock()

    static func run(
        configure: (inout CountersignServer.Options) -> Void = { _ in },
        _ body: @escaping @Sendable (RealServer) async throws -> Void
    ) async throws {
        try await ServerInProcess.run(in: "mobilefirst", configure: configure) { url, opened in
            try await body(RealServer(url: url, realm: opened.realm))
        }
    }

    /// Puts other versions in the place of a sample's.
    func setVersion(
        of sample: String = "", _ change: @escaping @Sendable (inout ApplicationVersion) -> Void
    ) async throws {
        _ = try await realm.applications.change(
            ClientID(rawValue: "com.countersign.dev" + (sample.isEmpty ? "" : "." + sample)), by: .commandLine
        ) { registration in
            for index in registration.versions.indices { change(&registration.versions[index]) }
        }
    }

    /// Time passes, here and there.
    func advance(_ seconds: Int) async throws {
        clock.advance(TimeInterval(seconds))
        guard let target = URL(string: "\(url.absoluteString)/dev/clock") else { return }
        _ = try await HTTPClient().post(json: ["advanceSeconds": seconds], to: target)
    }

    /// An installation of one of the samples, on a device of its own.
    func app(_ sample: String = "", storage: TestStorage = TestStorage(), version: String = "1.0.0") -> RealApp {
        RealApp(server: self, sample: sample, storage: storage, version: version)
    }
}

struct RealApp: Installed {
    let session: SecuritySession
    private let transport = CountingTransport()

    /// What was asked, by methods and the last parts of paths.
    var trace: [String] { transport.trace.current }
    func count(_ request: String) -> Int { trace.filter { $0 == request }.count }

    /// Finding a key takes a while; these are for one process anyway, and each app has its own.
    init(server: RealServer, sample: String, storage: TestStorage, version: String) {
        let clock = server.clock
        session = SecuritySession(
            applicationID: "com.countersign.dev" + (sample.isEmpty ? "" : "." + sample), version: version,
            server: server.url, transport: transport, storage: storage, keys: InMemoryClientKeys(), now: { clock.now })
    }
}

/// Sends for real, and writes down what.
final class CountingTransport: HTTPTransport {
    let trace = Locked<[String]>([])

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        trace.withLock { $0.append("\(request.method) \(request.url.lastPathComponent)") }
        return try await URLSessionTransport.shared.send(request)
    }
}
