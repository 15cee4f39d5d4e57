import Foundation
import Passkeys

/// The passkeys of users: what lists and pages show, and removing them. Enrolling is ``Enrolments/begin(_:of:wish:handleApart:by:)``.
public struct PasskeyAccounts: Sendable {
    let realm: Realm

    /// A passkey, as it was when it was last used.
    public struct Passkey: Sendable {
        /// The factor that the passkey is.
        public let factor: FactorRecord
        /// What the server keeps of the credential (WebAuthn Level 3, section 4): key, counter, flags.
        public let credential: CredentialRecord
        /// What the browser called itself in which it was made.
        public let userAgent: String?
        /// Whether there may be a copy of it: its counter did not grow once.
        public let isSuspicious: Bool

        /// The factor's id, which is not the credential's (``credentialID``).
        public var id: FactorID { factor.id }
        /// As browsers name it: base64url.
        public var credentialID: String { credential.id.base64URL }
        /// What keeps it, as people know it; nil where that is not known. Without attestation it is what the authenticator says.
        public var productName: String? { credential.aaguid.productName }
        /// Whether a maker who is trusted says the same.
        public var isAttested: Bool { credential.attestation.trust == .trusted }
        /// Whether it was copied to other devices, as of its last answer.
        public var isBackedUp: Bool { credential.backupState }
    }

    /// What authenticators know a user by, as base64url.
    public static func handle(of id: UserID) -> String { Array(id.rawValue.utf8).base64URL }

    /// What browsers and managers call a user beside a passkey (WebAuthn Level 3, section 5.4.3).
    public static func names(of user: User) -> (name: String, displayName: String) {
        let name = user.email?.canonical ?? user.profile.displayName ?? user.id.rawValue
        return (name, user.profile.displayName ?? name)
    }

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

    /// How many passkeys of the realm stop working where these settings take the place of the present ones: those of the present domain,
    /// if the settings say another. A command beside a data directory does not know the server's address: to it all of another domain
    /// count. Reads all passkeys, a thousand at a time.
    public func count(lostBy change: RealmSettings) async throws -> Int {
        let present = try await realm.settings()
        guard present.passkeys.rpID != change.passkeys.rpID else { return 0 }
        let before = realm.relyingParty(present)?.id
        let after = realm.relyingParty(change)?.id
        if before != nil, before == after { return 0 }
        var (count, last) = (0, FactorID?.none)
        while true {
            let start = last
            let page = try await realm.store.read { try $0.factors(of: .passkey, after: start, limit: 1000) }
            count += try await realm.sealer.keys.retrying {
                try page.count {
                    guard let domain = try passkey($0)?.credential.rpID, domain != after else { return false }
                    return before == nil || domain == before
                }
            }
            guard page.count == 1000, let end = page.last?.id else { return count }
            last = end
        }
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
