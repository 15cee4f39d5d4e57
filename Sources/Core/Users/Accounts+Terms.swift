import Foundation

extension Accounts {
    /// The terms that a user of a browser's session has still to agree to; nil where nothing is asked for.
    public func askedTerms(of user: User) async throws -> (version: String, settings: TermsSettings)? {
        let settings = try await realm.settings().terms
        return settings.asked(of: user.profile).map { ($0, settings) }
    }

    /// Writes down that a user agrees to a version of the terms of use. Once is enough: the same again changes nothing.
    /// - Parameter session: the user's, in which the terms were shown.
    /// - Returns: false where the version is not the one that holds, or the session is over.
    public func acceptTerms(_ version: String, in session: Session, by client: ClientContext) async throws -> Bool {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard try transaction.settings().terms.version == version,
                let present = try transaction.session(session.id), var user = try transaction.user(present.userID),
                !user.isDisabled, present.isLiving(of: user, at: now)
            else { return false }
            if user.profile.acceptedTerms.contains(where: { $0.version == version }) { return true }
            try transaction.reserve([.user(user.id)])
            user.profile.setAcceptedTerms(
                user.profile.acceptedTerms + [AcceptedTerms(version: version, at: now)])
            guard try transaction.update(user) else { return false }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .termsAccepted, userID: user.id, context: client,
                    details: ["version": .string(version)]))
            return true
        }
    }
}

extension UserProfile {
    /// Versions of terms that are kept of a user, the latest ones.
    static let mostAcceptedTerms = 50

    /// Puts in what a user agreed to, in that order.
    public mutating func setAcceptedTerms(_ terms: [AcceptedTerms]) {
        acceptedTerms = terms.suffix(Self.mostAcceptedTerms)
    }
}

extension AuditEvent.Kind {
    /// A user agreed to the terms of use.
    public static let termsAccepted = Self(rawValue: "terms.accepted")
}
