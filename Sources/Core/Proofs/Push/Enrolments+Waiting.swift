extension Enrolments {
    /// Waits until a ticket may be used no more: a device has taken it, its time is over, or it is withdrawn.
    ///
    /// The device that takes it wakes it (``Notifier``, ``DeviceWatch``); all else is found by looking.
    /// - Parameter limit: how long to wait at most.
    /// - Returns: false where it may still be used.
    /// - Throws: ``StoreError`` of code `overloaded` where too many wait, for this ticket or altogether.
    public func isOver(ticket handle: FlowHandle, within limit: Duration) async throws -> Bool {
        let awaited = AwaitedDecision(realm: realm, attempt: handle.digest)
        return try await awaited.isOver(
            within: limit,
            while: {
                guard case .open = try await status(ofTicket: handle) else { return false }
                return true
            })
    }
}
