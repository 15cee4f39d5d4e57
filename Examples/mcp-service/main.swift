// An MCP server whose tools ask for scopes (Model Context Protocol 2025-11-25, "Authorization"). A client is told its address and
// nothing else: it finds the authorization server by the metadata that stands here, makes itself known there, and has its user sign in.
//
//     make dev                                # the server
//     countersign resource add http://127.0.0.1:8082/mcp --scopes "notes:read notes:write" --dev
//     countersign config set oauth.registrationResources http://127.0.0.1:8082/mcp --dev
//     countersign config set oauth.registration open --dev      # or: oauth.clientDocuments any
//     swift run mcp-service                   # this, on port 8082
//
// Notes are kept in memory, by user.

import Foundation
import HTTPTypes
import Hummingbird
import ScopeProtection

let environment = ProcessInfo.processInfo.environment
let port = environment["PORT"].flatMap { Int($0) } ?? 8082

let api = try ProtectedResource(
    environment["RESOURCE"] ?? "http://127.0.0.1:\(port)/mcp",
    issuer: environment["COUNTERSIGN_URL"] ?? "http://127.0.0.1:8080", scopes: ["notes:read", "notes:write"])

/// The tools, and what each asks of the token that comes with its call.
enum Tool: String, CaseIterable {
    case read = "read_notes"
    case write = "write_note"
    case delete = "delete_notes"

    var requirement: ScopeRequirement {
        switch self {
        case .read: ScopeRequirement("notes:read")
        case .write: ScopeRequirement("notes:write")
        // A second factor.
        case .delete: ScopeRequirement("notes:write", atLeast: .aal2)
        }
    }

    var summary: String {
        switch self {
        case .read: "Reads all notes."
        case .write: "Writes a note."
        case .delete: "Deletes all notes."
        }
    }
}

/// The notes of all users.
actor Notes {
    private var notes: [String: [String]] = [:]

    func call(_ tool: Tool, _ text: String?, of user: String) -> String {
        switch tool {
        case .read: return notes[user, default: []].joined(separator: "\n")
        case .write:
            notes[user, default: []].append(text ?? "")
            return "Written."
        case .delete:
            notes[user] = nil
            return "Deleted."
        }
    }
}

/// A message of JSON-RPC 2.0, as far as this server reads it.
struct Message: Decodable {
    enum ID: Codable {
        case text(String)
        case number(Int)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            self = try (try? value.decode(Int.self)).map { .number($0) } ?? .text(value.decode(String.self))
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .text(let text): try value.encode(text)
            case .number(let number): try value.encode(number)
            }
        }
    }

    struct Parameters: Decodable {
        struct Arguments: Decodable { var text: String? }

        var name: String?
        var arguments: Arguments?
    }

    /// Missing in what wants no answer.
    var id: ID?
    var method: String
    var params: Parameters?

    var tool: Tool? { method == "tools/call" ? params?.name.flatMap(Tool.init) : nil }
}

struct Answer<Result: Encodable>: Encodable {
    struct Fault: Encodable {
        var code: Int
        var message: String
    }

    var jsonrpc = "2.0"
    var id: Message.ID
    var result: Result?
    var error: Fault?
}

struct Handshake: Encodable {
    var protocolVersion = "2025-11-25"
    var capabilities = ["tools": [String: String]()]
    var serverInfo = ["name": "notes", "version": "1"]
}

struct ToolList: Encodable {
    struct Schema: Encodable {
        var type = "object"
        var properties: [String: [String: String]] = [:]
    }

    struct Entry: Encodable {
        var name: String
        var description: String
        var inputSchema: Schema
    }

    var tools = Tool.allCases.map { tool in
        Entry(
            name: tool.rawValue, description: tool.summary,
            inputSchema: Schema(properties: tool == .write ? ["text": ["type": "string"]] : [:]))
    }
}

struct ToolResult: Encodable {
    struct Content: Encodable {
        var type = "text"
        var text: String
    }

    var content: [Content]
}

func json(_ value: some Encodable) throws -> Response {
    let body = try JSONEncoder().encode(value)
    return Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
}

func answer(_ message: Message, of user: String, _ notes: Notes) async throws -> Response {
    guard let id = message.id else { return Response(status: .accepted) }
    switch message.method {
    case "initialize": return try json(Answer(id: id, result: Handshake()))
    case "ping": return try json(Answer(id: id, result: [String: String]()))
    case "tools/list": return try json(Answer(id: id, result: ToolList()))
    case "tools/call":
        guard let tool = message.tool else {
            return try json(Answer<ToolResult>(id: id, error: .init(code: -32602, message: "There is no such tool.")))
        }
        let text = await notes.call(tool, message.params?.arguments?.text, of: user)
        return try json(Answer(id: id, result: ToolResult(content: [.init(text: text)])))
    default:
        return try json(Answer<ToolResult>(id: id, error: .init(code: -32601, message: "There is no such method.")))
    }
}

let notes = Notes()
let router = Router()
router.publishMetadata(of: api)
router.post("mcp") { request, _ in
    // No page of another site calls this server (2025-11-25, "Transports", security warning).
    guard request.headers[.origin] == nil else { return Response(status: .forbidden) }
    let body = try await request.body.collect(upTo: 1 << 16)
    let message = try? JSONDecoder().decode(Message.self, from: Data(body.readableBytesView))
    // What a message asks for decides what its token has to allow; everything asks for one.
    let requirement = message?.tool?.requirement ?? Tool.read.requirement
    let presented = ResourceRequest(
        method: request.method.rawValue, target: request.uri.string,
        authorization: request.headers[values: .authorization],
        proofs: HTTPField.Name("DPoP").map { request.headers[values: $0] } ?? [])
    switch await api.judge(presented, requirement) {
    case .refused(let refusal):
        var headers = HTTPFields()
        headers[.wwwAuthenticate] = refusal.challenge
        return Response(status: HTTPResponse.Status(code: refusal.status), headers: headers)
    case .admitted(let token, _):
        guard let message else { return Response(status: .badRequest) }
        return try await answer(message, of: token.subject, notes)
    }
}

try await Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
).runService()
