import Foundation

/// Services that are told what happens: registered, changed, tried.
public struct EventHooks: Sendable {
    let realm: Realm

    /// As many as there may be: each event is a call to each of them.
    public static let most = 20
    /// Characters of a hook's name.
    public static let longestName = 100
    static let longestURL = 2048
    /// Seconds that the secret before the present one signs, too.
    public static let overlap: TimeInterval = 86_400

    /// Why a hook was not registered or changed.
    public enum Refusal: Error, Sendable, Equatable {
        /// There is no hook of the id.
        case unknown
        /// There are ``EventHooks/most`` hooks already.
        case tooMany
        /// Why the URL cannot be called.
        case url(String)
        /// No category is named, so that the hook would be told nothing.
        case noEvents
        /// The name is no line of at most ``EventHooks/longestName`` characters (``PlainText/isLine(_:longest:)``).
        case name
        /// The secret is not `whsec_` and the Base64 of 24 to 64 bytes.
        case malformedSecret
        /// The log has no such event, or none that hooks get.
        case unknownEvent
        /// The hook does not ask for events of this category.
        case notAskedFor(EventCategory)
        /// The hook is disabled: it is told nothing of what happens.
        case disabled
    }

    /// What is to be another; nil stays.
    public struct Change: Sendable {
        /// The address of the service.
        public var url: String?
        /// What people call the hook.
        public var name: String?
        /// The categories that it is told.
        public var events: Set<EventCategory>?
        /// Whether it is told anything.
        public var isEnabled: Bool?
        /// Whether events that were missed are left out, and those from now on delivered.
        public var skipsMissed = false

        /// A change of nothing.
        public init() {}

        fileprivate func apply(to registration: inout EventHook.Registration) {
            registration.url = url ?? registration.url
            registration.name = name ?? registration.name
            registration.events = events ?? registration.events
            registration.isEnabled = isEnabled ?? registration.isEnabled
        }
    }

    /// All hooks.
    public func list() async throws -> [EventHook] { try await realm.store.read { try $0.eventHooks() } }

    /// A page of them, those that were added first come first.
    public func list(_ range: ListRange<CreationPlace>) async throws -> ListPage<EventHook, CreationPlace> {
        range.page(of: try await list()) { CreationPlace(createdAt: $0.createdAt, id: $0.id) }
    }

    /// The hook of this id; nil where there is none.
    public func hook(_ id: String) async throws -> EventHook? { try await list().first { $0.id == id } }

    /// Registers a hook: it is told of what happens from now on.
    /// - Parameter secret: the service's own; nil makes one.
    /// - Returns: the hook and its secret, which is not shown again.
    public func add(
        _ registration: EventHook.Registration, secret: Secret<String>? = nil, by client: ClientContext
    ) async throws -> Result<(hook: EventHook, secret: Secret<String>), Refusal> {
        if let refusal = fault(of: registration) { return .failure(refusal) }
        let realm = realm
        var own = HookSecret(random: realm.random)
        if let secret {
            guard let given = HookSecret(secret) else { return .failure(.malformedSecret) }
            own = given
        }
        let now = realm.clock.now
        let hook = EventHook(
            id: realm.random.string(12, of: .alphanumeric), createdAt: now, registration: registration,
            progress: HookProgress(cursor: AuditBound.bound(now).id))
        let event = AuditEvent.freshID(at: now, random: realm.random)
        let secrets = HookSecrets(present: own.text.reveal())
        return try await realm.store.write { transaction in
            guard try transaction.eventHooks().count < Self.most, try transaction.insert(hook) else {
                return .failure(.tooMany)
            }
            try transaction.append(hook.event(.hookAdded, id: event, at: now, by: client))
            try transaction.putHookSecrets(secrets, of: hook.id, sealer: realm.sealer)
            return .success((hook, Secret(secrets.present)))
        }
    }

