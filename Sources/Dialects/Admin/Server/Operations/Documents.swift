import CountersignCore
import Foundation

/// A client's document as administrators see it.
public struct ClientDocumentSummary: Codable, Sendable, Equatable {
    /// The address of the document, which is the client id.
    public let id: String
    /// The host, which users are shown.
    public let host: String
    /// What the client calls itself; no one has checked it.
    public let displayName: String?
    public let redirectURIs: [String]
    /// When it was read last, and until when it counts without being read again.
    public let readAt: Timestamp
    public let freshUntil: Timestamp
    /// When it last said something else of what users are asked about.
    public let changedAt: Timestamp
    public let isDisabled: Bool
    /// Whether its address is admitted: the setting takes documents, and the address is listed where it has to be, and is not blocked.
    public let isAdmitted: Bool

    init(_ kept: ClientDocuments.Kept, _ settings: OAuthSettings) {
        let application = kept.application
        let address = ClientDocumentID(application.id, takesLoopback: true)
        id = application.id.rawValue
        host = address?.shownHost ?? ""
        displayName = application.registration.displayName
        redirectURIs = application.registration.redirectURIs
        readAt = Timestamp(kept.document.readAt)
        freshUntil = Timestamp(kept.document.freshUntil)
        changedAt = Timestamp(kept.document.changedAt)
        isDisabled = application.registration.isDisabled
        isAdmitted = address.map(settings.admits) ?? false
    }
}

/// Lists the documents of clients that are kept, by their addresses.
public struct ListClientDocuments: PagedOperation {
    public static let name = "documents:list"
    public static let right = AdministrationRight.readApplications

    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?

    public init(limit: Int? = nil, after: String? = nil, before: String? = nil) {
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        public let documents: [ClientDocumentSummary]
        /// What the setting says of documents: `off`, `listed` or `any`.
        public let mode: String
        /// Whose documents are never taken.
        public let blocked: [String]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let range: ListRange<ClientID> = try range(limit: PageLimit.judged(limit))
        let settings = try await realm.settings().oauth
        let page = try await realm.clientDocuments.list(range)
        return Answer(
            documents: page.rows.map { ClientDocumentSummary($0, settings) }, mode: settings.clientDocuments.rawValue,
            blocked: settings.blockedDocuments ?? [], previous: place(page.previous), next: place(page.next))
    }
}

/// Forgets a document, with what its client got of users' sessions. It is read anew where it is named again, and users are asked again.
public struct ForgetClientDocument: AdministrationOperation {
    public static let name = "documents:forget"
    public static let right = AdministrationRight.changeApplications

    /// The address.
    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let id: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard try await realm.clientDocuments.forget(ClientID(rawValue: id), by: client) else {
            throw AdministrationError(
                .notFound,
                "No document of \(id.prefix(200)) is kept. `countersign app document list` shows all that are.")
        }
        return Answer(id: id)
    }
}

/// Takes no document of an address, of all that begin with one, or of a host; or takes them again. What clients of such documents got of
/// users' sessions counts for nothing meanwhile.
public struct BlockClientDocuments: AdministrationOperation {
    public static let name = "documents:block"
    public static let right = AdministrationRight.changeApplications

    /// `https://app.example/client.json`, `https://app.example/clients/` or `app.example`.
    public var pattern: String
    /// Whether they are taken again.
    public var lift: Bool?

    public init(pattern: String, lift: Bool? = nil) {
        self.pattern = pattern
        self.lift = lift
    }

    public struct Answer: Codable, Sendable {
        /// All that is blocked now.
        public let blocked: [String]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard OAuthSettings.isDocumentPattern(pattern) else {
            throw AdministrationError(
                .invalid,
                "\"\(pattern.prefix(200))\" means no documents: write an address as https://app.example/client.json, the beginning of "
                    + "some with a slash at its end, or a host as app.example.")
        }
        let documents = realm.clientDocuments
        if lift == true {
            guard try await documents.unblock(pattern, by: client) else {
                throw AdministrationError(.notFound, "\(pattern) is not blocked.")
            }
        } else if try await !documents.block(pattern, by: client) {
            throw AdministrationError(
                .refused, "\(OAuthSettings.mostDocumentPatterns) are blocked already, which is the most.")
        }
        return Answer(blocked: try await realm.settings().oauth.blockedDocuments ?? [])
    }
}
