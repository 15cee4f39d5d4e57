import ClientHTTP
import CountersignCore
import CountersignServer
import Foundation
import IBMMobileFirstPlatformFoundation
import ServerTestSupport

/// The real server in this process, with the samples that it has under `--dev`; gone when the body returns.
struct RealServer: Sendable {
    let url: URL
    let realm: Realm
    /// What the clients of this server take for the time; moved with the server's.
    let clock = TestClock()

    static func run(_ body: @escaping @Sendable (RealServer) async throws -> Void) async throws {
        try await ServerInProcess.run(in: "mobilefirst") { url, opened in
            try await body(RealServer(url: url, realm: opened.realm))
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

    /// Finding a key takes a while; these are for one process anyway, and each app has its own.
    init(server: RealServer, sample: String, storage: TestStorage, version: String) {
        let clock = server.clock
        session = SecuritySession(
            applicationID: "com.countersign.dev" + (sample.isEmpty ? "" : "." + sample), version: version,
            server: server.url, storage: storage, keys: InMemoryClientKeys(), now: { clock.now })
    }
}
