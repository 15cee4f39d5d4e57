import Foundation

/// What one application got of one user's session.
public struct ApplicationSession: Sendable {
    /// The user whose session it is.
    public let user: User
    /// With the grant of the application alone.
    public let listing: SessionListing
}

/// Where a grant stands among those of its application: by creation, then by id.
public struct GrantPlace: Sendable, Equatable {
    /// When the grant was made.
    public let createdAt: Date
    /// The grant, which orders those of one instant.
    public let id: GrantID

    /// The place of the grant with that time and id.
    public init(createdAt: Date, id: GrantID) {
        (self.createdAt, self.id) = (createdAt, id)
    }

    /// As pages and commands write it: digits, a dot, and characters of Base64 for URLs.
    public var text: String { "\(createdAt.microseconds).\(Array(id.rawValue.utf8).base64URL)" }

    /// Nil where the text is no place.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 512, parts.count == 2, let instant = Int64(parts[0]),
            let id = [UInt8](base64URL: String(parts[1])), !id.isEmpty
        else { return nil }
        self.init(
            createdAt: Date(microseconds: instant), id: GrantID(rawValue: String(decoding: id, as: UTF8.self)))
    }
}

extension Sessions {
    /// A part of the list of who is signed in to an application.
    public struct ApplicationPage: Sendable {
        /// The newest first.
        public let sessions: [ApplicationSession]
        /// Where the next page begins; nil on the last. A page may be short and yet have a next one.
        public let next: GrantPlace?
    }

    /// Grants that one page looks through at most: those of sessions that ended with their user's password, say, are over without being ended
    /// themselves.
    static let mostGrantsLookedThrough = 500

    /// Who is signed in to an application, by what it got of sessions that go on.
    ///
    /// The list goes by an index, so that a page costs the same however many users there are.
    /// - Parameters:
    ///   - place: only what is older.
    ///   - limit: 1 to 200.
    public func list(of client: ClientID, before place: GrantPlace? = nil, limit: Int = 50) async throws
        -> ApplicationPage
    {
        let limit = min(max(limit, 1), 200)
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            var found: [ApplicationSession] = []
            var place = place
            var left = Self.mostGrantsLookedThrough
            while left > 0 {
                let count = min(left, max(limit + 1 - found.count, 50))
                let grants = try transaction.grants(of: client, before: place, limit: count)
                for grant in grants {
                    if let session = try transaction.living(grant, at: now) {
                        if found.count == limit { return ApplicationPage(sessions: found, next: place) }
                        found.append(session)
                    }
                    place = GrantPlace(createdAt: grant.createdAt, id: grant.id)
                }
                if grants.count < count { return ApplicationPage(sessions: found, next: nil) }
                left -= grants.count
            }
            return ApplicationPage(sessions: found, next: place)
        }
    }
}

extension StoreTransaction {
    /// The session and user of a grant; nil where one of the three is over.
    fileprivate func living(_ grant: Grant, at now: Date) throws -> ApplicationSession? {
        guard grant.isLiving(at: now), let user = try user(grant.userID), !user.isDisabled,
            let session = try session(grant.sessionID), session.isLiving(of: user, at: now)
        else { return nil }
        return ApplicationSession(user: user, listing: SessionListing(session: session, grants: [grant]))
    }
}
