import CountersignCore
import Foundation

/// Fetches documents of clients at public addresses (``OutboundHTTP``).
public struct HTTPClientDocumentFetcher: ClientDocumentFetcher {
    /// How long a browser waits for it.
    static let timeout = Duration.seconds(3)

    private let http: OutboundHTTP

    /// - Parameter http: is its maker's to shut down.
    public init(_ http: OutboundHTTP) {
        self.http = http
    }

    public func fetch(_ url: String) async -> FetchedClientDocument {
        var exchange = OutboundHTTP.Exchange(
            .get, url, headers: [(name: "Accept", value: "application/json")], timeout: Self.timeout,
            bodyLimit: ClientDocuments.longest)
        // Any client that asks for a sign-in names the address.
        exchange.isStrangers = true
        switch await http.send(exchange) {
        case .success(let answer) where answer.status == 200:
            return .document(
                body: answer.body, type: answer.headers("Content-Type").first,
                lifetime: HTTPKeySetFetcher.lifetime(answer.headers))
        // What its server will answer otherwise in a while (RFC 9110, sections 15.5.9 and 15.6; RFC 6585, section 4).
        case .success(let answer) where answer.status >= 500 || [408, 429].contains(answer.status):
            return .unreachable("status-\(answer.status)")
        case .success(let answer): return .refused("status-\(answer.status)")
        case .failure(let failure):
            switch failure {
            case .malformedURL, .blocked, .tooLarge: return .refused(failure.reason)
            case .unknownName, .timedOut, .connection: return .unreachable(failure.reason)
            }
        }
    }
}
