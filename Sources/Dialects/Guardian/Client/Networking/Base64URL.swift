import Foundation

extension Data {
    /// The alphabet for URLs, without padding (RFC 7515, section 2).
    var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
