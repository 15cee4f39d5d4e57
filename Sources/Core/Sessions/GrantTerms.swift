/// What an application was granted, or is to be granted when an attempt succeeds (RFC 6749, section 3.3; RFC 8707, section 2).
public struct GrantTerms: Sendable, Codable, Equatable {
    /// The scopes that the application got, as its protocol spells them.
    public var scopes: [String]
    /// What else the dialect wants back at a refresh: `sign_in_provider`, claims of a custom token.
    public var details: [String: JSONValue]
    /// The resource servers that access tokens are for; empty where the dialect has its own rule.
    public var audiences: [String]

    /// Terms of these scopes; without arguments, none.
    public init(scopes: [String] = [], details: [String: JSONValue] = [:], audiences: [String] = []) {
        self.scopes = scopes
        self.details = details
        self.audiences = audiences
    }

    private enum CodingKeys: String, CodingKey { case scopes, details, audiences }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
        details = try members.decodeIfPresent([String: JSONValue].self, forKey: .details) ?? [:]
        audiences = try members.decodeIfPresent([String].self, forKey: .audiences) ?? []
        takeAudienceOfDetails()
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(scopes, forKey: .scopes)
        try members.encode(details, forKey: .details)
        if !audiences.isEmpty { try members.encode(audiences, forKey: .audiences) }
    }

    /// To be called where stored terms are read: earlier versions kept the one audience of a grant among its details
    /// (docs/decisions/0188).
    package mutating func takeAudienceOfDetails() {
        guard audiences.isEmpty, case .string(let audience)? = details["audience"] else { return }
        audiences = [audience]
        details["audience"] = nil
    }

    /// The terms of an attempt whose client says something of them with several answers: the scopes of the last, and beside
    /// its details those of before. Lists are united, so that what was asked for once is there when the session begins.
    func following(_ earlier: GrantTerms) -> GrantTerms {
        var terms = self
        if audiences.isEmpty { terms.audiences = earlier.audiences }
        terms.details = earlier.details.merging(details) { before, now in
            guard case .array(var all) = before, case .array(let more) = now else { return now }
            for element in more where !all.contains(element) { all.append(element) }
            return .array(all)
        }
        return terms
    }
}

extension GrantTerms: StoredJSON {
    package init(from json: inout JSONReader) throws {
        self.init()
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "scopes": scopes = try json.readOptional() ?? []
            case "details": details = try json.readOptional() ?? [:]
            case "audiences": audiences = try json.readOptional() ?? []
            default: try json.skip()
            }
        }
        takeAudienceOfDetails()
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        if !audiences.isEmpty { try json.write("audiences", audiences) }
        try json.write("details", details)
        try json.write("scopes", scopes)
        json.endObject()
    }
}
