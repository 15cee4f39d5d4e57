import CountersignCore
import Foundation

/// A hook as administrators see it.
public struct HookSummary: Codable, Sendable, Equatable {
    public let id: String
    public let url: String
    /// Empty where nothing was said.
    public let label: String
    /// `users`, `factors`, …
    public let events: [String]
    public let isEnabled: Bool
    public let createdAt: Timestamp
    /// Events that were delivered, and that were given up, since the hook was added.
    public let delivered: Int
    public let failed: Int
    public let lastDeliveredAt: Timestamp?
    /// Why the last attempt that failed did: `status-500`, `timed-out`, `address-refused`, `connection`, …
    public let lastError: String?
    public let lastErrorAt: Timestamp?
    /// Since when nothing could be delivered; nil where the last round delivered something.
    public let failingSince: Timestamp?
    public let nextAttemptAt: Timestamp?
    /// Why the server disabled it: `gone` (the service said so), `unreachable` (for five days).
    public let disabledBecause: String?
    /// What came of the last deliveries, the newest first: ten at most.
    public let answers: [HookAnswer]

    init(_ hook: EventHook) {
        id = hook.id
        url = hook.registration.url
        label = hook.registration.name
        events = hook.registration.events.map(\.rawValue).sorted()
        isEnabled = hook.registration.isEnabled
        createdAt = Timestamp(hook.createdAt)
        delivered = hook.progress.delivered
        failed = hook.progress.failed
        lastDeliveredAt = hook.progress.lastDeliveredAt.map(Timestamp.init)
        lastError = hook.progress.lastError
        lastErrorAt = hook.progress.lastErrorAt.map(Timestamp.init)
        failingSince = hook.progress.failingSince.map(Timestamp.init)
        nextAttemptAt = hook.registration.isEnabled ? hook.progress.nextAttemptAt.map(Timestamp.init) : nil
        disabledBecause = hook.progress.disabledBecause
        answers = hook.progress.answers.map(HookAnswer.init)
    }

    /// The categories that words name; `*` is all.
    /// - Throws: ``AdministrationError`` of code `invalid`.
    static func categories(_ words: [String]) throws -> Set<EventCategory> {
        if words.contains("*") { return Set(EventCategory.allCases) }
        return Set(
            try words.map { word in
                if let category = EventCategory(rawValue: word) { return category }
                let names = EventCategory.allCases.map(\.rawValue)
                let remedy =
                    NearestName.of(word, among: names).map { "Did you mean \($0)?" }
                    ?? "There are * and \(names.joined(separator: ", "))."
                throw AdministrationError(.invalid, "\"\(word.prefix(60))\" are no events. \(remedy)")
            })
    }

    /// - Throws: ``AdministrationError`` in words.
    static func judged<Value>(_ result: Result<Value, EventHooks.Refusal>, _ id: String) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(.unknown): throw AdministrationError.noHook(id)
        case .failure(.tooMany):
            throw AdministrationError(.refused, "There are \(EventHooks.most) hooks already, which is the maximum.")
        case .failure(.url(let fault)): throw AdministrationError(.invalid, "The URL \(fault).")
        case .failure(.noEvents):
            throw AdministrationError(.invalid, "Say which events the hook gets: users, or * for all.")
        case .failure(.name):
            throw AdministrationError(
                .invalid, "The label is one line of at most \(EventHooks.longestName) characters.")
        case .failure(.malformedSecret):
            throw AdministrationError(.invalid, "The secret is whsec_ and 24 to 64 random bytes in Base64.")
        case .failure(.unknownEvent):
            throw AdministrationError(.notFound, "The log has no such event, or it is none that hooks get.")
        case .failure(.notAskedFor(let category)):
            throw AdministrationError(
                .refused, "The hook does not ask for such events. Add \(category.rawValue) to its events first.")
        case .failure(.disabled):
            throw AdministrationError(.refused, "The hook is disabled. Enable it first.")
        }
    }
}

/// What came of one delivery to a hook.
public struct HookAnswer: Codable, Sendable, Equatable {
    /// The event's id in the log.
    public let event: String
    public let at: Timestamp
    public let isDelivered: Bool
    /// As in ``HookSending``.
    public let result: String

    init(_ answer: HookProgress.Answer) {
        event = answer.event
        at = Timestamp(answer.at)
        isDelivered = answer.isDelivered
        result = answer.result
    }
}

extension AdministrationError {
    static func noHook(_ id: String) -> AdministrationError {
        AdministrationError(
            .notFound, "There is no hook \(id.prefix(60)). `countersign hook list` shows all of them.")
    }
}
