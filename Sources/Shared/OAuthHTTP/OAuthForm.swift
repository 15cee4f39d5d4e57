import CountersignCore
import Hummingbird
import ServerHTTP

/// The parameters of a request to an OAuth endpoint: a form, or a JSON object for protocols whose libraries send that.
public struct OAuthForm: Sendable {
    public let members: JSONValue

    public init(_ members: JSONValue) {
        self.members = members
    }

    /// Reads the body. A parameter that is there twice is refused (RFC 6749, section 3.2), and so is one with a zero byte: what is sent is
    /// never taken for what was left out.
    /// - Parameter repeatable: parameters that may be there several times (RFC 8707, section 2).
    /// - Throws: `RequestBodyFault`, `CancellationError`.
    public init(_ request: Request, repeatable: Set<String> = []) async throws {
        members = try await request.bodyObject(accepting: [.json, .form], repeatable: repeatable)
        guard case .object(let given) = members else { return }
        if let name = given.first(where: { Self.hasZeroByte($0.value) })?.key {
            throw RequestBodyFault.zeroByte(path: ParameterName.shown(name))
        }
    }

    private static func hasZeroByte(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): PlainText(text, bytes: 0...) == nil
        case .array(let values): values.contains { $0.stringValue.map { PlainText($0, bytes: 0...) == nil } ?? false }
        default: false
        }
    }

    /// A parameter; nil where it is missing or empty (RFC 6749, section 3.1).
    public func text(_ name: String) -> String? {
        PlainText(nonempty: members[name]?.stringValue)?.text
    }

    /// A parameter of words with spaces between them; empty where it is missing.
    public func words(_ name: String) -> [String] {
        text(name)?.spaceSeparated ?? []
    }

    /// All values of a parameter that may be there several times.
    public func all(_ name: String) -> [String] {
        text(name).map { [$0] } ?? list(name).filter { !$0.isEmpty }
    }

    public func list(_ name: String) -> [String] {
        guard case .array(let items)? = members[name] else { return [] }
        return items.compactMap(\.stringValue)
    }
}

/// The name of a parameter, as an error repeats it to the client.
public enum ParameterName {
    /// The name, where it looks like one (RFC 6749, appendix A); other text is not repeated.
    public static func shown(_ name: String) -> String {
        let isName =
            (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-.".utf8.contains($0) }
        return isName ? name : "a parameter"
    }
}
