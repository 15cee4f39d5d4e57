import Foundation
import Synchronization

/// Applications whose client id is the address of a document about them (draft-ietf-oauth-client-id-metadata-document-02).
///
/// What a document says becomes a registration like every other (``Application``), under the address as its id: sessions, grants, consents
/// and the log know it as they know others. It is always a third party's, and has neither scopes nor secrets of its own.
///
/// ``ClientDocumentID`` is the address, ``ClientDocumentFetcher`` reads it, `ClientDocument+Reading`
/// makes a registration of what was read, and this type keeps registrations as current as their servers ask for.
public struct ClientDocuments: Sendable {
    let realm: Realm

    /// Bytes of a document.
    public static let longest = 5120
    /// Seconds that one is kept at least, and at most.
    static let leastLifetime: TimeInterval = 300
    static let mostLifetime: TimeInterval = 86_400
    /// Seconds after that for which the registration goes on where its server cannot be reached.
    static let outageAllowance: TimeInterval = 86_400
    /// Registrations of documents that a realm has at most.
    static let most = 10_000

    /// Why an application of a document is not taken.
    public enum Refusal: Error, Sendable, Equatable {
        /// Documents are off, this address is not listed or is blocked, or it is none that is taken.
        case notAdmitted
        /// What is there is no document that is taken, in words for the log.
        case unusable(String)
        /// The document cannot be reached.
        case unreachable(String)
        /// Too many were asked for.
        case limited(until: Date)

        /// In words for the server's log.
        public var reason: String {
            switch self {
            case .notAdmitted: "this server takes no client id metadata document of this address"
            case .unusable(let reason): "the client id metadata document is not taken: \(reason)"
            case .unreachable(let reason): "the client id metadata document cannot be reached: \(reason)"
            case .limited: "too many client id metadata documents were asked for"
            }
        }
    }

    private enum Standing: Sendable {
        /// An application that was registered otherwise, or whose document was read lately.
        case settled
        case refused(Refusal)
        /// To be read; until when the registration of before goes on without, nil where there is none.
        case due(goesOnUntil: Date?)
    }

    /// Sees to it that the registration of a document is there and current. No transaction may be open.
    ///
    /// Ids that are no addresses are left alone. One document is read once for all who wait, and only so many at a time.
    /// - Parameters:
    ///   - client: who asks; what is fetched counts against the address that it asks from.
    /// - Returns: why the application is not to be taken; nil where it is.
    public func prepare(_ id: ClientID, by client: ClientContext) async throws -> Refusal? {
        guard ClientDocumentID.isAddress(id) else { return nil }
        guard let address = ClientDocumentID(id, takesLoopback: realm.mode.takesLoopbackDocuments) else {
            return .notAdmitted
        }
        let now = realm.clock.now
        switch try await realm.store.read({ try Self.standing(of: id, address, at: now, in: $0) }) {
        case .settled: return nil
        case .refused(let refusal): return refusal
        case .due(let end):
            guard let refusal = try await read(address, isNew: end == nil, at: now, by: client) else { return nil }
            switch refusal {
            case .unreachable, .limited: return end.map { now < $0 } ?? false ? nil : refusal
            case .notAdmitted, .unusable: return refusal
            }
        }
    }

    private static func standing(
        of id: ClientID, _ address: ClientDocumentID, at now: Date, in transaction: any StoreTransaction
    ) throws -> Standing {
        let application = try transaction.registeredApplication(id)
        guard try transaction.settings().oauth.admits(address), application?.registration.isDisabled != true else {
            return .refused(.notAdmitted)
        }
        guard let application else { return .due(goesOnUntil: nil) }
        guard let document = application.registration.oauth.document else { return .settled }
        // A clock that was put back makes nothing last longer.
        let isFresh = now < document.freshUntil && now >= document.readAt
        return isFresh ? .settled : .due(goesOnUntil: document.freshUntil + outageAllowance)
    }

    private func read(
        _ address: ClientDocumentID, isNew: Bool, at now: Date, by client: ClientContext
    ) async throws -> Refusal? {
        let traffic = realm.documentTraffic
        if let reading = traffic.reading(of: address.url) { return try await reading.value }
        if let until = try await charge(address, isNew: isNew, at: now, by: client) { return .limited(until: until) }
        let reading = traffic.begin(address) {
            // Of all who wait: a caller that leaves does not end it. The fetcher bounds its time.
            Task { [self] in try await readOnce(address, isNew: isNew, by: client) }
        }
        guard let reading else { return .limited(until: now + 1) }
        defer { traffic.end(reading, of: address) }
        return try await reading.value
    }

