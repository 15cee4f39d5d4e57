import Foundation
import JSON

/// A decision about an attempt that a page waits for: of a device, of the user on another device, or of the device that takes a ticket.
///
/// One that comes to this process wakes the page at once (``Notifier``); one that comes to another is found by one look a second for all pages
/// together (``DeviceWatch``). What no decision ends – the time is up, a device is gone – is found by the page's own looks.
struct AwaitedDecision: Sendable {
    let realm: Realm
    /// The digest of the attempt's handle.
    let attempt: Data

    /// Waits until nothing is to be decided any more.
    /// - Parameters:
    ///   - limit: how long to wait at most.
    ///   - isAdmitted: whether a wait may begin; asked once, after the first look.
    ///   - isPending: a look at the store: whether there is something to decide.
    /// - Returns: false where there still is.
    /// - Throws: ``StoreError`` of code `overloaded` where too many wait, for this attempt or altogether, or a wait may not begin: a page that is told
    ///   "not yet" asks again at once.
    func isOver(
        within limit: Duration, admitting isAdmitted: () -> Bool = { true }, while isPending: () async throws -> Bool
    ) async throws -> Bool {
        let end = ContinuousClock.now + limit
        var isFirst = true
        while true {
            // Before the look: what comes between the look and the wait is noticed. What is over is told however many wait.
            let admitted = Result { try realm.notifier.admit(to: FlowHandle.topic(attempt)) }
            defer { try? admitted.get().stop() }
            guard try await isPending() else { return true }
            if isFirst {
                guard isAdmitted() else {
                    throw StoreError(.overloaded, "As many waits for one decision began lately as may.")
                }
                isFirst = false
            }
            let left = end - .now
            guard left > .zero else { return false }
            try await admitted.get().wait(upTo: min(realm.pagePause, left))
            try Task.checkCancellation()
        }
    }
}

extension FlowHandle {
    static let topicPrefix = "attempt/"

    /// What a page listens to that waits for a decision about the attempt of this digest.
    static func topic(_ digest: Data) -> String { topicPrefix + digest.base64URL }

    /// The digest of a topic that begins so.
    static func digest(ofTopic topic: String) -> Data? {
        [UInt8](base64URL: topic.dropFirst(topicPrefix.count)).map { Data($0) }
    }
}
