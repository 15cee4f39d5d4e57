import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// What the realm has none of is refused in the protocol's words; SDKs take a plain 404 for a fault of theirs.
@Suite("Administration: tenants and identity providers")
struct NotOfferedTests {
    private static let lists = ["oauthIdpConfigs", "inboundSamlConfigs", "defaultSupportedIdpConfigs"]
    private static let projects = ["/v2/projects/countersign", "/admin/v2/projects/countersign"]

    private func send(_ server: TestServer, _ method: HTTPRequest.Method, _ path: String) async throws -> Reply {
        var headers = server.administrator
        headers[.contentType] = "application/json"
        let body = method == .post || method == .patch ? Array(#"{"displayName":"x","enabled":true}"#.utf8) : nil
        return try await server.send(method, path, headers: headers, body: body)
    }

    @Test(arguments: projects)
    func `There are no tenants, and none are made`(project: String) async throws {
        try await TestServer.with { server in
            expectGolden(try await send(server, .get, "\(project)/tenants?pageSize=100").json, ["tenants": []])
            expectRefused(
                try await send(server, .post, "\(project)/tenants"),
                "OPERATION_NOT_ALLOWED : All tenants share one directory, and none can be made.", .status)
            for method in [HTTPRequest.Method.get, .patch, .delete] {
                expectRefused(
                    try await send(server, method, "\(project)/tenants/some-tenant?updateMask=displayName"),
                    "TENANT_NOT_FOUND", .status, code: 404, status: "NOT_FOUND")
            }
        }
    }

    @Test(arguments: projects, ["", "/tenants/some-tenant"])
    func `There are no identity providers, and none are made`(project: String, tenant: String) async throws {
        try await TestServer.with { server in
            for list in Self.lists {
                let path = "\(project)\(tenant)/\(list)"
                expectGolden(try await send(server, .get, path).json, JSON.object([list: []]))
                expectRefused(
                    try await send(server, .post, "\(path)?oauthIdpConfigId=oidc.x"), PathTests.notEnabled, .status)
                for method in [HTTPRequest.Method.get, .patch, .delete] {
                    expectRefused(
                        try await send(server, method, "\(path)/oidc.x"), "CONFIGURATION_NOT_FOUND", .status,
                        code: 404, status: "NOT_FOUND")
                }
            }
        }
    }

    @Test
    func `Only an administrator is told so`() async throws {
        try await TestServer.with { server in
            for path in ["tenants", "tenants/t", "oauthIdpConfigs", "inboundSamlConfigs/saml.x"] {
                let reply = try await server.get("/v2/projects/countersign/\(path)")
                #expect(reply.status == 401, "\(reply.text)")
                let other = try await server.send(
                    .get, "/v2/projects/another/\(path)", headers: server.administrator)
                expectRefused(other, "PROJECT_NOT_FOUND", .status)
            }
        }
    }

    @Test
    func `No token of another provider is revoked, as there is none`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let body: JSON = ["providerId": "apple.com", "tokenType": 3, "token": "x"]
            let path = "/v2/accounts:revokeToken"
            expectRefused(try await server.post(path, body), "INVALID_ID_TOKEN", .status)
            expectRefused(
                try await server.post(path, body.with(["idToken": .string(person.idToken)])), PathTests.notEnabled,
                .status)
            #expect(try await server.lookup(person.idToken).status == 200)
        }
    }
}
