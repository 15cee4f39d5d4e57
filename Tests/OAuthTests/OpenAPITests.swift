import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// `GET /openapi.json` (OpenAPI Specification 3.1.0).
@Suite("The description of what programs can call")
struct OpenAPITests {
    /// Routes that it describes, by how their paths begin.
    private static let described = [
        "/account/v1/", "/admin/v1/", "/oauth/", "/me/", "/passkey/", "/bc-authorize", "/userinfo", "/oidc/logout",
        "/oidc/register",
        "/v2/logout", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
    ]

    @Test
    func `Each route is described, and nothing is described that is no route`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.send(.get, "/openapi.json")
            #expect(reply.status == 200 && reply.json["openapi"] == "3.1.0", "\(reply.text.prefix(200))")
            var told: Set<String> = []
            var administration = 0
            for (path, methods) in reply.json["paths"].ownMembers {
                for method in methods.ownMembers.keys {
                    if path.hasPrefix("/admin/v1/") {
                        administration += 1
                    } else {
                        told.insert("\(method.uppercased()) \(path)")
                    }
                }
            }
            var routes: Set<String> = []
            for endpoint in try server.countersign.endpoints() {
                let path = "/" + endpoint.path.split(separator: "/").joined(separator: "/")
                guard endpoint.method != .head, endpoint.method != .options, path != "/admin/v1/{operation}",
                    path == "/authorize" || Self.described.contains(where: path.hasPrefix)
                else { continue }
                routes.insert("\(endpoint.method.rawValue) \(path)")
            }
            #expect(told.subtracting(routes) == [], "described and no routes")
            #expect(routes.subtracting(told) == [], "routes and not described")
            #expect(administration >= 47, "Each operation is a path.")
        }
    }

    @Test
    func `Programs that try every route are told all of them, under development alone`() async throws {
        try await TestServer.with(.development) { server in
            let routes = try await server.send(.get, "/dev/routes.json").json["routes"].elements
            let told = Set(routes.map { "\($0["method"].text ?? "") \($0["path"].text ?? "")" })
            let there = Set(
                try server.countersign.endpoints().map { endpoint in
                    let parts = endpoint.path.split(separator: "/")
                    return "\(endpoint.method.rawValue) /\(parts.joined(separator: "/"))"
                })
            #expect(there.subtracting(told).allSatisfy { $0.hasSuffix(" /dev/routes.json") })
            #expect(told.subtracting(there) == [])
            #expect(told.count > 200 && told.contains("POST /oauth/token"))
        }
        try await TestServer.with { server in
            let reply = try await server.send(.get, "/dev/routes.json")
            #expect(reply.status == 404)
        }
    }

    @Test
    func `Each operation has a name of its own, its parameters, and answers`() async throws {
        try await TestServer.with(.development) { server in
            let document = try await server.send(.get, "/openapi.json").json
            var ids: Set<String> = []
            let schemes = Set(document["components"]["securitySchemes"].ownMembers.keys)
            for (path, methods) in document["paths"].ownMembers {
                for (method, operation) in methods.ownMembers {
                    let name = "\(method) \(path)"
                    let id = operation["operationId"].text ?? ""
                    #expect(!id.isEmpty && ids.insert(id).inserted, "\(name): \(id)")
                    #expect(operation["summary"].text?.isEmpty == false, "\(name)")
                    let parts = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                        $0.dropFirst().dropLast()
                    }
                    let parameters = operation["parameters"].elements.filter { $0["in"] == "path" }
                    #expect(parameters.compactMap { $0["name"].text } == parts.map(String.init), "\(name)")
                    #expect(parameters.allSatisfy { $0["required"] == true }, "\(name)")
                    #expect(operation["responses"]["default"] != .null, "\(name)")
                    for requirement in operation["security"].elements {
                        #expect(Set(requirement.ownMembers.keys).isSubset(of: schemes), "\(name)")
                    }
                }
            }
        }
    }

    @Test
    func `Schemas say what the code takes and answers`() async throws {
        try await TestServer.with(.development) { server in
            let document = try await server.send(.get, "/openapi.json").json
            let paths = document["paths"]
            /// A member of a schema's members, through references; `[]` is an array's element.
            func at(_ schema: JSON, _ path: String...) -> JSON {
                func whole(_ schema: JSON) -> JSON {
                    guard let name = schema["$ref"].text?.split(separator: "/").last else { return schema }
                    return document["components"]["schemas"][String(name)]
                }
                return path.reduce(whole(schema)) { whole($1 == "[]" ? $0["items"] : $0["properties"][$1]) }
            }
            func schema(_ path: String, _ method: String) -> JSON {
                paths[path][method]["requestBody"]["content"]["application/json"]["schema"]
            }
            func answer(_ path: String, _ method: String, _ status: String = "200") -> JSON {
                paths[path][method]["responses"][status]["content"]["application/json"]["schema"]
            }
            let password = schema("/account/v1/password", "post")
            #expect(at(password, "password")["type"] == "string" && at(password)["required"] == ["password"])
            let change = schema("/account/v1/profile", "patch")
            #expect(at(change)["required"] == .null && at(change, "displayName")["type"] == "string")
            #expect(at(change, "attributes")["type"] == "object")
            let profile = answer("/account/v1/profile", "get")
            #expect(at(profile, "createdAt")["format"] == "date-time")
            #expect(at(profile, "attributes", "[]", "isEditable")["type"] == "boolean")
            let devices = answer("/account/v1/sessions", "get")
            #expect(at(devices, "devices", "[]", "sessions", "[]", "applications")["type"] == "array")
            let show = schema("/admin/v1/users:show", "post")
            // Where no member has to be there, no body has to be.
            #expect(paths["/admin/v1/users:show"]["post"]["requestBody"]["required"] == true)
            #expect(paths["/admin/v1/users:list"]["post"]["requestBody"]["required"] == false)
            #expect(paths["/oidc/register"]["post"]["requestBody"]["required"] == true)
            #expect(at(show, "user")["type"] == "string" && at(show)["required"] == ["user"])
            let shown = answer("/admin/v1/users:show", "post")
            #expect(at(shown, "user", "createdAt")["format"] == "date-time")
            #expect(at(shown, "user", "isDisabled")["type"] == "boolean")
            // What is sent may have no other members; what is answered may get some in later versions.
            for sent in [password, change, show] { #expect(at(sent)["additionalProperties"] == false) }
            for answered in [profile, devices, shown] { #expect(at(answered)["additionalProperties"] == .null) }
            for (path, method) in [("/account/v1/profile", "patch"), ("/admin/v1/users:show", "post")] {
                #expect(at(answer(path, method, "default"), "error", "code")["type"] == "string", "\(path)")
            }
            #expect(paths["/admin/v1/users:show"]["post"]["x-right"] == "users:read")
        }
    }

    @Test
    func `Each schema that has a name stands in one place, and each reference leads to one`() async throws {
        try await TestServer.with(.development) { server in
            let document = try await server.send(.get, "/openapi.json").json
            let named = document["components"]["schemas"].ownMembers
            #expect(named.count > 100 && named["Problem"] != nil && named["AccountFactor"] != nil, "\(named.count)")
            var references: [String: Int] = [:]
            func collect(_ value: JSON) {
                if let reference = value["$ref"].text { references[reference, default: 0] += 1 }
                for member in value.ownMembers.values { collect(member) }
                for element in value.elements { collect(element) }
            }
            collect(document)
            #expect(Set(references.keys) == Set(named.keys.map { "#/components/schemas/\($0)" }))
            #expect(references["#/components/schemas/Problem"] ?? 0 > 80)
        }
    }
}
