import HTTPTypes
import HummingbirdCore

/// The header `Authorization` of a request (RFC 9110, section 11.6.2).
public struct Authorization: Sendable {
    private let field: String?

    public init(of request: Request) {
        field = request.headers.value(of: .authorization)
    }

    /// What the client sent after a scheme, whose name has any case, and one space: `abc` of `Bearer abc`. Nil where the header is missing,
    /// has another scheme, or has nothing after it.
    public func credentials(_ scheme: String) -> String? {
        guard let field, field.prefix(scheme.count + 1).lowercased() == scheme.lowercased() + " " else { return nil }
        let value = field.dropFirst(scheme.count + 1)
        return value.isEmpty ? nil : String(value)
    }
}
