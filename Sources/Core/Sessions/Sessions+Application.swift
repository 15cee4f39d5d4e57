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

    /// The place of a grant.
    init(of grant: Grant) { self.init(createdAt: grant.createdAt, id: grant.id) }

    /// As pages and commands write it (``CreationPlace/text``).
    public var text: String { CreationPlace(createdAt: createdAt, id: id.rawValue).text }

    /// Nil where the text is no place.
    public init?(_ text: String) {
        guard let place = CreationPlace(text) else { return nil }
        self.init(createdAt: place.createdAt, id: GrantID(rawValue: place.id))
    }
}

/// Where a session stands among those of its user: by creation, then by id.
public struct SessionPlace: Sendable, Equatable {
    /// When the session began.
    public let createdAt: Date
    /// The session, which orders those of one instant.
    public let id: SessionID

    /// The place of the session with that time and id.
    public init(createdAt: Date, id: SessionID) {
        (self.createdAt, self.id) = (createdAt, id)
    }

    /// The place of a session.
    init(of session: Session) { self.init(createdAt: session.createdAt, id: session.id) }

    /// As pages and commands write it (``CreationPlace/text``).
    public var text: String { CreationPlace(createdAt: createdAt, id: id.rawValue).text }

    /// Nil where the text is no place.
    public init?(_ text: String) {
        guard let place = CreationPlace(text) else { return nil }
        self.init(createdAt: place.createdAt, id: SessionID(rawValue: place.id))
    }
}

/// An application that has grants which were not ended.
public struct GrantHolder: Sendable, Equatable {
    /// The application.
    public let client: ClientID
    /// When the last of its grants expires.
    public let expiresAt: Date

    /// An application whose last grant expires at an instant.
    public init(client: ClientID, expiresAt: Date) {
        (self.client, self.expiresAt) = (client, expiresAt)
    }
}

extension Sessions {
    /// Grants that one page looks through at most: those of sessions that ended with their user's password, say, are over without being ended
    /// themselves.
    static let mostGrantsLookedThrough = 500

    /// Who is signed in to an application, by what it got of sessions that go on; the newest first. A page may be short and yet have a
    /// next one.
    ///
    /// The list goes by an index, so that a page costs the same however many users there are.
    public func list(
        of client: ClientID, _ range: ListRange<GrantPlace> = ListRange(limit: 50)
    ) async throws -> ListPage<ApplicationSession, GrantPlace> {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try range.page(most: Self.mostGrantsLookedThrough, chunk: 50) {
                GrantPlace(createdAt: $0.createdAt, id: $0.id)
            } _: {
                try transaction.grants(of: client, $0)
            } show: {
                try transaction.living($0, at: now)
            }
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
