import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The administrator's token of the data directory, in each protocol that it opens.
@Suite("The first token")
struct FirstTokenTests {
    @Test func `The log names it whichever protocol it administers by, and lists tell when it was last used`()
        async throws
    {
        try await TestServer.with { server in
            #expect(try await server.realm.administratorToken.lastUse() == nil)
            var headers = server.administrator
            headers[.contentType] = "application/json"
            let wrong: HTTPFields = [.authorization: "Bearer wrong", .contentType: "application/json"]
            let ada: JSON = ["email": "ada@example.com", "password": "correct horse 7 staple"]
            let path = "/v1/projects/countersign/accounts"
            #expect(try await server.send(.post, path, headers: wrong, body: ada.bytes).status != 200)
            #expect(try await server.realm.administratorToken.lastUse() == nil)

            let made = try await server.send(.post, path, headers: headers, body: ada.bytes)
            #expect(made.status == 200, "\(made.text)")
            _ = try await server.addUser("ben@example.com")
            let added = try await server.send(
                .post, "/admin/v1/users:add", headers: headers, body: JSON.object(["email": "cid@example.com"]).bytes)
            #expect(added.status == 200, "\(added.text)")
            let events = try await server.realm.auditLog.events(limit: 100).filter { $0.kind == .userCreated }
            #expect(events.count == 3)
            for event in events {
                #expect(
                    event.details["by"] == .string("admin-token"), "\(event.dialect?.rawValue ?? ""): \(event.details)")
            }
            let list = try await server.send(
                .post, "/admin/v1/tokens:list", headers: headers, body: JSON.object([:]).bytes)
            #expect(
                list.json["adminTokenLastUsedAt"].text == Timestamp(server.now).rfc3339, "\(list.text)")
        }
    }

    @Test func `The emulator's owner, whom everybody can be, has not its name`() async throws {
        try await TestServer.with(.development) { server in
            let headers: HTTPFields = [.authorization: "Bearer owner", .contentType: "application/json"]
            let made = try await server.send(
                .post, "/v1/projects/countersign/accounts", headers: headers,
                body: JSON.object(["email": "ada@example.com", "password": "correct horse 7 staple"]).bytes)
            #expect(made.status == 200, "\(made.text)")
            let id = UserID(rawValue: try #require(made.json["localId"].text))
            let events = try await server.realm.auditLog.events(of: id, limit: 100).filter { $0.kind == .userCreated }
            #expect(events.count == 1 && events.first?.details["by"] == nil)
            #expect(try await server.realm.administratorToken.lastUse() == nil)
        }
    }
}
