import Foundation

/// Custom authentication extensions: which there are, and asking them.
///
/// They are few and read together, so that they are one document (decision 86).
///
/// **How the files of this folder meet.** `CustomExtension` is one registration and `CustomExtension+judging` says what is wrong with it; this
/// type keeps all of them in one document. `+Asking` has the `ExtensionFormat` spell a question about an `ExtensionOccasion`,
/// hands it to the `ExtensionCaller` (the composition root provides both), and judges the action in the answer: `ProvidedClaims`, `SignUpInformation` or an
/// `ExtensionFailure`. `ExtensionTraffic` bounds how much is asked at a time, `+Checking` asks for a trial, and `DirectoryID` spells
/// ids as services expect them. The engine asks through `Consultant` (`Flows`), never this folder.
public struct CustomExtensions: Sendable {
    let realm: Realm

    static let document = "custom-extensions"
    /// As many as there may be.
    public static let limit = 50

    /// Those that were added first come first.
    public func all() async throws -> [CustomExtension] {
        try await realm.store.read { try $0.customExtensions() }
    }

    /// The extension of this id, in any case; nil where there is none.
    public func extensionOf(id: String) async throws -> CustomExtension? {
        try await all().first { $0.id == id.lowercased() }
    }

    /// The one that is asked about an event for an application: one that names it, else one for all.
    public func listener(for event: ExtensionEvent, of client: ClientID) async throws -> CustomExtension? {
        try await all().listener(for: event, of: client)
    }

    // MARK: Registering

    /// What an administrator wants to register; ids are generated here.
    public struct Registration: Sendable {
        /// What it is to be asked about.
        public var event: ExtensionEvent
        /// What administrators call it.
        public var displayName: String?
        /// Where it is asked: https, or http on this machine where that may be called at all.
        public var targetURL: String
        /// Nil makes one of the URL's host and a fresh appid.
        public var resourceID: String?
        /// The client ids of the applications that it is asked for; empty for all that have none of their own.
        public var clients: [String]
        /// Milliseconds that one call may take: ``CustomExtension/timeouts``.
        public var timeout: Int
        /// How often a call is repeated whose failure may pass: 0 or 1.
        public var retries: Int
        /// Whether a code goes by mail where the service does not take it.
        public var fallsBack: Bool
        /// Which claims go into tokens, under which names.
        public var claims: [ClaimMapping]
        /// Which tokens they go into.
        public var tokens: [CustomExtension.TokenKind]

        /// What an administrator asks for; ``CustomExtensions/add(_:by:)`` judges it.
        public init(
            event: ExtensionEvent, displayName: String? = nil, targetURL: String, resourceID: String? = nil,
            clients: [String] = [], timeout: Int = 1000, retries: Int = 0, fallsBack: Bool = false,
            claims: [ClaimMapping] = [], tokens: [CustomExtension.TokenKind] = CustomExtension.TokenKind.allCases
        ) {
            self.event = event
            self.displayName = displayName
            self.targetURL = targetURL
            self.resourceID = resourceID
            self.clients = clients
            self.timeout = timeout
            self.retries = retries
            self.fallsBack = fallsBack
            self.claims = claims
            self.tokens = tokens
        }
    }

    /// What ``add(_:by:)`` would register, judged by itself alone.
    /// - Throws: ``CustomExtensionFault`` where it is not right.
    public func judged(_ registration: Registration) throws(CustomExtensionFault) -> CustomExtension {
        let host = try CustomExtension.host(of: registration.targetURL)
        let authority = host.contains(":") ? "[\(host)]" : host
        let made = CustomExtension(
            id: realm.random.uuid(), listenerID: realm.random.uuid(), createdAt: realm.clock.now,
            event: registration.event, displayName: registration.displayName, targetURL: registration.targetURL,
            resourceID: registration.resourceID ?? "api://\(authority)/\(realm.random.uuid())",
            clients: registration.clients, timeout: registration.timeout, retries: registration.retries,
            fallsBack: registration.fallsBack, claims: registration.claims, tokens: registration.tokens)
        try made.judge()
        return made
    }

    /// Registers an extension. The log says which, and where it is asked.
    /// - Throws: ``CustomExtensionFault`` where it is not right, or another listens to the same event of an application.
    public func add(_ registration: Registration, by client: ClientContext) async throws -> CustomExtension {
        let made = try judged(registration)
        let now = made.createdAt
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        try await realm.store.write { transaction in
            var present = try transaction.customExtensions()
            guard present.count < Self.limit else {
                throw CustomExtensionFault(
                    "There are \(Self.limit) extensions already, which is the maximum.", isByOthers: true)
            }
            if let other = present.first(where: { $0.overlaps(made) }) { throw made.conflict(other) }
            present.append(made)
            try transaction.putCustomExtensions(present)
            try transaction.append(try made.added(eventID, at: now, by: client))
        }
        return made
    }

