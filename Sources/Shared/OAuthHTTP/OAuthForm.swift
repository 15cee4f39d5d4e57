import CountersignCore
import Hummingbird
import ServerHTTP

/// The parameters of a request to an OAuth endpoint: a form, or a JSON object for protocols whose libraries send that.
public struct OAuthForm: Sendable {
    public let members: JSONValue

    public init(_ members: JSONValue) {
        self.members = members
    }

    /// Reads the body. A parameter that is there twice is refused (RFC 6749, section 3.2).
    /// - Throws: `RequestBodyFault`, `CancellationError`.
    public init(_ request: Request) async throws {
        members = try await request.bodyObject(accepting: [.json, .form])
    }

    /// A parameter without zero bytes; nil where it is missing or empty (RFC 6749, section 3.1).
    public func text(_ name: String) -> String? {
        PlainText(nonempty: members[name]?.stringValue)?.text
    }

    /// A parameter of words with spaces between them; empty where it is missing.
    public func words(_ name: String) -> [String] {
        text(name)?.split(separator: " ").map(String.init) ?? []
    }

    public func list(_ name: String) -> [String] {
        guard case .array(let items)? = members[name] else { return [] }
        return items.compactMap(\.stringValue)
    }
}