    /// Changes a hook. The log says which members, and nothing of the secret.
    /// - Parameter present: sees the hook as it is before, and throws where it is not what the caller knows; then nothing changes.
    /// - Returns: the hook as it is then.
    public func change(
        _ id: String, _ change: Change, by client: ClientContext,
        judging present: @escaping @Sendable (EventHook) throws -> Void = { _ in }
    ) async throws -> Result<EventHook, Refusal> {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var hook = try transaction.eventHook(id) else { return .failure(.unknown) }
            try present(hook)
            let before = hook
            change.apply(to: &hook.registration)
            if let refusal = fault(of: hook.registration, before: before.registration) {
                return .failure(refusal)
            }
            if change.isEnabled == true || change.url != nil {
                // Another beginning: the service is tried at once.
                hook.progress.attempts = 0
                hook.progress.nextAttemptAt = nil
                hook.progress.failingSince = nil
                hook.progress.disabledBecause = nil
            }
            if change.skipsMissed {
                hook.progress.cursor = AuditBound.bound(now).id
                hook.progress.done = []
                hook.progress.failing = [:]
            }
            if hook == before { return .success(hook) }
            guard try transaction.update(hook) else { return .failure(.unknown) }
            hook.revision += 1
            let difference = try AuditDifference(from: before.registration, to: hook.registration, .hook)
            try transaction.append(hook.event(.hookChanged, id: event, at: now, by: client, difference.details))
            return .success(hook)
        }
    }

    /// What ``change(_:_:by:judging:)`` would leave, by the same rules. Nothing is changed.
    public func judged(
        _ id: String, _ change: Change, judging present: (EventHook) throws -> Void = { _ in }
    ) async throws -> Result<EventHook, Refusal> {
        guard var hook = try await hook(id) else { return .failure(.unknown) }
        try present(hook)
        let before = hook.registration
        change.apply(to: &hook.registration)
        if let refusal = fault(of: hook.registration, before: before) { return .failure(refusal) }
        return .success(hook)
    }

    /// Makes another secret. The present one signs for ``overlap`` seconds, too.
    public func rotateSecret(
        _ id: String, to secret: Secret<String>? = nil, by client: ClientContext
    ) async throws -> Result<(hook: EventHook, secret: Secret<String>), Refusal> {
        let realm = realm
        let now = realm.clock.now
        var own = HookSecret(random: realm.random)
        if let secret {
            guard let given = HookSecret(secret) else { return .failure(.malformedSecret) }
            own = given
        }
        let event = AuditEvent.freshID(at: now, random: realm.random)
        let text = own.text
        return try await realm.store.write { transaction in
            guard let hook = try transaction.eventHook(id) else { return .failure(.unknown) }
            let present = try transaction.hookSecrets(of: id, sealer: realm.sealer)?.present
            try transaction.append(
                hook.event(.hookChanged, id: event, at: now, by: client, ["secretChanged": .bool(true)]))
            try transaction.putHookSecrets(
                HookSecrets(
                    present: text.reveal(), former: present, formerUntil: present.map { _ in now + Self.overlap }),
                of: id, sealer: realm.sealer)
            return .success((hook, text))
        }
    }

    /// The hook that was; nil where there was none of the id.
    public func remove(_ id: String, by client: ClientContext) async throws -> EventHook? {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let hook = try transaction.eventHook(id), try transaction.deleteEventHook(id) else { return nil }
            try transaction.append(hook.event(.hookRemoved, id: event, at: now, by: client))
            try transaction.deleteSealedSecret(HookSecrets.name(of: id))
            return hook
        }
    }

    /// Sends a message that stands for no event, at once and whatever the hook waits for; also to a hook that is disabled, so that its
    /// service can be tried before it is enabled. The log says so before it is sent.
    public func sendTrial(to id: String, by client: ClientContext) async throws -> Result<HookReply, Refusal> {
        let now = realm.clock.now
        let message = HookMessage(testOf: id, id: AuditEvent.freshID(at: now, random: realm.random), at: now)
        return try await send(.hookTested, to: id, by: client, at: now) { _, _ in .success((message, [:])) }
    }

    /// Sends an event of the log once more, at once and whatever the hook waits for, where the hook is enabled and asks for such events. The
    /// log says so before it is sent.
    /// - Parameter event: an event's id, with or without `evt_` before it.
    public func replay(
        _ event: String, to id: String, by client: ClientContext
    ) async throws -> Result<HookReply, Refusal> {
        let key = event.hasPrefix("evt_") ? String(event.dropFirst(4)) : event
        return try await send(.hookReplayed, to: id, by: client, at: realm.clock.now) { hook, transaction in
            guard hook.registration.isEnabled else { return .failure(.disabled) }
            guard let found = try transaction.auditEvent(key), let category = EventCategory(of: found.kind) else {
                return .failure(.unknownEvent)
            }
            guard hook.registration.events.contains(category) else { return .failure(.notAskedFor(category)) }
            return .success((HookMessage(found), ["event": .string(key)]))
        }
    }

    /// - Parameter choose: the message to the hook as it is now, and what the log says beside the hook.
    private func send(
        _ kind: AuditEvent.Kind, to id: String, by client: ClientContext, at now: Date,
        _ choose:
            @escaping @Sendable (EventHook, any StoreTransaction) throws -> Result<
                (message: HookMessage, details: [String: JSONValue]), Refusal
            >
    ) async throws -> Result<HookReply, Refusal> {
        let event = AuditEvent.freshID(at: now, random: realm.random)
        let chosen = try await realm.store.write { transaction -> Result<(EventHook, HookMessage), Refusal> in
            guard let hook = try transaction.eventHook(id) else { return .failure(.unknown) }
            switch try choose(hook, transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let (message, details)):
                try transaction.append(hook.event(kind, id: event, at: now, by: client, details))
                return .success((hook, message))
            }
        }
        switch chosen {
        case .failure(let refusal): return .failure(refusal)
        case .success(let (hook, message)):
            let secrets = try await realm.hookSecrets(of: id)
            let call = HookCall(
                url: hook.registration.url, body: message.body, headers: message.headers(at: now, secrets: secrets))
            return .success(await realm.hookCaller.post(call))
        }
    }

    /// Nil where the registration can be.
    /// - Parameter before: what it was; its name and its URL stay good.
    private func fault(
        of registration: EventHook.Registration, before: EventHook.Registration? = nil
    ) -> Refusal? {
        if registration.events.isEmpty { return .noEvents }
        guard
            registration.name.isEmpty || registration.name == before?.name
                || PlainText.isLine(registration.name, longest: Self.longestName)
        else { return .name }
        guard registration.url.utf8.count <= Self.longestURL else {
            return .url("has more than \(Self.longestURL) bytes")
        }
        // The parser would escape the rest: what is called would not be what the list and the log show.
        guard URLText.isPlain(registration.url) || registration.url == before?.url else {
            return .url("has other characters than a URL has: write them with %")
        }
        guard let parts = URLComponents(string: registration.url), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return .url("is no https address") }
        guard URLText.hasUsablePort(registration.url) || registration.url == before?.url else {
            return .url("has a port that is none: ports are 1 to 65535")
        }
        // A scheme has no case (RFC 3986 3.1).
        let scheme = parts.scheme?.lowercased()
        if scheme == "https" { return nil }
        // Elsewhere nothing calls it: it would look registered, and fail for ever. One of before can be renamed and
        // switched off.
        let isOfBefore = registration.url == before?.url && (before?.isEnabled == true || !registration.isEnabled)
        let isCalled = realm.mode.takesLoopbackHooks || isOfBefore
        return scheme == "http" && URLText.isLoopback(host) && isCalled ? nil : .url("has to begin with https://")
    }
}

