import CountersignCore
import ServerHTTP

extension CustomClaims {
    /// The claims that the text is: a JSON object in a string (spec, section 2.6). No text is no claims.
    static func parse(_ text: String) throws(Fault) -> [String: JSONValue] {
        try judge(text) { try? LenientJSON.parse(Array($0.utf8)) }
    }
}
