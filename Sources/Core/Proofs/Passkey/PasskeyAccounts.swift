import Foundation
import Passkeys

/// The passkeys of users: what lists and pages show, and removing them. Enrolling is ``Enrolments/begin(_:of:wish:by:)``.
public struct PasskeyAccounts: Sendable {
    let realm: Realm

    /// A passkey, as it was when it was last used.
    public struct Passkey: Sendable {
        public let factor: FactorRecord
        public let credential: CredentialRecord
        /// What the browser called itself in which it was made.
        public let userAgent: String?
        /// Whether there may be a copy of it: its counter did not grow once.
        public let isSuspicious: Bool

        public var id: FactorID { factor.id }
        /// As browsers name it: base64url.
        public var credentialID: String { credential.id.base64URL }
        /// Whether it was copied to other devices, as of its last answer.
        public var isBackedUp: Bool { credential.backupState }
    }

    /// What authenticators know a user by, as base64url.
    public static func handle(of id: UserID) -> String { Array(id.rawValue.utf8).base64URL }

    /// Those of a user, in the order of enrolment.
    public func list(of userID: UserID) async throws -> [Passkey] {
        let factors = try await realm.store.read { try $0.factors(of: userID) }
        return try await realm.sealer.keys.retrying { try factors.compactMap { try passkey($0) } }
    }

    /// Those among a user's factors that were read already.
    public func list(among factors: [FactorRecord]) throws -> [Passkey] { try factors.compactMap { try passkey($0) } }

    private func passkey(_ factor: FactorRecord) throws -> Passkey? {
        guard factor.kind == .passkey else { return nil }
        let payload = try PasskeyFactor.Payload(stored: realm.sealer.open(factor.payload, for: .factor(factor.id)))
        return Passkey(
            factor: factor, credential: payload.credential, userAgent: payload.userAgent,
            isSuspicious: payload.isSuspicious == true)
    }

    /// Removes passkeys of the user who is signed in; ids of none are passed over. The last way to sign in stays.
    public func remove(
        _ ids: [FactorID], of session: OwnSession, by client: ClientContext
    ) async throws -> Enrolments.OwnRemovalOutcome {
        var outcome = Enrolments.OwnRemovalOutcome.unknownFactor
        let own = try await list(of: session.userID).map(\.id)
        for id in ids where own.contains(id) {
            let removed = try await realm.enrolments.removeOwn((id: id, onlyCodes: false), of: session, by: client)
            switch removed {
            case .removed: outcome = .removed
            case .unknownFactor: continue
            case .lastWayIn, .refused: return removed
            }
        }
        return outcome
    }
}

extension Realm {
    /// Passkeys of users.
    public var passkeys: PasskeyAccounts { PasskeyAccounts(realm: self) }
}
