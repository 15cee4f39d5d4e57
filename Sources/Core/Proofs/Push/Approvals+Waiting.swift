import Foundation

extension Approvals {
    /// Waits until no device is asked any more for an attempt: one has decided, the time is up, or the attempt is over.
    ///
    /// A decision that comes to this process wakes it at once; what other processes write, and all else, is found by looking.
    /// - Parameters:
    ///   - limit: how long to wait at most.
    ///   - pause: between two looks at the store.
    /// - Returns: false where a device is still asked.
    public func isOver(
        for handle: FlowHandle, expecting expectation: FlowExpectation, within limit: Duration,
        lookingEvery pause: Duration = .seconds(1)
    ) async throws -> Bool {
        let end = ContinuousClock.now + limit
        while true {
            // Before the look: what comes between the look and the wait is noticed. Where too many wait, looks have to do.
            let listening = try? realm.notifier.admit(to: FlowHandle.topic(handle.digest))
            defer { listening?.stop() }
            guard case .open(let summary) = try await realm.authenticator.status(of: handle, expecting: expectation),
                case .pending? = summary.approval
            else { return true }
            let left = end - .now
            guard left > .zero else { return false }
            if let listening {
                await listening.wait(upTo: min(pause, left))
                try Task.checkCancellation()
            } else {
                try await Task.sleep(for: min(pause, left))
            }
        }
    }
}

extension FlowHandle {
    /// What a page listens to that waits for a decision about the attempt of this digest.
    static func topic(_ digest: Data) -> String { "attempt/\(digest.hex)" }
}

extension StoreTransaction {
    /// Has pages woken that wait for the decision about an attempt. A realm's transactions are all of the one type.
    func noteDecision(of attempt: Data) { (self as? RememberingTransaction)?.note(decisionOf: attempt) }
}
