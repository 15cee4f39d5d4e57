import CountersignCore
import HTTPTypes

/// One endpoint of a server as `/openapi.json` describes it (OpenAPI Specification 3.1.0, section 4.8.10).
public struct OpenAPIEndpoint: Sendable {
    /// What opens an endpoint.
    public enum Security: Sendable {
        case none
        /// An access token with a scope: as `Bearer`, or as `DPoP` with a proof.
        case accessToken(scope: String)
        /// An administrator's token, or a user's access token.
        case administrator(right: String)
        /// An application shows who it is.
        case client
        /// A token that an administrator made for applications that register themselves, or nothing where everyone may (RFC 7591, section 3).
        case initialAccessToken
        /// The token that an application got with its registration (RFC 7592, section 2).
        case registrationAccessToken
    }

    public enum Body: Sendable {
        case none
        case json(JSONValue)
        /// Fields of a form, and whether each has to be there.
        case form([(name: String, isRequired: Bool)])
    }

    public let method: HTTPRequest.Method
    /// With parameters in braces.
    public let path: String
    /// Unique among all.
    public let id: String
    public let summary: String
    public let tag: String
    public let security: Security
    public let query: [(name: String, isNumber: Bool, summary: String)]
    public let request: Body
    /// The schema of the answer; nil where it has none, or is no JSON.
    public let response: JSONValue?
    public let status: Int
    /// The schema of a refusal; nil where that is a page.
    public let refusal: JSONValue?

    /// `{"error":{"code":"…","message":"…"}}`, as administration and accounts refuse.
    public static let problem = schema(
        "Problem",
        ["error": schema("ProblemError", ["code": text, "message": text], required: ["code", "message"])],
        required: ["error"])
    /// RFC 6749, section 5.2.
    public static let oauthError = schema(
        "OAuthError", ["error": text, "error_description": text], required: ["error"])

    private static let text = JSONValue.object(["type": "string"])

    private static func schema(_ title: String, _ properties: [String: JSONValue], required: [String]) -> JSONValue {
        .object([
            "type": "object", "title": .string(title), "properties": .object(properties),
            "required": .array(required.map { .string($0) }),
        ])
    }

    public init(
        _ method: HTTPRequest.Method, _ path: String, id: String, _ summary: String, tag: String, security: Security,
        query: [(name: String, isNumber: Bool, summary: String)] = [], request: Body = .none,
        response: JSONValue? = nil, status: Int = 200, refusal: JSONValue? = nil
    ) {
        self.method = method
        self.path = path
        self.id = id
        self.summary = summary
        self.tag = tag
        self.security = security
        self.query = query
        self.request = request
        self.response = response
        self.status = status
        self.refusal = refusal
    }

    /// The operation object.
    var operation: JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .string(id), "summary": .string(summary), "tags": .array([.string(tag)]),
        ]
        var parameters: [JSONValue] = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            .object([
                "name": .string(String(part.dropFirst().dropLast())), "in": "path", "required": .bool(true),
                "schema": .object(["type": "string"]),
            ])
        }
        parameters += query.map { item in
            .object([
                "name": .string(item.name), "in": "query", "description": .string(item.summary),
                "schema": .object(["type": item.isNumber ? "integer" : "string"]),
            ])
        }
        if !parameters.isEmpty { members["parameters"] = .array(parameters) }
        switch request {
        case .none: break
        case .json(let schema):
            // No body says the same as an object without members, where none has to be there.
            let isOptional = schema["properties"] != nil && schema["required"] == nil
            members["requestBody"] = .object([
                "required": .bool(!isOptional),
                "content": .object(["application/json": .object(["schema": schema])]),
            ])
        case .form(let fields):
            var schema: [String: JSONValue] = [
                "type": "object",
                "properties": .object(
                    Dictionary(uniqueKeysWithValues: fields.map { ($0.name, .object(["type": "string"])) })),
            ]
            let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
            if !required.isEmpty { schema["required"] = .array(required) }
            members["requestBody"] = .object([
                "required": .bool(true),
                "content": .object(["application/x-www-form-urlencoded": .object(["schema": .object(schema)])]),
            ])
        }
        var success: [String: JSONValue] = ["description": "Done."]
        if let response { success["content"] = .object(["application/json": .object(["schema": response])]) }
        var refused: [String: JSONValue] = ["description": "Refused: the body says why."]
        if let refusal { refused["content"] = .object(["application/json": .object(["schema": refusal])]) }
        members["responses"] = .object([String(status): .object(success), "default": .object(refused)])
        switch security {
        case .none: members["security"] = .array([])
        case .accessToken(let scope):
            members["security"] = .array([.object(["oauth": .array([.string(scope)])])])
        case .administrator(let right):
            members["security"] = .array([.object(["administrator": .array([])])])
            members["x-right"] = .string(right)
        case .client:
            members["security"] = .array([.object(["client": .array([])]), .object([:])])
        case .initialAccessToken:
            members["security"] = .array([.object(["initialAccessToken": .array([])]), .object([:])])
        case .registrationAccessToken:
            members["security"] = .array([.object(["registrationAccessToken": .array([])])])
        }
        return .object(members)
    }
}

