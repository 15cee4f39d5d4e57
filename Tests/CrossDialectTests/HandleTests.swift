import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import Testing

/// Sends every kind of handle to every endpoint that takes one.
@Suite("Handles across protocols")
struct HandleTests {
    @Test(
        arguments: HandleKind.all)
    func `A handle is good where it belongs, and everywhere else what a made-up one is`(_ kind: HandleKind) async throws
    {
        try await Scene.with { scene in
            let handle = try await kind.make(scene)
            #expect(kind.own.isSubset(of: HandleEndpoint.all.map(\.name)))
            let before = try await Self.row(of: handle, scene)
            let events = try await Self.events(scene)
            for endpoint in HandleEndpoint.all where !kind.own.contains(endpoint.name) {
                for text in handle.texts {
                    let unknown = try await endpoint.send(scene, handle.with(Handle.madeUp(text)))
                    let reply = try await endpoint.send(scene, handle.with(text))
                    #expect((300..<500).contains(reply.status), "\(endpoint.name): \(reply.text)")
                    Self.expectNothingTold(reply, at: endpoint, scene)
                    // What an endpoint says of a signed token of ours may depend on what is in it.
                    guard !Handle.isSigned(text) else { continue }
                    #expect(reply.status == unknown.status, "\(endpoint.name): \(reply.text)")
                    #expect(reply.told == unknown.told, "\(endpoint.name)")
                }
            }
            // None of it touched the attempt, or was held against its user.
            let after = try await Self.row(of: handle, scene)
            #expect(after == before)
            #expect(try await Self.events(scene) == events)
            #expect(try await handle.finish())
        }
    }

    @Test
    func `The list has every endpoint once, and every kind of handle is good at some endpoint`() {
        let names = HandleEndpoint.all.map(\.name)
        #expect(Set(names).count == names.count)
        // Refresh tokens have a table of their own.
        for name in names where name != "/v1/token" && !name.hasSuffix("/token refresh_token") {
            #expect(HandleKind.all.contains { $0.own.contains(name) }, "\(name)")
        }
    }

    /// The flow that the handle names, where it names one by itself.
    private static func row(of handle: Handle, _ scene: Scene) async throws -> FlowRecord? {
        guard let name = handle.texts.last else { return nil }
        let digest = Data(SHA256.hash(data: Data(name.utf8)))
        return try await scene.server.realm.store.read { try $0.flow(digest: digest) }
    }

    /// What the log says of the people.
    private static func events(_ scene: Scene) async throws -> [AuditEvent] {
        let people = [scene.ada.id, scene.bob.id, scene.cleo.id]
        return try await scene.server.realm.auditLog.events(limit: 1000)
            .filter { event in event.userID.map(people.contains) ?? false }
    }

    private static func expectNothingTold(_ reply: Reply, at endpoint: HandleEndpoint, _ scene: Scene) {
        let secrets = [
            scene.totpID, scene.phone.id, "Ada's iPhone", NativeClient.email, Scene.bob, scene.ada.id.rawValue,
        ]
        for secret in secrets {
            #expect(!reply.text.contains(secret), "\(endpoint.name) tells \(secret)")
        }
    }
}
