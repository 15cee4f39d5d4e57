import ClientHTTP
import Foundation

/// Where requests go.
struct ServerAddress: Sendable, Equatable {
    /// What the app said, as it said it.
    let url: URL
    /// Up to and with `api`, without a slash at its end. All paths of the protocol are relative to it.
    let base: String

    /// - Parameter url: with the server's context, such as `https://mfp.example.com/mfp`; without a path, the context is
    ///   `/mfp`. Source: MobileFirst's web SDK.
    /// - Throws: ``WLError`` (`ILLEGAL_ARGUMENT_EXCEPTION`) for what is no server's URL.
    init(server url: URL) throws {
        let path = url.path.split(separator: "/").map(String.init)
        try self.init(url, path: path.isEmpty ? ["mfp", "api"] : path.last == "api" ? path : path + ["api"])
    }

    /// The server that a process's environment names: a path in `COUNTERSIGN_URL` stays in front of the protocol's own.
    /// Nil where it names none.
    init?(environment: [String: String]) throws {
        guard let text = environment["COUNTERSIGN_URL"], !text.isEmpty else { return nil }
        guard let url = URL(string: text) else {
            throw WLError(.illegalArgument, "COUNTERSIGN_URL is not a URL.")
        }
        try self.init(url, path: url.path.split(separator: "/").map(String.init) + ["mfp", "api"])
    }

    private init(_ url: URL, path: [String]) throws {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.host?.isEmpty == false,
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.user == nil, parts.password == nil
        else { throw WLError(.illegalArgument, "The server's URL needs http or https and a host, and has no user.") }
        parts.query = nil
        parts.fragment = nil
        parts.path = "/" + path.joined(separator: "/")
        guard let base = parts.string else { throw WLError(.illegalArgument, "The server's URL is not valid.") }
        self.url = url
        self.base = base
    }

    /// The server's scheme, which is that of the redirect URI too.
    var scheme: String { url.scheme?.lowercased() ?? "https" }

    /// An endpoint of the framework.
    func endpoint(_ path: String) throws -> URL {
        guard let url = URL(string: base + path) else {
            throw WLError(.illegalArgument, "The server's URL is not valid.")
        }
        return url
    }

    /// A resource: absolute, or below `api`.
    func resource(_ url: URL) throws -> URL {
        if url.scheme != nil { return url }
        let text = url.relativeString
        return try endpoint(text.hasPrefix("/") ? text : "/" + text)
    }
}
