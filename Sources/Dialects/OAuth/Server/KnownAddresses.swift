import Synchronization

/// What tokens say of the server by its addresses, put together once for each list of them: every token is compared with it, and it
/// changes when the server begins to listen.
final class KnownAddresses: Sendable {
    struct Names: Sendable {
        /// The first address, which is the issuer.
        let issuer: Set<String>
        /// The issuer, by each address and in both spellings.
        let issuers: Set<String>
        /// The audience of tokens for a user's own authentication methods, by each address.
        let accountAudiences: Set<String>
        /// What tokens for the server may say that they are for.
        let audiences: Set<String>
    }

    private let known = Mutex<(urls: [String], names: Names)?>(nil)

    /// - Parameter urls: the addresses that clients reach the server by, without slashes at their ends.
    func names(of urls: [String]) -> Names {
        known.withLock { known in
            if let known, known.urls == urls { return known.names }
            let account = Set(urls.map { $0 + OAuth.Path.account })
            let names = Names(
                issuer: [urls.first ?? ""], issuers: Set(urls.flatMap { [$0, $0 + "/"] }), accountAudiences: account,
                audiences: account.union(urls))
            known = (urls, names)
            return names
        }
    }
}
