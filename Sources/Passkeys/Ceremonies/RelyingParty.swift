import JSON

/// A site or a group of sites that has passkeys of its own (WebAuthn Level 3, section 4): its id, and from where it may be called.
///
/// Verifies what authenticators answer. Pure functions: the caller keeps the options that it sent, takes each challenge once,
/// stores credentials, and knows what time it is. A fault is thrown, and there is no way to a ``VerifiedRegistration`` or a
/// ``VerifiedAssertion`` but through these functions.
public struct RelyingParty: Sendable, Hashable {
    /// The greatest size of a response, in bytes.
    public static let messageLimit = 65_536

    /// The domain to which credentials belong, in lower case: `example.org`.
    public let id: String
    /// For people.
    public let name: String
    /// The origins that may call, to the letter: `https://login.example.org`, `android:apk-key-hash:…`.
    public let origins: Set<String>
    /// Whether pages in frames of other origins may call.
    public let framing: Framing

    /// Whether a page may call that is in a frame of another origin (WebAuthn Level 3, section 5.10).
    public enum Framing: Sendable, Hashable {
        /// A page in a frame of another origin may not call; one that names a `topOrigin` is refused too.
        case refused
        /// Where the browser tells the origin of the window, it has to be one of these.
        case allowed(topOrigins: Set<String>)
    }

    /// - Parameters:
    ///   - id: a domain in lower case, international ones as A-labels, or `localhost`. No address, and no domain of one label: other
    ///     sites are below it. Public suffixes of more labels (`co.uk`) are not known here: see ``PublicSuffixList``.
    ///   - origins: each `https://` and a host that is the id or below it, with a port unless it is 443. `http://` only for
    ///     `localhost` and below. Apps for Android by `android:apk-key-hash:` and 43 characters.
    ///   - relatedOrigins: origins of other domains, as `/.well-known/webauthn` lists them (section 5.11).
    public init(
        id: String, name: String, origins: [String], relatedOrigins: [String] = [], framing: Framing = .refused
    ) throws(RelyingPartyFault) {
        guard Self.isDomain(id), id == "localhost" || id.contains(".") else { throw .notADomain(id) }
        for origin in origins + relatedOrigins {
            if Self.isAndroidApp(origin) { continue }
            guard let host = Self.host(ofOrigin: origin) else { throw .notAnOrigin(origin) }
            guard relatedOrigins.contains(origin) || host == id || host.hasSuffix("." + id) else {
                throw .notBelow(id: id, origin: origin)
            }
        }
        self.id = id
        self.name = name
        self.origins = Set(origins + relatedOrigins)
        self.framing = framing
    }

    /// The host of a web origin in the form of RFC 6454, section 6.2; nil for anything else.
    public static func host(ofOrigin origin: String) -> String? {
        let parts: (scheme: String, rest: Substring)
        if origin.hasPrefix("https://") {
            parts = ("https", origin.dropFirst(8))
        } else if origin.hasPrefix("http://") {
            parts = ("http", origin.dropFirst(7))
        } else {
            return nil
        }
        let pieces = parts.rest.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = pieces.first.map(String.init), pieces.count <= 2, isDomain(host) else { return nil }
        if parts.scheme == "http", host != "localhost", !host.hasSuffix(".localhost") { return nil }
        if pieces.count == 2 {
            // As browsers write it: without zeros in front, and never the scheme's own.
            guard let port = UInt16(pieces[1]), String(port) == pieces[1], port != 0,
                port != (parts.scheme == "https" ? 443 : 80)
            else { return nil }
        }
        return host
    }

    /// Labels of letters, digits and hyphens in lower case, and not an IPv4 address.
    private static func isDomain(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let last = labels.last else { return false }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return !last.allSatisfy(digits.contains)
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { digits.contains($0) || letters.contains($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isAndroidApp(_ origin: String) -> Bool {
        let prefix = "android:apk-key-hash:"
        return origin.hasPrefix(prefix) && [UInt8](base64URL: origin.dropFirst(prefix.count))?.count == 32
    }
}

/// Why a relying party cannot be what its settings say.
public enum RelyingPartyFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The id is no domain in lower case with at least two labels, and not `localhost`.
    case notADomain(String)
    /// The text is no origin as browsers write it: another scheme, plain http elsewhere than at `localhost`, a path,
    /// the scheme's own port.
    case notAnOrigin(String)
    /// The origin's host is neither the id nor below it, and the origin is not among the related ones.
    case notBelow(id: String, origin: String)
    /// Others register names below it (``PublicSuffixList``).
    case publicSuffix(String)

    public var description: String {
        switch self {
        case .notADomain(let id):
            "\(id.debugDescription) cannot be the id of a relying party: use a domain in lower case, or localhost"
        case .notAnOrigin(let origin):
            "\(origin.debugDescription) is no origin: write it as browsers do, https://host or https://host:port"
        case .notBelow(let id, let origin):
            "\(origin.debugDescription) is neither \(id) nor below it: list it as a related origin"
        case .publicSuffix(let id):
            "\(id.debugDescription) is a public suffix: others register names below it, and could use passkeys of it"
        }
    }
}
