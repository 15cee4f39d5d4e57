import ClientHTTP
import Foundation
import JSON

/// Where a server is, out of what an app says of it; or why that is no address.
struct ServerAddress: Sendable {
    /// What the app said, before a path is put to it.
    let url: Result<URL, GuardianError>

    init(url: URL) {
        self.url = Result { () throws(GuardianError) in try Self.checked(url.absoluteString) }
    }

    /// - Parameters:
    ///   - domain: a host, with or without a port, or a URL. The original takes any text that begins with `http` for a URL;
    ///     here a scheme has its `://`, so that a host called `httpbin.example.com` is one.
    ///   - fallback: what counts where the app and the environment say nothing.
    init(
        domain: String, otherwise fallback: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        url = Result { () throws(GuardianError) in
            let named = [domain, environment["COUNTERSIGN_URL"] ?? "", fallback ?? ""].first { !$0.isEmpty }
            guard let named else {
                throw .invalidBaseURL("No server is named: give a domain or a URL, or set COUNTERSIGN_URL.")
            }
            return try Self.checked(named.contains("://") ? named : "https://" + named)
        }
    }

    /// Parsers differ in what they make of white space and brackets; none of it is in an address.
    private static func checked(_ text: String) throws(GuardianError) -> URL {
        let isPlain = text.unicodeScalars.allSatisfy {
            !$0.properties.isWhitespace && $0.value >= 0x20 && !"<>{}\"\\^`|".unicodeScalars.contains($0)
        }
        guard isPlain, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme), let url = parts.url
        else { throw .invalidBaseURL("'\(text)' is no address of a server.") }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw .invalidBaseURL("A server's address has no user, query or fragment.")
        }
        guard scheme == "https" || Loopback.contains(host: host) else {
            throw .invalidBaseURL("Plain http is for this machine alone, and \(host) is not it: use https.")
        }
        return url
    }

    private static let segment = "appliance-mfa"

    /// The base of the device API: with `appliance-mfa` but for Auth0's own hosts of it and where it is there already
    /// (Guardian.swift 1.5.0, `APIClient.init`).
    var apiBase: Result<URL, GuardianError> {
        url.map { url in
            let text = url.absoluteString
            let isGuardianHost =
                text.hasSuffix("guardian.auth0.com")
                || text.range(of: #"guardian\.[^.]*\.auth0\.com"#, options: .regularExpression) != nil
            if isGuardianHost || url.lastPathComponent == Self.segment { return url }
            return url.appendingPathComponent(Self.segment)
        }
    }

    /// The base of rich consents, which are never below `appliance-mfa`. Of Auth0's hosts, the one without `guardian`.
    var consentBase: Result<URL, GuardianError> {
        url.flatMap { url in
            guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = parts.host else {
                return .failure(.invalidBaseURL("The URL names no host."))
            }
            if host.hasSuffix(".auth0.com") { parts.host = host.replacingOccurrences(of: ".guardian.", with: ".") }
            var path = parts.path.split(separator: "/").map(String.init)
            if path.last == Self.segment { path.removeLast() }
            parts.path = "/" + (path + ["rich-consents"]).joined(separator: "/")
            guard let url = parts.url else { return .failure(.invalidBaseURL("The URL cannot be read.")) }
            return .success(url)
        }
    }
}

extension URL {
    /// What stands where an address could not be read; nothing is ever sent to it.
    static let nowhere = URL(fileURLWithPath: "/")

    /// This URL with more segments. What is special in them is percent-encoded, slashes too.
    ///
    /// - Throws: `a0.guardian.internal.invalid.identifier` for a segment that would change the path.
    func endpoint(_ segments: String...) throws(GuardianError) -> URL {
        var text = absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        for segment in segments {
            guard !segment.isEmpty, segment != ".", segment != ".." else {
                throw .invalidIdentifier("'\(segment)' identifies nothing.")
            }
            text += "/" + segment.percentEncoded
        }
        guard let url = URL(string: text) else { throw .invalidBaseURL("The URL cannot be read.") }
        return url
    }
}
