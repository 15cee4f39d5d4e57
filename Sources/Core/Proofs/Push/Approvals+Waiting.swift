import Foundation

extension Approvals {
    /// Seconds between two looks at the store, which other processes write.
    private static let look = Duration.seconds(1)

    /// Waits until no device is asked any more for an attempt: one has decided, the time is up, or the attempt is over.
    /// - Parameter limit: how long to wait at most.
    /// - Returns: false where a device is still asked.
    public func isOver(
        for handle: FlowHandle, expecting expectation: FlowExpectation, within limit: Duration
    ) async throws -> Bool {
        var waited = Duration.zero
        while true {
            guard case .open(let summary) = try await realm.authenticator.status(of: handle, expecting: expectation),
                case .pending? = summary.approval
            else { return true }
            if waited >= limit { return false }
            try await Task.sleep(for: Self.look)
            waited += Self.look
        }
    }
}
