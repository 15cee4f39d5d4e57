extension Approvals {
    /// Waits until no device is asked any more for an attempt: one has decided, the time is up, or the attempt is over.
    ///
    /// A decision wakes it (``Notifier``, ``DeviceWatch``); all else is found by looking.
    /// - Parameter limit: how long to wait at most.
    /// - Returns: false where a device is still asked.
    public func isOver(
        for handle: FlowHandle, expecting expectation: FlowExpectation, within limit: Duration
    ) async throws -> Bool {
        let awaited = AwaitedDecision(realm: realm, attempt: handle.digest)
        return try await awaited.isOver(
            within: limit,
            while: {
                guard
                    case .open(let summary) = try await realm.authenticator.status(
                        of: handle, expecting: expectation),
                    case .pending? = summary.approval
                else { return false }
                return true
            })
    }
}
