import ClientHTTP
import Foundation

/// A tenant of a server, as the URL below which its endpoints lie.
public class MSALAuthority: NSObject, @unchecked Sendable {
    // Proof: the one stored property is a constant of a Sendable type, and the one subclass is final and has none.
    /// The URL below which the tenant's endpoints lie, without query, fragment, user and trailing slash.
    public let url: URL

    /// - Throws: ``MSALNativeAuthInternalError`` where the URL is no server's, or is neither `https` nor on this
    ///   machine.
    public init(url: URL) throws {
        self.url = try Self.normalized(url)
        super.init()
    }

    /// Without query, fragment, user and trailing slash.
    private static func normalized(_ url: URL) throws -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = url.host, !host.isEmpty
        else { throw MSALNativeAuthInternalError.authorityWithoutHost }
        let isLocal = Loopback.contains(host: host)
        guard parts.scheme?.lowercased() == "https" || (isLocal && parts.scheme?.lowercased() == "http") else {
            throw MSALNativeAuthInternalError.insecureAuthority
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard isLocal || labels.count >= 2 else {
            throw MSALNativeAuthInternalError.authorityWithoutHost
        }
        parts.query = nil
        parts.fragment = nil
        parts.user = nil
        parts.password = nil
        while parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath.removeLast() }
        if parts.percentEncodedPath.isEmpty, labels.count >= 3, labels[1].lowercased() == "ciamlogin" {
            parts.percentEncodedPath = "/\(labels[0]).onmicrosoft.com"
        }
        guard let normalized = parts.url else {
            throw MSALNativeAuthInternalError.authorityWithoutHost
        }
        return normalized
    }
}

/// A tenant for customers, which is where native authentication is.
///
/// Any host will do: `https://login.example.com/contoso`, and `http` where the host is this machine. A host
/// `{name}.ciamlogin.…` without a path gets the path `/{name}.onmicrosoft.com`. Source: MSAL for iOS.
public final class MSALCIAMAuthority: MSALAuthority, @unchecked Sendable {
    // Proof: it adds no stored properties to those of its superclass, which are constants.

    public override init(url: URL) throws { try super.init(url: url) }

    /// - Parameter validateFormat: kept for the sake of the API; what is refused is the same with and without.
    public convenience init(url: URL, validateFormat: Bool) throws { try self.init(url: url) }

    package convenience init(tenantSubdomain: String, environment: [String: String]) throws {
        let isLabel = tenantSubdomain.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-")
        }
        guard !tenantSubdomain.isEmpty, isLabel else {
            throw MSALNativeAuthInternalError.invalidTenantSubdomain
        }
        var text = "https://\(tenantSubdomain).ciamlogin.com"
        if let server = environment["COUNTERSIGN_URL"], !server.isEmpty {
            guard var parts = URLComponents(string: server) else {
                throw MSALNativeAuthInternalError.invalidServerURL
            }
            parts.query = nil
            parts.fragment = nil
            let base = parts.string ?? server
            text = base.reversed().drop { $0 == "/" }.reversed() + "/\(tenantSubdomain).onmicrosoft.com"
        }
        guard let url = URL(string: text) else {
            throw MSALNativeAuthInternalError.invalidServerURL
        }
        try self.init(url: url)
    }
}
