import CountersignCore
import DialectTestSupport
import Foundation
import Testing

/// Groups and roles as claims (RFC 9068, section 2.2.3.1).
@Suite("Memberships in tokens")
struct MembershipTests {
    @Test
    func `Groups and roles are told to applications that were registered for them, as they are now`() async throws {
        try await TestServer.with(.development) { server in
            let realm = server.realm
            let id = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            for name in ["staff", "eng/core"] {
                let group = try #require(GroupName(name))
                _ = try await realm.groups.add(group, summary: "", by: .commandLine)
                _ = try await realm.groups.addMember(id, to: group, by: .commandLine)
            }
            _ = try await realm.administrators.grant(.auditor, to: id, by: .commandLine)
            var browser = Browser(server)
            try await browser.signIn()

            // Not registered for the scopes: they are not granted.
            let plain = try await server.redeem(try await browser.code("dev-native", ["scope": "openid"])).json
            for claims in [plain["access_token"].claims, plain["id_token"].claims] {
                #expect(claims["groups"] == .null && claims["roles"] == .null)
            }
            #expect(try await server.userInfo(plain["access_token"]).json["groups"] == .null)
            let refused = try await browser.authorize("dev-native", ["scope": "openid groups"])
            let scope = try await granted(refused, on: server)
            #expect(!scope.contains("groups"), "\(scope)")

            _ = try await realm.applications.change(ClientID(rawValue: "dev-native"), by: .commandLine) {
                $0.scopes = ["openid", "offline_access", "groups", "roles"]
            }
            let told = try await server.redeem(
                try await browser.code("dev-native", ["scope": "openid groups roles"])
            ).json
            #expect(told["scope"] == "openid groups roles", "\(told)")
            for claims in [told["access_token"].claims, told["id_token"].claims] {
                #expect(claims["groups"] == ["eng/core", "staff"] && claims["roles"] == ["auditor"])
            }
            let only = try await server.redeem(try await browser.code("dev-native", ["scope": "openid groups"])).json
            #expect(only["access_token"].claims["roles"] == .null)

            #expect(try await realm.groups.remove(try #require(GroupName("staff")), by: .commandLine) == nil)
            _ = try await realm.administrators.revoke(id, by: .commandLine)
            let now = try await server.userInfo(told["access_token"]).json
            #expect(now["groups"] == ["eng/core"] && now["roles"] == [], "\(now)")
        }
    }

    /// The scopes of what a redirect leads to; none where the request was refused.
    private func granted(_ reply: Reply, on server: TestServer) async throws -> [String] {
        guard let code = reply.answer["code"] else { return [] }
        let scope = try await server.redeem(code).json["scope"].text ?? ""
        return scope.split(separator: " ").map(String.init)
    }
}
