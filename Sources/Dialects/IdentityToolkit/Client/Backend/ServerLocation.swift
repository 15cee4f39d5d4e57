import ClientHTTP
import Foundation

/// Where the requests of an ``Auth`` go.
enum ServerLocation: Sendable, Equatable {
    /// Nothing was said.
    case unknown
    /// What was said is no server's URL; the reason.
    case unusable(String)
    /// The base URL without a slash at its end, and where plain http is accepted.
    case at(String, HTTPClient.PlainHTTPRule)

    /// The URL that a process's environment names.
    init(environment: [String: String]) {
        guard let text = environment["COUNTERSIGN_URL"], !text.isEmpty else {
            self = .unknown
            return
        }
        if let url = URL(string: text) {
            self.init(url: url)
        } else {
            self = .unusable("COUNTERSIGN_URL is not a URL.")
        }
    }

    init(url: URL) {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.query = nil
        parts?.fragment = nil
        guard url.host?.isEmpty == false, let base = parts?.string else {
            self = .unusable("The server's URL names no host.")
            return
        }
        self = .at(String(base.reversed().drop { $0 == "/" }.reversed()), .loopback)
    }

    /// Always http, and any host: the app names an emulator by itself. Source: Firebase API reference for Swift,
    /// `Auth.useEmulator`.
    init(emulatorHost host: String, port: Int) {
        guard !host.isEmpty, (1...65_535).contains(port) else {
            self = .unusable("An emulator needs a host and a port from 1 to 65535.")
            return
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = host.contains(":") && !isBracketed ? "[\(host)]" : host
        self = .at("http://\(name.replacingOccurrences(of: "%", with: "%25")):\(port)", .anyHost)
    }
}
