/// A client id that is the address of a document which describes the client (draft-ietf-oauth-client-id-metadata-document-02, section 3).
///
/// Such ids are compared as texts. An address therefore has one spelling here: nothing that browsers or servers read as another one.
public struct ClientDocumentID: Sendable, Hashable {
    /// The address, byte for byte as the client sent it.
    public let url: String
    /// Scheme, host and port: `https://app.example`.
    public let origin: String
    /// The host with the port that it names: what people are shown.
    public let shownHost: String

    /// Bytes that one has at most.
    public static let longest = 512

    /// Whether a client id can only be the address of a document: ids that this server makes and that administrators choose have
    /// neither colon nor slash.
    public static func isAddress(_ id: ClientID) -> Bool {
        id.rawValue.utf8.starts(with: "https://".utf8) || id.rawValue.utf8.starts(with: "http://".utf8)
    }

    /// Reads an address: https, a path, no fragment, no user information, no dot segments; a host in lower case, without a dot at its end and
    /// without the port that https has by itself.
    /// - Parameter takesLoopback: whether plain http is taken on loopback addresses: under `--dev`.
    /// - Returns: nil for anything else.
    public init?(_ id: ClientID, takesLoopback: Bool = false) {
        let text = id.rawValue
        guard text.utf8.count <= Self.longest, RedirectURI.fault(of: text) == nil,
            let origin = RedirectURI.origin(of: text)
        else { return nil }
        let isPlain = origin.hasPrefix("http://")
        guard origin.hasPrefix("https://") || isPlain && takesLoopback else { return nil }
        let authority = origin.dropFirst(isPlain ? "http://".count : "https://".count)
        let host = Self.host(of: authority)
        guard !authority.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
            !host.hasSuffix("."), !authority.hasSuffix(isPlain ? ":80" : ":443")
        else { return nil }
        let rest = text.utf8.dropFirst(origin.utf8.count)
        guard rest.first == UInt8(ascii: "/") else { return nil }
        let path = String(decoding: rest.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        guard !Self.hasDotSegments(path) else { return nil }
        url = text
        self.origin = origin
        shownHost = String(authority)
    }

    /// The host without the port, in brackets where it is an address of IPv6.
    public var host: String { Self.host(of: shownHost[...]) }

    private static func host(of authority: Substring) -> String {
        if let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority.prefix { $0 != ":" })
    }

    private static func hasDotSegments(_ path: String) -> Bool {
        path.lowercased().replacing("%2e", with: ".").split(separator: "/", omittingEmptySubsequences: false)
            .contains { $0 == "." || $0 == ".." }
    }
}

/// Which addresses of documents are meant: one, all that begin with a text, or all of a host.
public struct ClientDocumentPattern: Sendable, Hashable {
    private enum Form: Hashable {
        case address(String)
        case prefix(String)
        case host(String)
    }

    private let form: Form

    /// Reads `https://app.example/client.json` (this one), `https://app.example/clients/` (all that begin so) or `app.example` (all of the
    /// host, whatever the port).
    public init?(_ text: String) {
        if text.utf8.contains(UInt8(ascii: "/")) {
            guard let id = ClientDocumentID(ClientID(rawValue: text), takesLoopback: true) else { return nil }
            form = id.url.hasSuffix("/") ? .prefix(id.url) : .address(id.url)
        } else {
            guard let id = ClientDocumentID(ClientID(rawValue: "https://\(text)/")), id.host == text else { return nil }
            form = .host(text)
        }
    }

    /// Whether an address is meant.
    public func covers(_ id: ClientDocumentID) -> Bool {
        switch form {
        case .address(let url): id.url == url
        case .prefix(let prefix): id.url.utf8.starts(with: prefix.utf8)
        case .host(let host): id.host == host
        }
    }
}
