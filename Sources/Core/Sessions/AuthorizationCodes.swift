import Crypto
import Foundation

/// Authorization codes: issued for what was approved, and redeemed once.
public struct AuthorizationCodes: Sendable {
    let realm: Realm

    /// What came of redeeming a code.
    public enum Redemption: Sendable {
        /// With the grant that the code made of its session.
        case granted(SignedIn, AuthorizationCode)
        /// The client gets nothing.
        case refused(Refusal)
    }

    /// Why a code opens nothing.
    public enum Refusal: String, Sendable {
        /// Unknown, too old, another client's, sent to another address, or without the right proof. A code that is refused
        /// like this is used up, as it may be stolen (RFC 9700, section 4.5).
        case unknown
        /// It was redeemed before. The grant that it made is over now (RFC 6749, section 4.1.2).
        case reused
        /// The session that it was approved in is over, or has left its browser; or what was approved was taken back since, or the
        /// application is another one by now.
        case ended
        /// The account was disabled since, or waits for its removal.
        case userDisabled
        /// The session has to have a second factor, and has none.
        case secondFactorRequired
    }

    /// Issues a code on a session of a user.
    /// - Returns: nil where the session is over, or not the user's.
    public func issue(_ code: AuthorizationCode, of userID: UserID) async throws -> Secret<String>? {
        let realm = realm
        let now = realm.clock.now
        let draft = AuthorizationCodeDraft(random: realm.random)
        return try await realm.store.write { transaction in
            guard let id = code.session, let user = try transaction.user(userID), !user.isDisabled,
                let session = try transaction.session(id), session.isLiving(of: user, at: now)
            else { return nil }
            return try draft.issue(code, of: userID, at: now, sealer: realm.sealer, in: transaction)
        }
    }

    /// What a code stands for that can be redeemed with what the client says, for a protocol that has to judge the rest of a request
    /// before it is. Nothing is used up by it.
    /// - Returns: nil where ``redeem(_:presented:secondFactor:by:)`` would refuse what the client says.
    public func code(of text: Secret<String>, presented: AuthorizationCode.Presented) async throws -> AuthorizationCode?
    {
        let (realm, now) = (realm, realm.clock.now)
        return try await realm.store.read { transaction in
            guard let found = try transaction.authorizationCode(text, sealer: realm.sealer, at: now),
                found.record.redeemedAt == nil, found.code.fits(presented)
            else { return nil }
            return found.code
        }
    }

    /// Redeems a code that was issued on a session: opens a grant of it for the client.
    ///
    /// Of twenty redemptions at once one succeeds; the others end the grant that it made, as any later one does for as
    /// long as the code is not too old.
    /// - Parameters:
    ///   - presented: what the client said with the code.
    ///   - demand: which second factor the session has to have.
    ///   - client: who asks. Its protocol and application are the grant's.
    public func redeem(
        _ text: Secret<String>, presented: AuthorizationCode.Presented,
        secondFactor demand: Sessions.SecondFactorDemand = .whereRequired, by client: ClientContext
    ) async throws -> Redemption {
        let realm = realm
        let now = realm.clock.now
        let draft = GrantDraft(random: realm.random)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let found = try transaction.authorizationCode(text, sealer: realm.sealer, at: now),
                let sessionID = found.code.session, let userID = found.record.userID
            else { return .refused(.unknown) }
            guard found.code.fits(presented) else {
                _ = try transaction.redeemAuthorizationCode(digest: found.record.digest, at: now, making: nil)
                return .refused(.unknown)
            }
            if found.record.redeemedAt != nil {
                try transaction.endGrant(of: found.record, at: now, eventID: eventID, by: client)
                return .refused(.reused)
            }
            guard let session = try transaction.session(sessionID), session.userID == userID,
                !found.code.isOfBrowser || session.browserDigest != nil,
                try transaction.stands(
                    found.code.basis, of: userID, to: ClientID(rawValue: found.code.client),
                    since: found.record.createdAt)
            else { return .refused(.ended) }
            let terms = GrantTerms(
                scopes: found.code.scopes, details: found.code.details.merging(presented.details) { $1 },
                audiences: found.code.audiences)
            switch try draft.open(
                on: session, terms: terms, for: client.clientID, dialect: client.dialect, secondFactor: demand,
                realm.proofs, at: now, by: client, in: transaction)
            {
            case .refused(.ended): return .refused(.ended)
            case .refused(.userDisabled): return .refused(.userDisabled)
            case .refused(.secondFactorRequired): return .refused(.secondFactorRequired)
            case .granted(let signedIn):
                // In the transaction that has read it as unredeemed: no other can have come between.
                guard
                    try transaction.redeemAuthorizationCode(
                        digest: found.record.digest, at: now, making: signedIn.grant.id)
                else { throw StoreError(.overloaded, "An authorization code changed while it was redeemed.") }
                return .granted(signedIn, found.code)
            }
        }
    }
}

/// The random part of a code, drawn before the transaction that issues it.
package struct AuthorizationCodeDraft: Sendable {
    let text: Secret<String>

    package init(random: any RandomSource) {
        text = Secret(random.bytes(32).base64URL)
    }

    /// SHA-256: the key of the code's row.
    package static func digest(of text: Secret<String>) -> Data { SHA256.digest(of: text.reveal()) }

    /// - Returns: the code; nil where the user was deleted.
    package func issue(
        _ code: AuthorizationCode, of userID: UserID?, at now: Date, sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws -> Secret<String>? {
        let digest = Self.digest(of: text)
        var code = code
        if let userID { code.basis = try transaction.basis(of: userID, to: ClientID(rawValue: code.client)) }
        let record = AuthorizationCodeRecord(
            digest: digest, userID: userID, createdAt: now, expiresAt: now + AuthorizationCode.lifetime,
            body: try sealer.seal(JSONEncoder().encode(code), for: .authorizationCode(digest), in: transaction))
        return try transaction.insert(record) ? text : nil
    }
}

extension StoreTransaction {
    /// A code that is not too old, whether it was redeemed or not.
    package func authorizationCode(
        _ text: Secret<String>, sealer: Sealer, at now: Date
    ) throws -> (record: AuthorizationCodeRecord, code: AuthorizationCode)? {
        guard text.reveal().utf8.count <= 128,
            let record = try authorizationCode(digest: AuthorizationCodeDraft.digest(of: text)), record.expiresAt > now
        else { return nil }
        let plain = try sealer.open(record.body, for: .authorizationCode(record.digest))
        return (record, try JSONDecoder().decode(AuthorizationCode.self, from: plain))
    }

    /// Ends the grant that a code made, as the code came again.
    fileprivate func endGrant(
        of code: AuthorizationCodeRecord, at now: Date, eventID: String, by client: ClientContext
    ) throws {
        guard let id = code.grantID, let grant = try grant(id), try end(grant, byApplication: true, at: now)
        else { return }
        try append(
            AuditEvent(
                id: eventID, at: now, kind: .authorizationCodeReused, userID: code.userID, context: client,
                details: ["application": .string(grant.clientID.rawValue)]))
    }
}
