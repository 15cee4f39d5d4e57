import CountersignCore
import Foundation

/// Registers a hook: a service that is told what happens, from now on. It is told what the log has, so that it takes `audit:read` as well.
public struct AddHook: AdministrationOperation {
    public static let name = "hooks:add"
    public static let right = AdministrationRight.changeHooks

    /// `https://…`; plain http on this machine under `--dev` alone.
    public var url: String
    /// Of `users`, `factors`, `sessions`, `sign-ins`, `refusals`, `administrators`, `groups`, `applications`, `settings`; or `*` for all.
    public var events: [String]
    /// What people call it; up to 100 characters.
    public var label: String?
    /// `whsec_` and 24 to 64 bytes in Base64; one is made where it is left out.
    public var secret: SecretText?

    public init(url: String, events: [String], label: String? = nil, secret: SecretText? = nil) {
        self.url = url
        self.events = events
        self.label = label
        self.secret = secret
    }

    public struct Answer: Codable, Sendable {
        public let hook: HookSummary
        /// What signs its messages. It is shown here alone.
        public let secret: SecretText
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        try permit.require(.readLog)
        let registration = EventHook.Registration(
            url: url, name: label ?? "", events: try HookSummary.categories(events))
        let made = try await HookSummary.judged(
            realm.eventHooks.add(registration, secret: secret?.secret, by: client), "")
        return Answer(hook: HookSummary(made.hook), secret: SecretText(made.secret.reveal()))
    }
}

/// Lists hooks, those that were added first come first.
public struct ListHooks: PagedOperation {
    public static let name = "hooks:list"
    public static let right = AdministrationRight.readHooks

    /// 1 to 1,000; 100 where nothing is said.
    public var limit: Int?
    /// Where the page begins: the `next` of the page before.
    public var after: String?
    /// Where the page ends: the `previous` of the page after.
    public var before: String?

    public init(limit: Int? = nil, after: String? = nil, before: String? = nil) {
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        public let hooks: [HookSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let page = try await realm.eventHooks.list(range(limit: PageLimit.judged(limit)) { CreationPlace($0) })
        return Answer(
            hooks: page.rows.map(HookSummary.init), previous: place(page.previous, \.text),
            next: place(page.next, \.text))
    }
}

/// Shows a hook, and how it fares.
public struct ShowHook: AdministrationOperation {
    public static let name = "hooks:show"
    public static let right = AdministrationRight.readHooks

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let hook: HookSummary
        /// For `expecting` of `hooks:set`. Nil from a server of before.
        public let revision: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let hook = try await realm.eventHooks.hook(id) else { throw AdministrationError.noHook(id) }
        return Answer(hook: HookSummary(hook), revision: try RecordRevision.text(of: hook.registration))
    }
}

/// Changes a hook. What is left out stays. Another address, and other events, take `audit:read` as well.
public struct ChangeHook: RehearsedOperation {
    public static let name = "hooks:set"
    public static let right = AdministrationRight.changeHooks

    public var id: String
    public var url: String?
    public var events: [String]?
    public var label: String?
    public var isEnabled: Bool?
    /// Whether events that were missed so far are left out.
    public var skipMissed: Bool?
    /// The `revision` that the hook is to have still (``ShowHook/Answer/revision``); otherwise nothing is changed.
    public var expecting: String?
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?

    public init(
        id: String, url: String? = nil, events: [String]? = nil, label: String? = nil, isEnabled: Bool? = nil,
        skipMissed: Bool? = nil, expecting: String? = nil, dryRun: Bool? = nil
    ) {
        self.expecting = expecting
        self.dryRun = dryRun
        self.id = id
        self.url = url
        self.events = events
        self.label = label
        self.isEnabled = isEnabled
        self.skipMissed = skipMissed
    }

    public struct Answer: Codable, Sendable {
        public let hook: HookSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        if url != nil || events != nil { try permit.require(.readLog) }
        var change = EventHooks.Change()
        change.url = url
        change.name = label
        change.events = try events.map(HookSummary.categories)
        change.isEnabled = isEnabled
        change.skipsMissed = skipMissed ?? false
        let expecting = expecting
        let judge: @Sendable (EventHook) throws -> Void = { present in
            try RecordRevision.require(expecting, RecordRevision.text(of: present.registration))
        }
        let hooks = realm.eventHooks
        let changed =
            try await dryRun == true
            ? hooks.judged(id, change, judging: judge) : hooks.change(id, change, by: client, judging: judge)
        return Answer(hook: HookSummary(try HookSummary.judged(changed, id)))
    }
}

/// Gives a hook another secret. The one before signs for a day, too.
public struct RotateHookSecret: AdministrationOperation {
    public static let name = "hooks:rotate-secret"
    public static let right = AdministrationRight.changeHooks

    public var id: String
    /// As for ``AddHook``.
    public var secret: SecretText?

    public init(id: String, secret: SecretText? = nil) {
        self.id = id
        self.secret = secret
    }

    public struct Answer: Codable, Sendable {
        public let hook: HookSummary
        /// It is shown here alone.
        public let secret: SecretText
        /// Until when messages are signed with the secret before as well.
        public let formerUntil: Timestamp
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let end = Timestamp(realm.clock.now + EventHooks.overlap)
        let made = try await HookSummary.judged(
            realm.eventHooks.rotateSecret(id, to: secret?.secret, by: client), id)
        return Answer(hook: HookSummary(made.hook), secret: SecretText(made.secret.reveal()), formerUntil: end)
    }
}

/// Removes a hook, with its secret and with what it has not had.
public struct RemoveHook: AdministrationOperation {
    public static let name = "hooks:remove"
    public static let right = AdministrationRight.changeHooks

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let hook: HookSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let hook = try await realm.eventHooks.remove(id, by: client) else { throw AdministrationError.noHook(id) }
        return Answer(hook: HookSummary(hook))
    }
}

/// Sends a trial, which stands for no event, and says what came of it. A hook that is disabled gets it, too.
public struct TestHook: AdministrationOperation {
    public static let name = "hooks:test"
    public static let right = AdministrationRight.changeHooks

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public typealias Answer = HookSending

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> HookSending {
        HookSending(try await HookSummary.judged(realm.eventHooks.sendTrial(to: id, by: client), id))
    }
}

/// Sends an event of the log to a hook once more, at once and under the id that it always has. The hook has to be enabled, and to ask for
/// such events.
public struct ReplayEvent: AdministrationOperation {
    public static let name = "hooks:replay"
    public static let right = AdministrationRight.changeHooks

    public var id: String
    /// The event's id in the log, or that of the message: with `evt_` before it.
    public var event: String

    public init(id: String, event: String) {
        self.id = id
        self.event = event
    }

    public typealias Answer = HookSending

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> HookSending {
        HookSending(try await HookSummary.judged(realm.eventHooks.replay(event, to: id, by: client), id))
    }
}

/// What came of one message.
public struct HookSending: Codable, Sendable {
    public let isDelivered: Bool
    /// `status-200`, `timed-out`, `address-refused`, `connection`, …
    public let result: String

    init(_ reply: HookReply) {
        isDelivered = reply.isDelivered
        result = reply.text
    }
}
