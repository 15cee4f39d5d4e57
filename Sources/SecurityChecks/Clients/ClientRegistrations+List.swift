import CountersignCore
import Foundation

/// A client as administrators see it.
public struct ListedClient: Sendable {
    /// The reference that names the client in lists, addresses and commands.
    public let reference: ClientReference
    /// What the server keeps of the client.
    public let registration: ClientRegistration

    /// Pairs a registration with its reference.
    public init(reference: ClientReference, registration: ClientRegistration) {
        self.reference = reference
        self.registration = registration
    }
}

/// Which clients a list is of. What is nil does not matter.
public struct ClientFilter: Sendable {
    /// The id of the application that the clients are installations of.
    public var application: String?
    /// The id of the user that a check made the registration's.
    public var user: String?
    /// The status that the clients have.
    public var status: ClientRegistration.Status?

    /// A filter of these conditions, all of which have to hold. Without arguments it takes every client.
    public init(application: String? = nil, user: String? = nil, status: ClientRegistration.Status? = nil) {
        self.application = application
        self.user = user
        self.status = status
    }

    var isEmpty: Bool { application == nil && user == nil && status == nil }

    func lets(_ client: ClientRegistration) -> Bool {
        application.map { $0 == client.application.id } ?? true
            && user.map { $0 == client.context.registeredUser?.id } ?? true
            && status.map { $0 == client.status } ?? true
    }
}

extension ClientRegistrations {
    /// Registrations that one page opens, at most: they are sealed, so the store cannot choose among them.
    public static let mostLookedAt = 1000

    /// A page of clients, in the order of their references.
    ///
    /// With a filter a page may be short, or empty, and still not be the last: it ends where enough were opened.
    public func list(
        _ range: ListRange<ClientReference>, filter: ClientFilter = ClientFilter()
    ) async throws -> ListPage<ListedClient, ClientReference> {
        let realm = realm
        let now = realm.clock.now
        // Without a filter no more are read at once than are shown.
        let chunk = filter.isEmpty ? 1 : 250
        return try await realm.store.read { transaction in
            try range.page(most: Self.mostLookedAt, chunk: chunk) {
                ClientReference(digest: $0.digest)
            } _: {
                try transaction.clientRecords(.registration, $0.map(\.digest))
            } show: { row in
                // One that cannot be read does not keep the others from being shown.
                guard row.expiresAt > now, let stored = try? StoredClient(row, realm.sealer),
                    filter.lets(stored.registration)
                else { return nil }
                return ListedClient(
                    reference: ClientReference(digest: row.digest), registration: stored.registration)
            }
        }
    }

    /// One client, whatever its status; nil where there is none.
    public func listed(_ reference: ClientReference) async throws -> ListedClient? {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try transaction.client(reference, sealer: realm.sealer, at: now).map {
                ListedClient(reference: reference, registration: $0.registration)
            }
        }
    }
}
