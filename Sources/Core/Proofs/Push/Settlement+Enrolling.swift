import Crypto
import Foundation

/// What an offer to enrol leads to: a device with its key, or an app that only makes codes.
extension Settlement {
    enum CodesOutcome {
        case enrolled(FactorRecord, recoveryCode: Secret<String>?)
        case refused(Authenticator.Settled)
    }

    /// A device comes with its ticket.
    func enrolDevice(
        _ user: User?, _ offer: DeviceOffer, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let user, case .device(let registration) = attempt.answer.content else {
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
        if let refusal = try refusal(of: offer, kind: .push, for: user, in: transaction) { return refusal }
        let payload = PushFactor.Payload(
            identifier: registration.identifier, key: registration.key,
            tokenDigest: SHA256.digest(of: deviceToken.reveal()), service: registration.service,
            pushToken: registration.pushToken, totp: offer.totpSecret.map { TOTPFactor.Payload(secret: $0) })
        let factor = FactorRecord(
            id: offer.factorID, userID: user.id, kind: .push, name: registration.name,
            createdAt: now,
            payload: try sealer.seal(payload.stored, for: .factor(offer.factorID), in: transaction))
        guard try transaction.insert(factor) else { return .verdict(.refused(Refusal(.flowFinished))) }
        let code = try complete(factor, of: user, by: offer, in: transaction)
        try finishTicket(in: transaction)
        return .verdict(
            .accomplished(
                .deviceEnrolled(
                    DeviceEnrolment(
                        factor: factor, user: user, token: deviceToken,
                        totpSecret: offer.totpSecret.map { Secret(Array($0)) }, recoveryCode: code))))
    }

    /// An app that only makes codes: by an invitation, with which no user signs in, or of a signed-in user, whose
    /// session continues with it.
    func enrolInvited(
        _ user: User, _ offer: DeviceOffer, _ kind: FactorKind, payload: Data, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        switch try enrolCodes(of: user, offer, kind, payload: payload, in: transaction) {
        case .refused(let settled): return settled
        case .enrolled(let factor, let code):
            try finishTicket(in: transaction)
            guard context.body.proven.isEmpty else {
                let signedIn = try open(user, body(with: factor), in: transaction)
                return .verdict(.accomplished(.enrolled(factor, signedIn)))
            }
            return .verdict(
                .accomplished(.codesEnrolled(CodesEnrolment(factor: factor, user: user, recoveryCode: code))))
        }
    }

    /// The first code of an app was right.
    func enrolCodes(
        of user: User, _ offer: DeviceOffer, _ kind: FactorKind, payload: Data, in transaction: any StoreTransaction
    ) throws -> CodesOutcome {
        if let refusal = try refusal(of: offer, kind: kind, for: user, in: transaction) { return .refused(refusal) }
        let factor = FactorRecord(
            id: offer.factorID, userID: user.id, kind: kind, name: attempt.factorName, createdAt: now,
            lastUsedAt: now, payload: try sealer.seal(payload, for: .factor(offer.factorID), in: transaction))
        // The id is taken where the device of the same offer was quicker.
        guard try transaction.insert(factor) else { return .refused(.verdict(.refused(Refusal(.flowFinished)))) }
        return .enrolled(factor, recoveryCode: try complete(factor, of: user, by: offer, in: transaction))
    }

    /// Why an offer is not good any more, and the use of the invitation that it came from.
    private func refusal(
        of offer: DeviceOffer, kind: FactorKind, for user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled? {
        let factors = try transaction.factors(of: user.id)
        guard factors.count(where: { $0.kind == kind }) < proofs.limitPerUser(of: kind),
            !offer.isOnlyFirst || !factors.contains(where: { proofs.isSecondFactor($0.kind) })
        else { return .verdict(.refused(Refusal(.factorLimitReached))) }
        return try useInvitation(in: transaction)
    }

    /// The ticket is used, and a page that shows it goes on.
    private func finishTicket(in transaction: any StoreTransaction) throws {
        try finishFlow(in: transaction)
        if let flow = context.flow { transaction.noteDecision(of: flow.digest) }
    }

    /// Uses up the invitation that the attempt makes use of.
    /// - Returns: why it is not good any more; nil where there is none, or it was.
    func useInvitation(in transaction: any StoreTransaction) throws -> Authenticator.Settled? {
        guard let digest = context.body.invitation else { return nil }
        guard var invitation = try transaction.flow(digest: digest), invitation.finishedAt == nil else {
            return .verdict(.refused(Refusal(.flowFinished)))
        }
        guard invitation.expiresAt > now else { return .verdict(.refused(Refusal(.flowExpired))) }
        invitation.finishedAt = now
        return try transaction.update(invitation) ? nil : .stale
    }

    /// The code that comes with a first factor: the one that was shown with the offer, where one was.
    private func complete(
        _ factor: FactorRecord, of user: User, by offer: DeviceOffer, in transaction: any StoreTransaction
    ) throws -> Secret<String>? {
        var code: Secret<String>?
        if let method = proofs.standIn, proofs.standIn(among: try transaction.factors(of: factor.userID)) == nil,
            let fresh = offer.recoveryCode.map({ Secret($0) }) ?? standInCode
        {
            try method.insert(fresh, id: factorID, of: factor.userID, at: now, sealer: sealer, in: transaction)
            code = fresh
        }
        try record(
            .factorEnrolled, at: .enrolment, user: factor.userID,
            details: ["factor": .string(factor.id.rawValue)], in: transaction)
        try notify(.init(.factorAdded, factorName: factor.name), user, in: transaction)
        return code
    }
}