    /// Registers an extension in the place of another, in one step: where the new one is refused, the other stays. It keeps the id, and the
    /// resource id where none is named and the host stays. The log has the removal and the addition.
    /// - Parameters:
    ///   - id: in any case.
    ///   - present: sees the extension as it is before, and throws where it is not what the caller knows; then nothing changes.
    /// - Returns: nil where there is none of that id.
    /// - Throws: ``CustomExtensionFault`` where it is not right, or a third listens to the same event of an application.
    public func replace(
        _ id: String, by registration: Registration, client: ClientContext,
        judging present: @escaping @Sendable (CustomExtension) throws -> Void = { _ in }
    ) async throws -> CustomExtension? {
        let wanted = try judged(registration)
        let now = wanted.createdAt
        let eventIDs = (0..<2).map { _ in AuditEvent.freshID(at: now, random: realm.random) }
        let id = id.lowercased()
        return try await realm.store.write { transaction in
            var all = try transaction.customExtensions()
            guard let place = all.firstIndex(where: { $0.id == id }) else { return nil }
            let former = all[place]
            try present(former)
            let made = try wanted.inPlace(of: former, resourceID: registration.resourceID, among: all)
            all[place] = made
            try transaction.putCustomExtensions(all)
            try transaction.append(
                AuditEvent(
                    id: eventIDs[0], at: now, kind: .extensionRemoved, userID: nil, context: client,
                    details: ["extension": .string(id)]))
            try transaction.append(try made.added(eventIDs[1], at: now, by: client, inPlaceOf: former))
            return made
        }
    }

    /// What ``replace(_:by:client:judging:)`` would leave, by the same rules. Nothing is changed.
    public func judged(
        _ registration: Registration, inPlaceOf id: String,
        judging present: @escaping @Sendable (CustomExtension) throws -> Void = { _ in }
    ) async throws -> CustomExtension? {
        let wanted = try judged(registration)
        let registered = try await all()
        guard let former = registered.first(where: { $0.id == id.lowercased() }) else { return nil }
        try present(former)
        return try wanted.inPlace(of: former, resourceID: registration.resourceID, among: registered)
    }

    /// False where there is none of that id.
    public func remove(_ id: String, by client: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let id = id.lowercased()
        return try await realm.store.write { transaction in
            let present = try transaction.customExtensions()
            let rest = present.filter { $0.id != id }
            guard rest.count < present.count else { return false }
            try transaction.putCustomExtensions(rest)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .extensionRemoved, userID: nil, context: client,
                    details: ["extension": .string(id)]))
            return true
        }
    }
}

extension CustomExtension {
    fileprivate func conflict(_ other: CustomExtension) -> CustomExtensionFault {
        CustomExtensionFault(
            "The extension \(other.id) listens to \(event.rawValue) of the same application already. "
                + "Remove it first, or name other applications.", isByOthers: true)
    }

    fileprivate func added(
        _ eventID: String, at now: Date, by client: ClientContext, inPlaceOf former: CustomExtension? = nil
    ) throws -> AuditEvent {
        let details: [String: JSONValue] = [
            "extension": .string(id), "event": .string(event.rawValue),
            "url": .string(URLText.origin(of: targetURL)),
        ]
        let difference = try AuditDifference(from: former, to: self, .customExtension)
        return AuditEvent(
            id: eventID, at: now, kind: .extensionAdded, userID: nil, context: client,
            details: details.merging(difference.details) { own, _ in own })
    }

    /// The same under the ids of another, and under its resource id where none is named and the host stays.
    /// - Throws: ``CustomExtensionFault`` where a third listens to the same event of an application.
    fileprivate func inPlace(
        of former: CustomExtension, resourceID named: String?, among all: [CustomExtension]
    ) throws -> CustomExtension {
        let isSameHost = (try? Self.host(of: former.targetURL)) == (try? Self.host(of: targetURL))
        let made = CustomExtension(
            id: former.id, listenerID: former.listenerID, createdAt: former.createdAt, event: event,
            displayName: displayName, targetURL: targetURL,
            resourceID: named == nil && isSameHost ? former.resourceID : resourceID, clients: clients, timeout: timeout,
            retries: retries, fallsBack: fallsBack, claims: claims, tokens: tokens)
        if let other = all.first(where: { $0.id != made.id && $0.overlaps(made) }) { throw made.conflict(other) }
        return made
    }

    /// Whether both would be asked about the same event of the same application.
    func overlaps(_ other: CustomExtension) -> Bool {
        guard event == other.event else { return false }
        if clients.isEmpty || other.clients.isEmpty { return clients.isEmpty && other.clients.isEmpty }
        return !Set(clients).isDisjoint(with: other.clients)
    }
}

extension [CustomExtension] {
    func listener(for event: ExtensionEvent, of client: ClientID) -> CustomExtension? {
        let heard = filter { $0.event == event }
        return heard.first { $0.names(client) } ?? heard.first { $0.clients.isEmpty }
    }

    /// Those that are asked for an application, by event.
    func listeners(of client: ClientID) -> [ExtensionEvent: CustomExtension] {
        var listeners: [ExtensionEvent: CustomExtension] = [:]
        for event in ExtensionEvent.allCases { listeners[event] = listener(for: event, of: client) }
        return listeners
    }
}

extension StoreTransaction {
    func customExtensions() throws -> [CustomExtension] {
        let extensions = try decodedDocument(CustomExtensions.document) { document in
            do {
                return try JSONDecoder().decode([CustomExtension].self, from: document)
            } catch {
                throw StoreError(.corrupt, "The document of custom extensions cannot be read: \(error)")
            }
        }
        return extensions ?? []
    }

    func putCustomExtensions(_ extensions: [CustomExtension]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try putDocument(CustomExtensions.document, encoder.encode(extensions))
    }
}

extension Realm {
    /// Services of the developer's own that are asked in the middle of a sign-in.
    public var customExtensions: CustomExtensions { CustomExtensions(realm: self) }
}
