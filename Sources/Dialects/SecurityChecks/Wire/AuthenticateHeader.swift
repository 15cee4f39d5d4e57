/// What `WWW-Authenticate` says: which proof is missing. Source: MobileFirst Foundation, Authentication and security.
public enum AuthenticateHeader: Sendable, Equatable {
    /// With 401, of the framework's own endpoints: the body has challenges to answer.
    case challenges
    /// Of a resource: with 401 a token is missing or no good, with 403 it is for too little.
    case bearer(error: BearerError? = nil, scope: Scope? = nil)

    /// Names a resource's scope to a client whose token does not have it.
    public static func insufficientScope(_ scope: Scope) -> Self { .bearer(error: .insufficientScope, scope: scope) }
    public static let invalidToken = Self.bearer(error: .invalidToken)

    /// The field's value. Error comes before scope, as clients expect them.
    public var text: String {
        switch self {
        case .challenges: return "MFP-Challenge"
        case .bearer(let error, let scope):
            let parameters = [("error", error?.rawValue), ("scope", scope?.text)].compactMap { name, value in
                value.map { "\(name)=\(Self.quoted($0))" }
            }
            return parameters.isEmpty ? "Bearer" : "Bearer " + parameters.joined(separator: ", ")
        }
    }

    /// Reads the first scheme of this protocol in the field; nil where there is none. Other schemes may stand beside it
    /// (RFC 9110, section 11.6.1).
    public init?(_ text: String) {
        var found: (isBearer: Bool, parameters: [String: String])?
        for part in Self.parts(of: text) {
            let word = part.prefix { $0 != " " && $0 != "=" }
            let rest = part[word.endIndex...].drop { $0 == " " }
            let startsWithScheme = rest.first != "="
            if startsWithScheme {
                if found != nil { break }
                let scheme = word.lowercased()
                guard scheme == "bearer" || scheme == "mfp-challenge" else { continue }
                found = (scheme == "bearer", [:])
            }
            let parameter = startsWithScheme ? rest : part[...]
            guard let equals = parameter.firstIndex(of: "=") else { continue }
            let name = parameter[..<equals].filter { $0 != " " }.lowercased()
            found?.parameters[name] = Self.unquoted(parameter[parameter.index(after: equals)...])
        }
        guard let found else { return nil }
        self =
            found.isBearer
            ? .bearer(
                error: found.parameters["error"].map(BearerError.init(rawValue:)),
                scope: found.parameters["scope"].map(Scope.init))
            : .challenges
    }

    /// What stands between the commas that are outside of quotes.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == ",", !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts.map { String($0.drop { $0 == " " }) }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }

    private static func unquoted(_ text: some StringProtocol) -> String {
        var value = text.drop { $0 == " " }
        while value.last == " " { value.removeLast() }
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
        var plain = ""
        var isEscaped = false
        for character in value.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                plain.append(character)
                isEscaped = false
            }
        }
        return plain
    }
}

/// What is wrong with a token (RFC 6750, section 3.1). The list is open.
public struct BearerError: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let invalidToken = BearerError(rawValue: "invalid_token")
    public static let insufficientScope = BearerError(rawValue: "insufficient_scope")
    public static let invalidRequest = BearerError(rawValue: "invalid_request")
}
