extension ApplicationRegistration {
    /// Stands for every audience in ``audiences``: for development alone.
    public static let anyAudience = "*"

    /// Bytes that an audience has at most.
    public static let longestAudience = 512

    /// Whether access tokens may be issued to the application for this audience (RFC 9068, section 3: an authorization
    /// server issues tokens for resources that it knows).
    ///
    /// The server's own APIs are not in the list: their dialect allows them to every application.
    public func allowsAudience(_ audience: String) -> Bool {
        guard let audiences else { return true }
        return audiences.contains(audience) || audiences.contains(Self.anyAudience)
    }
}

extension Applications {
    /// Applications that were registered before there was a list of audiences, and still get tokens for any.
    /// - Parameter limit: how many are named at most.
    public func withoutAudiences(limit: Int = 10) async throws -> [ClientID] {
        var found: [ClientID] = []
        var last: ClientID?
        while true {
            let page = try await applications(after: last, limit: 1000)
            guard let end = page.last else { return found }
            last = end.id
            found += page.lazy.filter { $0.registration.audiences == nil }.map(\.id)
            if found.count >= limit { return Array(found.prefix(limit)) }
        }
    }
}