/// The document `/openapi.json` (OpenAPI Specification 3.1.0).
public struct OpenAPIDocument: Sendable {
    let title: String
    let version: String
    /// Without a slash at its end.
    let server: String
    let endpoints: [OpenAPIEndpoint]

    public init(title: String, version: String, server: String, endpoints: [OpenAPIEndpoint]) {
        self.title = title
        self.version = version
        self.server = server
        self.endpoints = endpoints
    }

    public var value: JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for endpoint in endpoints {
            paths[endpoint.path, default: [:]][endpoint.method.rawValue.lowercased()] = endpoint.operation
        }
        var schemas = SharedSchemas()
        let described = schemas.share(.object(paths.mapValues { .object($0) }))
        var scopes: [String: JSONValue] = [:]
        for case .accessToken(let scope) in endpoints.map(\.security) { scopes[scope] = .string(scope) }
        return .object([
            "openapi": "3.1.0",
            "info": .object(["title": .string(title), "version": .string(version)]),
            "servers": .array([.object(["url": .string(server)])]),
            "paths": described,
            "components": .object([
                "schemas": .object(schemas.found),
                "securitySchemes": .object([
                    "oauth": .object([
                        "type": "oauth2",
                        "flows": .object([
                            "authorizationCode": .object([
                                "authorizationUrl": .string(server + "/authorize"),
                                "tokenUrl": .string(server + "/oauth/token"), "scopes": .object(scopes),
                            ])
                        ]),
                    ]),
                    "administrator": .object(["type": "http", "scheme": "bearer"]),
                    "client": .object(["type": "http", "scheme": "basic"]),
                    "initialAccessToken": .object(["type": "http", "scheme": "bearer"]),
                    "registrationAccessToken": .object(["type": "http", "scheme": "bearer"]),
                ]),
            ]),
        ])
    }
}

/// Takes the schemas that have a title out of a description, each once (OpenAPI Specification 3.1.0, section 4.8.7).
struct SharedSchemas {
    /// By title.
    private(set) var found: [String: JSONValue] = [:]

    /// The value with a reference where a schema with a title was. Of two schemas of one title the second stays where it is.
    mutating func share(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { share($0) })
        case .object(let members):
            var shared: [String: JSONValue] = [:]
            // In order, so that the same description comes out each time.
            for (name, member) in members.sorted(by: { $0.key < $1.key }) { shared[name] = share(member) }
            guard case .string(let title)? = members["title"], members["type"] == "object" else {
                return .object(shared)
            }
            if let present = found[title], present != .object(shared) { return .object(shared) }
            found[title] = .object(shared)
            return .object(["$ref": .string("#/components/schemas/\(title)")])
        default: return value
        }
    }
}
