import Foundation
import JSON

/// Reads members of an application's metadata by the types that RFC 7591, section 2, gives them. What is null counts as left out, and so
/// does an empty list (RFC 7592, section 2.2; `docs/decisions/0379`).
struct MetadataReader {
    /// Bytes of a key set that is kept, and how deep arrays and objects lie in each other.
    static let longestKeySet = 32_768
    static let deepestKeySet = 8

    private let members: [String: JSONValue]

    init(members: [String: JSONValue]) {
        self.members = members
    }

    subscript(_ name: String) -> JSONValue? {
        switch members[name] {
        case nil, .null?: nil
        case let value?: value
        }
    }

    func text(_ name: String) throws(ClientMetadata.Fault) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.stringValue, PlainText(text, bytes: 1...(4 * ClientMetadata.longestText)) != nil,
            text.unicodeScalars.count <= ClientMetadata.longestText,
            !text.unicodeScalars.contains(where: PlainText.isControl)
        else {
            throw .metadata("\(name) has to be a text of 1 to \(ClientMetadata.longestText) characters on one line.")
        }
        return text
    }

    func word(_ name: String, of words: [String]) throws(ClientMetadata.Fault) -> String? {
        guard let text = try text(name) else { return nil }
        guard words.contains(text) else {
            throw .metadata("\(name) cannot be \"\(text)\". There are \(words.joined(separator: ", ")).")
        }
        return text
    }

    func flag(_ name: String) throws(ClientMetadata.Fault) -> Bool {
        switch self[name] {
        case nil: return false
        case .bool(let value)?: return value
        default: throw .metadata("\(name) has to be true or false.")
        }
    }

    func texts(_ name: String) throws(ClientMetadata.Fault) -> [String]? {
        guard let value = self[name] else { return nil }
        guard case .array(let values) = value, values.count <= ClientMetadata.longestList else {
            throw .metadata("\(name) has to be a list of at most \(ClientMetadata.longestList) texts.")
        }
        var texts: [String] = []
        for value in values {
            guard let text = PlainText(value.stringValue, bytes: 1...RedirectURI.longest)?.text,
                !text.unicodeScalars.contains(where: PlainText.isControl)
            else { throw .metadata("\(name) has to be a list of texts, each on one line.") }
            if !texts.contains(text) { texts.append(text) }
        }
        return texts.isEmpty ? nil : texts
    }

    func redirectURIs() throws(ClientMetadata.Fault) -> [String] {
        guard let value = self["redirect_uris"] else { return [] }
        guard case .array(let values) = value, values.count <= ClientMetadata.longestList else {
            throw .redirectURI("redirect_uris has to be a list of at most \(ClientMetadata.longestList) addresses.")
        }
        var uris: [String] = []
        for value in values {
            guard let uri = value.stringValue else { throw .redirectURI("redirect_uris has to be a list of texts.") }
            if let fault = RedirectURI.fault(of: uri) { throw .redirectURI(Self.sentence(uri, fault)) }
            if !uris.contains(uri) { uris.append(uri) }
        }
        return uris
    }

    func logoutURIs() throws(ClientMetadata.Fault) -> [String] {
        let uris = try texts("post_logout_redirect_uris") ?? []
        for uri in uris {
            if let fault = RedirectURI.fault(of: uri) { throw .metadata(Self.sentence(uri, fault)) }
        }
        return uris
    }

    /// An address of the web.
    func address(_ name: String) throws(ClientMetadata.Fault) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.stringValue, OAuthSettings.isDocument(text) else {
            throw .metadata("\(name) has to be an address that begins with https.")
        }
        return text
    }

    private static func sentence(_ uri: String, _ fault: RedirectURI.Fault) -> String {
        // Developers find it by its beginning; what is no printable ASCII is not repeated.
        let shown = String(uri.unicodeScalars.prefix(200).filter { (0x20..<0x7F).contains($0.value) })
        return "\"\(shown)\" is not taken: \(fault.rawValue)."
    }

    /// The default is that of RFC 7591, section 2.
    func method() throws(ClientMetadata.Fault) -> ClientAuthenticationMethod {
        let words = ClientAuthenticationMethod.allCases.map(\.rawValue)
        let word = try word("token_endpoint_auth_method", of: words)
        return word.flatMap(ClientAuthenticationMethod.init(rawValue:)) ?? .secretBasic
    }

    func scopes() throws(ClientMetadata.Fault) -> [String]? {
        guard let value = self["scope"] else { return nil }
        guard let text = PlainText(value.stringValue, bytes: 0...4096)?.text else {
            throw .metadata("scope has to be a text of at most 4096 bytes.")
        }
        let scopes = text.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard !scopes.isEmpty else { return nil }
        return scopes.reduce(into: []) { all, scope in if !all.contains(scope) { all.append(scope) } }
    }

    func keys(_ jwks: JSONValue?) throws(ClientMetadata.Fault) -> [AssertionKey] {
        guard let jwks else { return [] }
        // It is kept as it came, in a document that has to be read again: what lies deeper than a key set could not be.
        guard let text = try? jwks.jsonText(), text.count <= Self.longestKeySet,
            text.isJSON(noDeeperThan: Self.deepestKeySet)
        else { throw .metadata("jwks is larger than \(Self.longestKeySet) bytes, or no key set.") }
        do {
            return try AssertionKey.keys(ofJWKS: jwks)
        } catch {
            throw .metadata(error.sentence)
        }
    }

    // MARK: Names

    /// A name on one line, which pages show to people.
    func name(_ member: String) throws(ClientMetadata.Fault) -> String? {
        guard let value = self[member] else { return nil }
        guard let text = value.stringValue, PlainText.isLine(text, longest: ClientMetadata.longestName),
            text.unicodeScalars.contains(where: Self.isSeen)
        else {
            throw .metadata(
                "\(member.prefix(40)) has to be a text of 1 to \(ClientMetadata.longestName) characters on one line.")
        }
        return text
    }

    /// Whether a reader sees it: a name of what shows nothing is none. U+2800 is a Braille pattern without a dot.
    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
    }

    /// Names in other languages: `client_name#de`. Of `de` and `de-AT` the one that comes first by its tag counts for German.
    func names() throws(ClientMetadata.Fault) -> [String: String] {
        let prefix = "client_name#"
        let tagged = members.keys.filter { $0.utf8.starts(with: prefix.utf8) }.sorted()
        guard tagged.count <= ClientMetadata.longestList else {
            throw .metadata("client_name is there in more than \(ClientMetadata.longestList) languages.")
        }
        var names: [String: String] = [:]
        for member in tagged {
            let tag = member.utf8.dropFirst(prefix.utf8.count)
            let language = String(decoding: tag.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self).lowercased()
            guard (2...8).contains(language.utf8.count), language.utf8.allSatisfy({ (0x61...0x7A).contains($0) }),
                tag.count <= 35
            else { throw .metadata("\"\(member.prefix(60))\" has no tag of a language (RFC 5646).") }
            guard let name = try name(member), names[language] == nil else { continue }
            names[language] = name
        }
        return names
    }
}

extension AssertionKey.Fault {
    /// What is wrong, for those who bring the keys.
    public var sentence: String {
        switch self {
        case .noKeySet: "jwks is an object with keys, an array of 1 to \(AssertionKey.most) public keys."
        case .isPrivate:
            "jwks has a private or symmetric key. Register public keys alone, and replace the one that was sent."
        case .ambiguousName: "Each of several keys needs a kid of its own, of 1 to 128 bytes."
        case .unusableKey(let fault): fault.rawValue
        }
    }
}
