import Foundation

/// Fetches documents of clients. The core decides when, and what they are good for; a fetcher knows HTTP, and to which addresses requests
/// may go.
public protocol ClientDocumentFetcher: Sendable {
    /// Fetches once: no redirect is followed, nothing repeated.
    func fetch(_ url: String) async -> FetchedClientDocument
}

/// What came of a fetch.
public enum FetchedClientDocument: Sendable, Equatable {
    /// An answer of 200.
    /// - Parameters:
    ///   - body: at most ``ClientDocuments/longest`` bytes.
    ///   - type: `Content-Type`; nil where there is none.
    ///   - lifetime: seconds for which the server says that it may be kept; nil where it says nothing.
    case document(body: Data, type: String?, lifetime: TimeInterval?)
    /// An answer that is no document, or none that is taken: another status, more bytes, or an address where nothing may be fetched. In words
    /// for the log.
    case refused(String)
    /// The client's server cannot be reached, takes too long, or says that it has a fault of its own. In words for the log.
    case unreachable(String)
}

/// For realms that fetch nothing.
public struct NoClientDocumentFetcher: ClientDocumentFetcher {
    /// A fetcher whose documents are never there.
    public init() {}

    public func fetch(_ url: String) async -> FetchedClientDocument { .unreachable("none") }
}
