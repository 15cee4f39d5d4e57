import HTTPTypes
import HummingbirdCore

/// The header `Authorization` of a request (RFC 9110, section 11.6.2).
public struct Authorization: Sendable {
    private let field: String?

    public init(of request: Request) {
        field = request.headers.value(of: .authorization)
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// What the client sent after a scheme, whose name has any case, and one space or more (RFC 9110, section 11.4): `abc` of `Bearer abc`.
    /// Nil where the header is missing, has another scheme, or has nothing after it.
    public func credentials(_ scheme: String) -> String? {
        guard let field else { return nil }
        let (given, wanted) = (field.utf8, scheme.utf8)
        // By bytes: names of schemes are ASCII (RFC 9110, section 5.6.2).
        guard given.count > wanted.count + 1,
            zip(given, wanted).allSatisfy({ Self.lowercase($0) == Self.lowercase($1) }),
            let end = given.index(given.startIndex, offsetBy: wanted.count, limitedBy: given.endIndex),
            given[end] == UInt8(ascii: " ")
        else { return nil }
        let credentials = given[end...].drop { $0 == UInt8(ascii: " ") }
        return credentials.isEmpty ? nil : String(Substring(credentials))
    }
}
