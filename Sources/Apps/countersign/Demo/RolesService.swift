import CountersignCore
import Foundation
import Hummingbird
import Logging

/// The developer's own service, which provides a user's roles for tokens: a custom authentication extension for
/// `token-issuance-start`. In this process, on a port of its own, for as long as the body runs.
struct RolesService: Sendable {
    let url: String

    static func run(_ body: @escaping @Sendable (RolesService) async throws -> Void) async throws {
        let (addresses, announce) = AsyncStream<Int>.makeStream()
        let router = Router()
        router.post("claims") { request, _ in
            let call = try await request.body.collect(upTo: 1 << 16)
            let json = try JSONDecoder().decode(JSONValue.self, from: Data(call.readableBytesView))
            return try answer(to: json["data"]?["authenticationContext"]?["user"]?["mail"]?.stringValue ?? "")
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                announce.yield(channel.localAddress?.port ?? 0)
                announce.finish()
            }, logger: Logger(label: "roles", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { announce.finish() }
                try await application.run()
            }
            var port: Int?
            for await one in addresses { port = one }
            guard let port else {
                throw DemoNarrator.Disappointment(description: "The developer's service did not start.")
            }
            try await body(RolesService(url: "http://127.0.0.1:\(port)/claims"))
            tasks.cancelAll()
        }
    }

    private static func answer(to email: String) throws -> Response {
        let roles: [JSONValue] = email.hasPrefix("katherine@") ? [.string("Navigator"), .string("Mathematician")] : []
        let action: JSONValue = .object([
            "@odata.type": .string("microsoft.graph.tokenIssuanceStart.provideClaimsForToken"),
            "claims": .object(["roles": .array(roles)]),
        ])
        let answer: JSONValue = .object([
            "data": .object([
                "@odata.type": .string("microsoft.graph.onTokenIssuanceStartResponseData"),
                "actions": .array([action]),
            ])
        ])
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(answer))))
    }
}
