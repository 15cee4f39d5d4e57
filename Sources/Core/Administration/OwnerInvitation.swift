import Crypto
import Foundation

/// The way in of the first owner: a link that is good once, for half an hour, and only while the realm has no owner who can sign in
/// (`docs/decisions/0350`).
///
/// There is one at a time: another takes its place. Only a digest of its code is kept.
public struct OwnerInvitations: Sendable {
    let realm: Realm

    /// Seconds that the link is good for.
    public static let lifetime: TimeInterval = 1800
    /// Characters of a code: letters and digits, more than 128 bits.
    static let length = 26
    static let document = "owner-invitation"

    /// Why no invitation is made, or none redeemed.
    public enum Refusal: Error, Sendable, Equatable {
        /// The realm has an owner, who can give the role to others.
        case ownerExists
        /// No such invitation, or it is over, or was used.
        case dead
        /// The session was not proven with two factors, or has ended.
        case needsSecondFactor
        /// The factors were proven longer than ``OwnAccount/recency`` ago: a stranger at a browser that was left open would be owner.
        case proofTooOld
    }

    /// Makes an invitation in place of the present one.
    /// - Returns: the code, which is nowhere else, and when it ends.
    public func make(by client: ClientContext) async throws -> Result<(code: Secret<String>, end: Date), Refusal> {
        let now = realm.clock.now
        let code = realm.random.string(Self.length, of: .alphanumeric)
        let kept = Kept(digest: Self.digest(code), expiresAt: now + Self.lifetime)
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard try transaction.owner(beside: nil) == nil else { return .failure(.ownerExists) }
            try transaction.append(
                AuditEvent(id: event, at: now, kind: .ownerInvited, userID: nil, context: client))
            try transaction.putDocument(Self.document, JSONEncoder().encode(kept))
            return .success((Secret(code), kept.expiresAt))
        }
    }

    /// Whether the code would make an owner now. Looking uses nothing up.
    public func isOpen(_ code: Secret<String>) async throws -> Bool {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try Self.admits(code, at: now, in: transaction) && transaction.owner(beside: nil) == nil
        }
    }

    /// Makes the user of a session the owner, and uses the invitation up, in one transaction: of several who come at once one
    /// becomes owner.
    /// - Parameter session: as it was read for this request; it has to be of two factors, of the last minutes.
    public func redeem(
        _ code: Secret<String>, by session: Session, _ client: ClientContext
    ) async throws -> Result<Administrator, Refusal> {
        let realm = realm
        let now = realm.clock.now
        guard realm.proofs.contextClass(of: session.proofs) >= .aal2 else { return .failure(.needsSecondFactor) }
        guard let proven = realm.proofs.authenticationTime(of: session.proofs, for: .aal2),
            proven.isWithin(OwnAccount.recency, before: now)
        else { return .failure(.proofTooOld) }
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard try Self.admits(code, at: now, in: transaction) else { return .failure(.dead) }
            guard let user = try transaction.user(session.userID), !user.isDisabled,
                let present = try transaction.session(session.id), present.isLiving(of: user, at: now)
            else { return .failure(.needsSecondFactor) }
            guard try transaction.owner(beside: user.id) == nil else { return .failure(.ownerExists) }
            try transaction.endHandedOut(of: user.id, at: now, realm.proofs, realm.sealer)
            let made = Administrator(userID: user.id, role: .owner, grantedBy: Self.granter, createdAt: now)
            guard try transaction.put(made) else { return .failure(.dead) }
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .administratorGranted, userID: user.id, context: client,
                    details: ["role": .string(made.role.rawValue), "by": .string(Self.granter)]))
            try transaction.notify(
                AccountNotice(.roleGranted, role: made.role), user, by: client, id: event, at: now,
                sealer: realm.sealer)
            try transaction.putDocument(Self.document, JSONEncoder().encode(Kept(digest: nil, expiresAt: now)))
            return .success(made)
        }
    }

    /// Who gave the role, as the log names it.
    private static let granter = "invitation"

    private struct Kept: Codable {
        /// SHA-256 of the code; nil once it was used.
        var digest: Data?
        var expiresAt: Date
    }

    private static func admits(
        _ code: Secret<String>, at now: Date, in transaction: any StoreTransaction
    ) throws -> Bool {
        let kept = try transaction.document(document).map { try JSONDecoder().decode(Kept.self, from: $0) }
        guard let kept, let digest = kept.digest, now < kept.expiresAt else { return false }
        return ConstantTime.equal(digest, Self.digest(code.reveal()))
    }

    private static func digest(_ code: String) -> Data { SHA256.digest(of: code) }
}

extension StoreTransaction {
    /// An owner who can sign in, beside the user.
    fileprivate func owner(beside user: UserID?) throws -> UserID? {
        try administrator(with: .owner, beside: user ?? UserID(rawValue: ""))
    }
}

extension AuditEvent.Kind {
    /// A link that makes its holder the first owner was handed out.
    public static let ownerInvited = Self(rawValue: "administrator.invited")
}

extension Realm {
    /// The link by which the first owner comes.
    public var ownerInvitations: OwnerInvitations { OwnerInvitations(realm: self) }
}
