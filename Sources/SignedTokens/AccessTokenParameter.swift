import Foundation

/// The parameter in which clients may send an access token instead of in the header (RFC 6750, sections 2.2 and 2.3).
///
/// No token is read from it here: it would stand in logs and histories. Beside a token in the header it makes a request ambiguous, which is
/// refused (section 3.1).
public enum AccessTokenParameter {
    private static let name = "access_token"

    /// Whether a query, without its question mark, or the body of a form has the parameter, with or without a value.
    public static func isPresent(in fields: Substring) -> Bool {
        fields.utf8.split(separator: UInt8(ascii: "&")).contains { field in
            let written = String(Substring(field.prefix { $0 != UInt8(ascii: "=") }))
            return written == name
                || written.utf8.contains(UInt8(ascii: "%")) && written.removingPercentEncoding == name
        }
    }
}
