import Foundation

/// A service that is told what happens in the realm.
///
/// **How the files of this folder meet.** A hook asks for some `EventCategory`s of the log. `EventHooks` keeps hooks and their secrets;
/// `HookMessage` is an event as a hook gets it, with its signature; `HookDelivery` carries the log to the hooks, where
/// `HookProgress` says how far each one is and `HookRound` is the rule of what follows a round. The composition root provides the
/// `HookCaller` that speaks HTTP.
public struct EventHook: Sendable, Equatable {
    /// The hook's id, which the server draws; stable for its life.
    public let id: String
    /// When the hook was registered.
    public let createdAt: Date
    /// What the administrator said of it.
    public var registration: Registration
    /// How far delivery has come.
    public var progress: HookProgress
    /// Counts changes of ``progress``.
    public var revision: Int

    /// The row as stores read and write it. ``EventHooks/add(_:secret:by:)`` registers hooks.
    public init(
        id: String, createdAt: Date, registration: Registration, progress: HookProgress, revision: Int = 0
    ) {
        self.id = id
        self.createdAt = createdAt
        self.registration = registration
        self.progress = progress
        self.revision = revision
    }

    /// What an administrator says of a hook.
    public struct Registration: Sendable, Equatable, Codable, StoredJSON {
        /// `https://…`; plain http on this machine in development alone.
        public var url: String
        /// For people; empty where nothing was said.
        public var name: String
        /// The categories of the log that the hook is told.
        public var events: Set<EventCategory>
        /// Whether the hook is told anything now. What happens while it is not waits for it, unless it is skipped.
        public var isEnabled: Bool

        /// Says what a hook is; ``EventHooks`` judges it.
        public init(url: String, name: String = "", events: Set<EventCategory>, isEnabled: Bool = true) {
            self.url = url
            self.name = name
            self.events = events
            self.isEnabled = isEnabled
        }

        private enum CodingKeys: String, CodingKey {
            case url, name, events, isEnabled
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            url = try members.decode(String.self, forKey: .url)
            name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            // A category of a later version is nothing to this one.
            let words = try members.decodeIfPresent([String].self, forKey: .events) ?? []
            events = Set(words.compactMap(EventCategory.init))
            isEnabled = try members.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? true
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(url, forKey: .url)
            try members.encode(name, forKey: .name)
            try members.encode(events.map(\.rawValue).sorted(), forKey: .events)
            try members.encode(isEnabled, forKey: .isEnabled)
        }
    }
}

/// How far a hook is, and how it fares.
public struct HookProgress: Sendable, Equatable, Codable, StoredJSON {
    /// Events of the log up to this id are done with.
    public var cursor: String
    /// Events after the cursor that are done with, too: those of other users than the one that is waited for, and all that are so new that
    /// earlier ones may still come into the log.
    public var done: Set<String> = []
    /// Events that failed and are tried again, by id.
    public var failing: [String: Trial] = [:]
    /// Rounds in a row in which nothing was delivered and something failed.
    public var attempts = 0
    /// Nil where the next round is due.
    public var nextAttemptAt: Date?
    /// Which server is at it, and until when it is left to that one.
    public var holder: String?
    /// Until when the hook is left to ``holder``.
    public var leasedUntil: Date?
    /// Since when nothing could be delivered.
    public var failingSince: Date?
    /// Why the last failed delivery failed: ``HookReply/text``. Nil where none ever did.
    public var lastError: String?
    /// When that was.
    public var lastErrorAt: Date?
    /// When an event was last delivered; nil where none ever was.
    public var lastDeliveredAt: Date?
    /// Events that were delivered since the hook was registered.
    public var delivered = 0
    /// Events that were given up.
    public var failed = 0
    /// Why the server disabled the hook: `gone`, `unreachable`.
    public var disabledBecause: String?
    /// What came of the last deliveries, the newest first: ``mostAnswers`` at most.
    public var answers: [Answer] = []

    /// Deliveries of which ``answers`` tells.
    public static let mostAnswers = 10

    /// What came of one delivery.
    public struct Answer: Sendable, Equatable, Codable {
        /// The event's id in the log.
        public var event: String
        /// When the service answered, or the call failed.
        public var at: Date
        /// Whether the service took the event: a status of 200 to 299.
        public var isDelivered: Bool
        /// ``HookReply/text``.
        public var result: String

        /// What came of a delivery at that instant.
        public init(event: String, at: Date, isDelivered: Bool, result: String) {
            self.event = event
            self.at = at
            self.isDelivered = isDelivered
            self.result = result
        }
    }

    /// How often one event failed.
    public struct Trial: Sendable, Equatable, Codable {
        /// Attempts that failed so far.
        public var attempts: Int
        /// When the first of them failed.
        public var since: Date

        /// An event that failed that often since then.
        public init(attempts: Int, since: Date) {
            self.attempts = attempts
            self.since = since
        }
    }

    /// A hook that is told of everything after this place of the log.
    public init(cursor: String) {
        self.cursor = cursor
    }

    private enum CodingKeys: String, CodingKey {
        case cursor, done, failing, attempts, nextAttemptAt, holder, leasedUntil, failingSince, lastError, lastErrorAt
        case lastDeliveredAt, delivered, failed, disabledBecause, answers
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        cursor = try members.decode(String.self, forKey: .cursor)
        done = try members.decodeIfPresent(Set<String>.self, forKey: .done) ?? []
        failing = try members.decodeIfPresent([String: Trial].self, forKey: .failing) ?? [:]
        attempts = try members.decodeIfPresent(Int.self, forKey: .attempts) ?? 0
        nextAttemptAt = try members.decodeIfPresent(Date.self, forKey: .nextAttemptAt)
        holder = try members.decodeIfPresent(String.self, forKey: .holder)
        leasedUntil = try members.decodeIfPresent(Date.self, forKey: .leasedUntil)
        failingSince = try members.decodeIfPresent(Date.self, forKey: .failingSince)
        lastError = try members.decodeIfPresent(String.self, forKey: .lastError)
        lastErrorAt = try members.decodeIfPresent(Date.self, forKey: .lastErrorAt)
        lastDeliveredAt = try members.decodeIfPresent(Date.self, forKey: .lastDeliveredAt)
        delivered = try members.decodeIfPresent(Int.self, forKey: .delivered) ?? 0
        failed = try members.decodeIfPresent(Int.self, forKey: .failed) ?? 0
        disabledBecause = try members.decodeIfPresent(String.self, forKey: .disabledBecause)
        answers = try members.decodeIfPresent([Answer].self, forKey: .answers) ?? []
    }
}

extension AuditEvent.Kind {
    /// An administrator registered a hook.
    public static let hookAdded = Self(rawValue: "hook.added")
    /// An administrator changed a hook, or its secret.
    public static let hookChanged = Self(rawValue: "hook.changed")
    /// An administrator removed a hook.
    public static let hookRemoved = Self(rawValue: "hook.removed")
    /// An administrator had a trial sent to a hook.
    public static let hookTested = Self(rawValue: "hook.tested")
    /// An administrator had an event of the log sent to a hook once more; which one is in the details.
    public static let hookReplayed = Self(rawValue: "hook.replayed")
    /// The server gave up on a hook's service.
    public static let hookDisabled = Self(rawValue: "hook.disabled")
    /// A hook's service refused an event again and again.
    public static let hookEventFailed = Self(rawValue: "hook.event-failed")
}
