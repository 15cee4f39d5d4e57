import ArgumentParser
import Foundation
import Hummingbird
import Logging

/// The limit that our server is measured against: the same HTTP server, with as many threads, that says "hello".
struct Hello: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a bare \"hello\".", shouldDisplay: false)

    func run() async throws {
        let router = Router()
        router.get("/") { _, _ in "hello" }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { Announcement.write("http://127.0.0.1:\($0.localAddress?.port ?? 0)") },
            logger: Logger(label: "hello", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await application.runService()
    }
}
