import Foundation

/// Forms of pages that act once: which of them were sent (docs/decisions/0582).
///
/// A form is noted before it acts, so that it acts once, however many requests bring it at the same time. One that was refused is good again;
/// one that may have acted, since the server ended meanwhile, or its store did not answer, is not.
public struct SentForms: Sendable {
    let realm: Realm

    /// Seconds after its page was made for which a form is taken, and for which it is known that it was sent.
    public static let lifetime: TimeInterval = 86_400

    /// Notes that a form was sent.
    /// - Parameters:
    ///   - form: the form's id, which this server made: any other text would be a row for nothing.
    ///   - user: whose session its page was of.
    ///   - end: from when on the form is too old.
    /// - Returns: false where it was sent before.
    public func note(_ form: String, of user: UserID, until end: Date) async throws -> Bool {
        let used = UsedToken(.pageForm, form, of: user.rawValue, expiresAt: end)
        return try await realm.store.write { try $0.insert(used) }
    }

    /// Has a form be good again that was refused.
    public func giveBack(_ form: String, of user: UserID) async throws {
        let used = UsedToken(.pageForm, form, of: user.rawValue, expiresAt: .distantFuture)
        _ = try await realm.store.write { try $0.deleteUsedToken(digest: used.digest) }
    }
}

extension Realm {
    /// Which forms of pages were sent.
    public var sentForms: SentForms { SentForms(realm: self) }
}