    /// Counts a fetch against who asks for it, and one of an unknown address against its host: others' servers are not to be flooded by this
    /// one.
    private func charge(
        _ address: ClientDocumentID, isNew: Bool, at now: Date, by client: ClientContext
    ) async throws -> Date? {
        var limits: [Allowance] = []
        if let source = client.limitedSource {
            limits.append(Allowance(.documentsPerSource, CounterKey.documents(from: source)))
            // Of the host: a server has one of each port otherwise, and all of them could be asked.
            if isNew { limits.append(Allowance(.documentsPerHost, CounterKey.documents(at: address.host))) }
        }
        guard !limits.isEmpty else { return nil }
        let asked = limits
        return try await realm.store.write { try $0.charge(asked, at: now) }
    }

    private func readOnce(_ address: ClientDocumentID, isNew: Bool, by client: ClientContext) async throws -> Refusal? {
        if isNew, try await count() >= Self.most {
            return try await refuse(.unusable("there are too many"), address, by: client)
        }
        let fetched = await realm.documentFetcher.fetch(address.url)
        let (body, type, lifetime): (Data, String?, TimeInterval?)
        switch fetched {
        case .unreachable(let reason): return try await refuse(.unreachable(reason), address, by: client)
        case .refused(let reason): return try await refuse(.unusable(reason), address, by: client)
        case .document(let bytes, let written, let seconds): (body, type, lifetime) = (bytes, written, seconds)
        }
        let (settings, resources) = try await realm.store.read { (try $0.settings().oauth, try $0.resources()) }
        let registration: ApplicationRegistration
        do {
            registration = try ApplicationRegistration(
                document: body, type: type, at: address, settings: settings, among: resources)
        } catch {
            return try await refuse(.unusable(error.reason), address, by: client)
        }
        let now = realm.clock.now
        let freshUntil = now + min(max(lifetime ?? 0, Self.leastLifetime), Self.mostLifetime)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let isKept = try await realm.store.write { transaction in
            try transaction.keep(
                registration, of: address, readAt: now, freshUntil: freshUntil, eventID: eventID, by: client)
        }
        if isKept, isNew { realm.documentTraffic.noteNew() }
        return isKept ? nil : .notAdmitted
    }

    /// Says in the log what came of a document.
    private func refuse(
        _ refusal: Refusal, _ address: ClientDocumentID, by client: ClientContext
    ) async throws -> Refusal {
        let now = realm.clock.now
        let reason: String
        switch refusal {
        case .unusable(let words), .unreachable(let words): reason = words
        case .notAdmitted, .limited: return refusal
        }
        let event = AuditEvent(
            id: AuditEvent.freshID(at: now, random: realm.random), at: now, kind: .clientDocumentRefused, userID: nil,
            context: client, reason: reason, details: ["application": .string(address.url)])
        try await realm.store.write { try $0.append(event) }
        return refusal
    }

    // MARK: Those that are kept

    /// One that is kept.
    public struct Kept: Sendable {
        /// The application that it describes.
        public let application: Application
        /// When it was read.
        public let document: ClientDocument
    }

    /// Applications that one page looks through at most: other ones may have an address as id, too.
    static let mostLookedThrough = 1000

    /// Those that are kept, by their addresses.
    public func list(_ range: ListRange<ClientID> = ListRange(limit: 100)) async throws -> ListPage<Kept, ClientID> {
        try await realm.store.read { transaction in
            try range.page(most: max(range.limit, 1) + Self.mostLookedThrough, key: \.id) {
                try transaction.addressed($0)
            } show: { application in
                application.registration.oauth.document.map { Kept(application: application, document: $0) }
            }
        }
    }

    /// Whether the document of an address is kept.
    public func keeps(_ id: ClientID) async throws -> Bool {
        try await realm.store.read { try $0.registeredApplication(id)?.registration.oauth.document != nil }
    }

