import Foundation

/// What a proof says of the address that is claimed.
extension Settlement {
    /// The user has shown that the address is theirs. What a stranger set up before the address was ever proven must not let the
    /// stranger in afterwards: what opens the account by itself goes, such as the password. A second factor stays and is asked for, as it opens
    /// nothing by itself, and a mailbox alone must not get past it.
    func provingAddress(
        of user: User, by proof: Proof, in transaction: any StoreTransaction
    ) throws -> User {
        guard result.provesAddress, !proof.isSecondFactor, !user.profile.emailVerified,
            user.email?.canonical == context.body.email
        else { return user }
        var user = user
        user.profile.emailVerified = true
        user.profile.providers = ["emailLink"]
        try removeWaysIn(of: user, in: transaction)
        user.revokeTokens(at: now)
        _ = try transaction.update(user)
        return try transaction.user(user.id) ?? user
    }

    /// Removes what opens the account by itself, where a stranger may have set it up: a password, passkeys.
    /// - Parameter kept: what is replaced by something else.
    func removeWaysIn(of user: User, but kept: FactorID? = nil, in transaction: any StoreTransaction) throws {
        for factor in try transaction.factors(of: user.id)
        where factor.id != kept && proofs.traits(factor.kind)?.role.isFirst == true {
            _ = try transaction.remove(factor.id, proofs)
        }
    }

    /// A user who has given the first proof has given the code of the account's own mailbox too: the address is proven, and the password
    /// stays, as both are in the same hands. The attempt is where it was before the code.
    func confirmAddress(
        of user: User, _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard user.email?.canonical == journey.contact?.address else {
            return .verdict(.refused(Refusal(.unknownFlow)))
        }
        var user = user
        user.profile.emailVerified = true
        guard try transaction.update(user) else { return .stale }
        try record(.emailVerified, user: user.id, in: transaction)
        var (body, journey) = (context.body, journey)
        body.challenge = .unasked
        journey.contact = nil
        return try step(.registration, body, journey, in: transaction)
    }

    /// A user who is signed in has followed a link to an address: it is theirs from now on, and proven. Their password stays,
    /// as the session and the mailbox are in the same hands. A former address is notified, and its sessions end.
    func linkingAddress(of user: User, in transaction: any StoreTransaction) throws -> User {
        guard let email = context.body.email.map(EmailAddress.init(kept:)) else { return user }
        var user = user
        if email != user.email {
            if let former = user.email {
                try tell(former, of: email, user.id, in: transaction)
            }
            user.email = email
            user.revokeTokens(at: now)
            try record(.emailChanged, at: .alert, user: user.id, in: transaction)
        }
        user.profile.emailVerified = true
        user.profile.providers.insert("emailLink")
        user.profile.providers.remove("anonymous")
        _ = try transaction.update(user)
        return try transaction.user(user.id) ?? user
    }

    /// A link to an address without account makes one, where people may sign up.
    func newUser(in transaction: any StoreTransaction) throws -> User? {
        guard context.settings.signUp.isOpen, result.makesAccount, let email = context.body.email else { return nil }
        let user = User(
            id: userID, email: EmailAddress(kept: email),
            profile: UserProfile(emailVerified: true, providers: ["emailLink"]), createdAt: now)
        guard try transaction.insert(user) else { return nil }
        return user
    }
}
