import Foundation

extension Accounts {
    /// Notes in the log what came of the same change of many users: the caller may have gone before the answer. Each user's change has
    /// an event of its own.
    /// - Parameters:
    ///   - action: what was done, as the operation calls it.
    ///   - done: for how many.
    ///   - refused: for how many it was refused.
    ///   - left: how many were not tried, as the time was over; or were not done, as the server failed at the first of them.
    ///   - failed: whether the server failed.
    public func noteBulk(
        _ action: String, done: Int, refused: Int, left: Int, failed: Bool = false, by client: ClientContext
    ) async throws {
        let now = realm.clock.now
        var details: [String: JSONValue] = [
            "action": .string(action), "done": .integer(Int64(done)), "refused": .integer(Int64(refused)),
            "left": .integer(Int64(left)),
        ]
        if failed { details["failed"] = .bool(true) }
        let event = AuditEvent(
            id: AuditEvent.freshID(at: now, random: realm.random), at: now, kind: .usersBulk, userID: nil,
            context: client, details: details)
        try await realm.store.write { try $0.append(event) }
    }
}