    /// Forgets a document, and all that its application got of users' sessions ends with the registration. It is read anew where the
    /// application is named again, and users are asked again.
    /// - Returns: false where there is none of the address.
    public func forget(_ id: ClientID, by client: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard try transaction.registeredApplication(id)?.registration.oauth.document != nil,
                try transaction.deleteApplication(id)
            else { return false }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .clientDocumentForgotten, userID: nil, context: client,
                    details: ["application": .string(id.rawValue)]))
            return true
        }
    }

    /// Takes no document of an address, or of all that a pattern covers, from now on. What is kept of them stays, and counts for nothing.
    /// - Returns: false where it cannot be read, or there are too many.
    public func block(_ pattern: String, by client: ClientContext) async throws -> Bool {
        guard ClientDocumentPattern(pattern) != nil else { return false }
        let details: [String: JSONValue] = ["setting": "oauth.blockedDocuments", "added": .string(pattern)]
        return try await realm.changeSettings(by: client, details: details) { settings in
            var blocked = settings.oauth.blockedDocuments ?? []
            guard !blocked.contains(pattern) else { return true }
            guard blocked.count < OAuthSettings.mostDocumentPatterns else { return false }
            blocked.append(pattern)
            settings.oauth.blockedDocuments = blocked
            return true
        }
    }

    /// Takes documents again that a pattern blocked.
    /// - Returns: false where it is not blocked.
    public func unblock(_ pattern: String, by client: ClientContext) async throws -> Bool {
        let details: [String: JSONValue] = ["setting": "oauth.blockedDocuments", "removed": .string(pattern)]
        guard try await realm.settings().oauth.blockedDocuments?.contains(pattern) == true else { return false }
        return try await realm.changeSettings(by: client, details: details) { settings in
            let blocked = (settings.oauth.blockedDocuments ?? []).filter { $0 != pattern }
            settings.oauth.blockedDocuments = blocked.isEmpty ? nil : blocked
            return true
        }
    }

    /// How many there are, as far as this server knows: it counts once an hour, and what it reads itself.
    private func count() async throws -> Int {
        let now = realm.clock.now
        if let count = realm.documentTraffic.count(at: now) { return count }
        var count = 0
        var place: ClientID?
        repeat {
            let page = try await list(ListRange(place, limit: 1000))
            count += page.rows.count
            place = if case .row(let last) = page.next { last } else { nil }
        } while place != nil && count < Self.most
        realm.documentTraffic.note(count: count, at: now)
        return count
    }
}

extension StoreTransaction {
    /// Applications whose ids are addresses, which are two stretches of the order of ids.
    fileprivate func addressed(_ range: ListRange<ClientID>) throws -> [Application] {
        var found: [Application] = []
        let schemes = ["http://", "https://"]
        for scheme in range.isBackwards ? schemes.reversed() : schemes {
            // What follows all ids of the scheme: the character behind the slash.
            let (first, end) = (scheme, String(scheme.dropLast()) + "0")
            let key = range.key?.rawValue ?? (range.isBackwards ? end : first)
            let begin = range.isBackwards ? min(key, end) : max(key, first)
            guard found.count < range.limit, range.isBackwards ? begin > first : begin < end else { continue }
            let part = ListRange(
                ClientID(rawValue: begin), isBackwards: range.isBackwards, limit: range.limit - found.count)
            found += try applications(part).prefix { $0.id.rawValue.utf8.starts(with: scheme.utf8) }
        }
        return found
    }

    /// Keeps what was read, and says so in the log where it says something new.
    /// - Returns: false where it is not to be taken any more, or the id is another's.
    fileprivate func keep(
        _ registration: ApplicationRegistration, of address: ClientDocumentID, readAt now: Date, freshUntil: Date,
        eventID: String, by client: ClientContext
    ) throws -> Bool {
        let id = ClientID(rawValue: address.url)
        guard try settings().oauth.admits(address) else { return false }
        var registration = registration
        registration.oauth.document = ClientDocument(readAt: now, freshUntil: freshUntil, changedAt: now)
        guard var present = try registeredApplication(id) else {
            if registration.oauth.idTokenAlgorithm == nil {
                registration.oauth.idTokenAlgorithm = OAuthRegistration.standardIDTokenAlgorithm
            }
            guard try user(UserID(rawValue: id.rawValue)) == nil,
                try insert(Application(id: id, createdAt: now, registration: registration))
            else { return false }
            try append(
                note(id, from: ApplicationRegistration(), to: registration, at: now, eventID: eventID, by: client))
            return true
        }
        let before = present.registration
        guard let known = before.oauth.document else { return false }
        // Another server may have read it later.
        guard known.readAt <= now else { return true }
        registration.takeAdministration(of: before)
        if registration.oauth.idTokenAlgorithm == nil {
            registration.oauth.idTokenAlgorithm = before.oauth.idTokenAlgorithm
        }
        let isSame = before.isSameToUsers(as: registration)
        // An administrator's word was for what the document said.
        registration.oauth.approval = isSame ? before.oauth.approval : nil
        registration.oauth.document = ClientDocument(
            readAt: now, freshUntil: freshUntil, changedAt: isSame ? known.changedAt : now)
        present.registration = registration
        _ = try update(present)
        var undated = registration
        undated.oauth.document = known
        if undated != before {
            try append(note(id, from: before, to: registration, at: now, eventID: eventID, by: client))
        }
        return true
    }

    private func note(
        _ id: ClientID, from before: ApplicationRegistration, to after: ApplicationRegistration, at now: Date,
        eventID: String, by client: ClientContext
    ) throws -> AuditEvent {
        let difference = try AuditDifference(from: before, to: after, .application)
        var details: [String: JSONValue] = ["application": .string(id.rawValue)]
        if before.assertionKeys != after.assertionKeys { details["keysChanged"] = .bool(true) }
        return AuditEvent(
            id: eventID, at: now, kind: .clientDocumentRead, userID: nil, context: client,
            details: details.merging(difference.details) { own, _ in own })
    }
}
