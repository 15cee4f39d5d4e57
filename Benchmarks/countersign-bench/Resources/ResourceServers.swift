import Foundation
import IBMMobileFirstPlatformFoundation

/// The servers with resources, and a token for them.
struct ResourceServers: Sendable {
    let issuer: ServerProcess
    let service: ServerProcess
    private let session: SecuritySession

    init(in scratch: String) async throws {
        let program = ProcessInfo.processInfo.arguments[0]
        issuer = try await ServerProcess(program, ["issuer", "--data", "\(scratch)/issuer"])
        let url = "http://127.0.0.1:\(issuer.port)"
        service = try await ServerProcess(program, ["service", "--issuer", url])
        session = SecuritySession(
            applicationID: Issuer.application, version: "1.0.0", server: URL(string: url), keys: InMemoryClientKeys())
        try await WLAuthorizationManager(session: session).login(Issuer.check, withCredentials: ["pin": Issuer.pin])
    }

    /// Good for an hour; another one where less than that is left.
    func token() async throws -> String {
        try await WLAuthorizationManager(session: session).obtainAccessToken(forScope: Issuer.scope).value
    }

    func stop() async {
        await service.stop()
        await issuer.stop()
    }
}
