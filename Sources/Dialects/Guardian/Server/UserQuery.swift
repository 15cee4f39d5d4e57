import CountersignCore
import Foundation

/// What `q` of the Management API's users asks for: one term of the vendor's query language (Auth0, "User Search Query
/// Syntax"). What is not here is refused, as a search that ignores half of its question would answer another one.
enum UserQuery: Sendable {
    case everybody
    case email(String)
    case userID(String)
    case name(String, isBeginning: Bool)

    init(_ text: String?) throws(GuardianError) {
        let text = text?.trimmingCharacters(in: .whitespaces) ?? ""
        guard !text.isEmpty else {
            self = .everybody
            return
        }
        let unknown = GuardianError.invalidQuery(
            "Search by one of email:\"…\", user_id:\"…\", name:\"…\" and name:x* (names that begin with x).")
        guard let colon = text.firstIndex(of: ":") else { throw unknown }
        var part = text[text.index(after: colon)...]
        let isQuoted = part.count >= 2 && part.hasPrefix("\"") && part.hasSuffix("\"")
        if isQuoted { part = part.dropFirst().dropLast() }
        let isBeginning = !isQuoted && part.hasSuffix("*")
        if isBeginning { part = part.dropLast() }
        guard let value = PlainText(String(part), bytes: 1...)?.text,
            // Outside of quotation marks these mean something that is not here.
            isQuoted
                ? !value.utf8.contains(UInt8(ascii: "\""))
                : !value.unicodeScalars.contains(where: {
                    $0.properties.isWhitespace || "*?()[]{}\"~^".unicodeScalars.contains($0)
                })
        else { throw unknown }
        switch (text[..<colon], isBeginning) {
        case ("email", false): self = .email(value)
        case ("user_id", false): self = .userID(value)
        case ("name", _): self = .name(value, isBeginning: isBeginning)
        default: throw unknown
        }
    }
}
