import CountersignCore
import ServerHTTP

extension CustomClaims {
    /// The claims that the text is: a JSON object in a string (Firebase documentation, "Control Access with Custom
    /// Claims and Security Rules"). No text is no claims.
    static func parse(_ text: String) throws(Fault) -> [String: JSONValue] {
        try judge(text) { try? LenientJSON.parse(Array($0.utf8)) }
    }
}