extension EventHook {
    func event(
        _ kind: AuditEvent.Kind, id: String, at now: Date, by client: ClientContext,
        _ more: [String: JSONValue] = [:]
    ) -> AuditEvent {
        var details: [String: JSONValue] = [
            "hook": .string(self.id), "url": .string(URLText.origin(of: registration.url)),
            "events": .array(registration.events.map(\.rawValue).sorted().map { .string($0) }),
            "isEnabled": .bool(registration.isEnabled),
        ]
        details.merge(more) { $1 }
        return AuditEvent(id: id, at: now, kind: kind, userID: nil, context: client, details: details)
    }
}

extension StoreTransaction {
    func eventHook(_ id: String) throws -> EventHook? { try eventHooks().first { $0.id == id } }

    func hookSecrets(of hook: String, sealer: Sealer) throws -> HookSecrets? {
        let name = HookSecrets.name(of: hook)
        return try sealedSecret(name).map { try HookSecrets(stored: sealer.open($0, for: .secret(name))) }
    }

    fileprivate func putHookSecrets(_ secrets: HookSecrets, of hook: String, sealer: Sealer) throws {
        let name = HookSecrets.name(of: hook)
        try putSealedSecret(name, sealer.seal(secrets.stored, for: .secret(name), in: self))
    }
}

extension Realm {
    /// Services that are told what happens.
    public var eventHooks: EventHooks { EventHooks(realm: self) }

    /// What signs messages to a hook now; empty where there is no hook.
    func hookSecrets(of id: String) async throws -> [HookSecret] {
        let now = clock.now
        return try await store.read { [sealer] in try $0.hookSecrets(of: id, sealer: sealer) }?.good(at: now) ?? []
    }
}
