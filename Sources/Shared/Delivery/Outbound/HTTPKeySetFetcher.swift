import CountersignCore
import Foundation

/// Fetches key sets of applications at public addresses (``OutboundHTTP``).
public struct HTTPKeySetFetcher: KeySetFetcher {
    /// Bytes of a key set.
    static let longest = 65_536
    /// How long the request of the application waits for it.
    static let timeout = Duration.seconds(5)

    private let http: OutboundHTTP

    /// - Parameter http: is its maker's to shut down.
    public init(_ http: OutboundHTTP) {
        self.http = http
    }

    public func fetch(_ uri: String, isStrangers: Bool) async -> FetchedKeySet? {
        var exchange = OutboundHTTP.Exchange(
            .get, uri, headers: [(name: "Accept", value: "application/json, application/jwk-set+json")],
            timeout: Self.timeout, bodyLimit: Self.longest)
        exchange.isStrangers = isStrangers
        guard case .success(let answer) = await http.send(exchange), answer.status == 200 else { return nil }
        return FetchedKeySet(body: answer.body, lifetime: Self.lifetime(answer.headers))
    }

    /// What `Cache-Control`, or else `Expires`, says (RFC 9111, section 5). Zero where the answer is not to be kept.
    static func lifetime(_ headers: (String) -> [String]) -> TimeInterval? {
        let directives = headers("Cache-Control").joined(separator: ",").lowercased().split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
        for directive in directives where directive.hasPrefix("max-age=") {
            let text = directive.dropFirst("max-age=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            guard let seconds = TimeInterval(text), seconds.isFinite else { return 0 }
            let age = headers("Age").first.flatMap { TimeInterval($0) } ?? 0
            return max(0, seconds - max(0, age))
        }
        guard let expires = headers("Expires").first else { return nil }
        guard let end = date(expires), let begin = headers("Date").first.flatMap(date) else { return 0 }
        return max(0, end.timeIntervalSince(begin))
    }

    /// RFC 9110, section 5.6.7.
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return formatter.date(from: text)
    }
}
