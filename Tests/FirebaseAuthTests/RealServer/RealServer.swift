import CountersignCore
import CountersignServer
import FirebaseAuth
import Foundation
import ServerTestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The real server in this process, and a client of it; both gone when the body returns.
enum RealServer {
    /// - Parameter isDevelopment: false serves production mode, with signed tokens and a checked API key.
    static func run(
        isDevelopment: Bool = true, _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await ServerInProcess.run(in: "client", isDevelopment: isDevelopment) { url, opened in
            try await body(RunningServer(url: url, realm: opened.realm))
        }
    }
}

struct RunningServer: Sendable {
    let url: URL
    let realm: Realm

    /// A client of this server, as an app configures it.
    func auth(apiKey: String = "dev-app") -> Auth {
        let name = "app-\(UUID().uuidString)"
        let options = FirebaseOptions(googleAppID: "1:1:ios:test", gcmSenderID: "1")
        options.apiKey = apiKey
        FirebaseApp.configure(name: name, options: options)
        // It was configured in the line before.
        guard let app = FirebaseApp.app(name: name) else { fatalError("The app is not there.") }
        let auth = Auth.auth(app: app)
        auth.useEmulator(withHost: url.host ?? "127.0.0.1", port: url.port ?? 80)
        return auth
    }

    /// The code of the newest mail's link.
    func mailedCode() async throws -> String? {
        let messages = try await realm.outbox.messages()
        let link = messages.last?.content.values["link"]
        return link.flatMap { URLComponents(string: "http://localhost/\($0)") }?
            .queryItems?.first { $0.name == "oobCode" }?.value
    }

    func advanceClock(seconds: Int) async throws {
        var request = URLRequest(url: url.appendingPathComponent("dev/clock"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("{\"advanceSeconds\":\(seconds)}".utf8)
        _ = try await URLSession.shared.data(for: request)
    }
}
