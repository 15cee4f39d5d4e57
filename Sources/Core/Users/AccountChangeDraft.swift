import Foundation

/// An account's change as one transaction writes it. What is random in it is drawn before, as the transaction may run twice.
struct AccountChangeDraft: Sendable {
    /// When the change is written: after its password was hashed.
    let now: Date
    /// The session that is opened by it, where one goes on.
    let session: SessionDraft

    private let change: AccountChange
    private let hash: String?
    private let realm: Realm
    private let client: ClientContext
    private let factorID: FactorID
    /// Of the mail to a former address, and of two notices.
    private let messageIDs: [String]
    private let eventIDs: [String]
    /// Of the link that takes a user's own change of the address back.
    private let undo: FlowHandle?

    /// Another user got the address or the number after both were looked for: the transaction is undone, with the password, the factors, the
    /// mails and the ended tokens that it has written by then.
    struct LostUpdate: Error {}

    /// - Parameters:
    ///   - hash: of the password, where there is a new one.
    ///   - isOwn: whether the user asks, and not an administrator.
    init(_ change: AccountChange, hash: String?, isOwn: Bool, of realm: Realm, by client: ClientContext) {
        self.change = change
        self.hash = hash
        self.realm = realm
        self.client = client
        let now = realm.clock.now
        self.now = now
        session = SessionDraft(random: realm.random)
        factorID = FactorID(rawValue: realm.random.uuid())
        messageIDs = (0..<3).map { _ in AuditEvent.freshID(at: now, random: realm.random) }
        eventIDs = (0..<6).map { _ in AuditEvent.freshID(at: now, random: realm.random) }
        undo = isOwn && change.email != nil ? FlowHandle(random: realm.random) : nil
    }

    /// Writes all that the change is about; whether it may be is judged before.
    /// - Parameter kept: the session that goes on where all others end.
    /// - Returns: the user as it is then.
    /// - Throws: ``LostUpdate``, `StoreError`.
    func write(over before: User, keeping kept: SessionID?, in transaction: any StoreTransaction) throws -> User {
        try transaction.reserve(user: before, keeping: kept)
        let ended = try endMachineTokens(of: before, in: transaction)
        var user = before
        let moved = try setAddress(of: &user, in: transaction)
        change.apply(to: &user)
        let switched = setDisabled(&user)
        let secured = try setPassword(of: &user, in: transaction)
        let withdrawn = try change.withdrawFactors(of: user.id, realm.proofs, in: transaction)
        let revoked = revokeTokens(of: &user, withdrawn)
        if let kept { try transaction.carry(kept, into: user, at: now) }
        guard try transaction.update(user) else { throw LostUpdate() }
        user = try transaction.user(user.id) ?? user
        let events = [moved, switched, secured, withdrawn.event, revoked].compactMap { $0 }
        try append(events.isEmpty ? [.userChanged] : events, of: user.id, ended, in: transaction)
        for (notice, messageID) in zip(change.notices(withdrawn), messageIDs.dropFirst()) {
            try transaction.notify(notice, before, by: client, id: messageID, at: now, sealer: realm.sealer)
        }
        return user
    }

    // MARK: Parts

    /// The ids of the tokens that end, as the user is enabled again.
    private func endMachineTokens(of user: User, in transaction: any StoreTransaction) throws -> [String] {
        guard change.isDisabled == false, user.isDisabled, !change.keepsMachineTokens else { return [] }
        return try transaction.endMachineTokens(of: user.id, at: now)
    }

    /// The former address is told of the new one, and takes a user's own change back.
    private func setAddress(of user: inout User, in transaction: any StoreTransaction) throws -> AuditEvent.Kind? {
        guard case .some(let email) = change.email, email != user.email else { return nil }
        if let former = user.email {
            try transaction.assignOutboxMessages(to: former.canonical, of: user.id)
        }
        if let former = user.email, let email {
            var values = ["email": former.canonical, "newEmail": email.canonical]
            values["link"] = try undo.flatMap {
                try transaction.keepUndo(
                    ofChangeOf: user, to: email, under: $0, realm.linkFormat, by: client, at: now, sealer: realm.sealer)
            }
            try transaction.send(
                OutboxContent(
                    template: "email-changed", locale: user.profile.locale ?? client.locale, values: values),
                to: former.canonical, about: user.id, id: messageIDs[0], at: now, sealer: realm.sealer)
        }
        user.email = email
        user.profile.emailVerified = false
        return .emailChanged
    }

    private func setDisabled(_ user: inout User) -> AuditEvent.Kind? {
        // An account whose owner wants it removed is as disabled: an administrator's word is kept beside that wish.
        guard let isDisabled = change.isDisabled, isDisabled != user.isDisabled || isDisabled != user.isSuspended else {
            return nil
        }
        let wasDisabled = user.isDisabled
        user.isDisabled = isDisabled
        // While a user is disabled each use is refused for that. What was issued before does not come back.
        if wasDisabled, !isDisabled { user.revokeTokens(at: now) }
        return isDisabled ? .userDisabled : .userEnabled
    }

    private func setPassword(of user: inout User, in transaction: any StoreTransaction) throws -> AuditEvent.Kind? {
        if let hash {
            try transaction.setPassword(hash, of: &user, newFactorID: factorID, at: now, sealer: realm.sealer)
            user.profile.providers.remove("anonymous")
            return .passwordChanged
        }
        guard change.removesPassword else { return nil }
        if let password = try transaction.factors(of: user.id).password {
            _ = try transaction.remove(password.id, realm.proofs)
        }
        user.profile.providers.remove("password")
        return .passwordChanged
    }

    private func revokeTokens(of user: inout User, _ withdrawn: AccountChange.Withdrawal) -> AuditEvent.Kind? {
        if let instant = change.revokesTokensAt {
            let meansNow = instant > now - AccountChange.revocationDelay
            if meansNow { user.revokeTokens(at: instant) }
            // What means now is judged by the epoch alone, whatever the servers' clocks say.
            if !meansNow || instant > now { user.refuseTokens(issuedBefore: instant) }
        }
        if change.endsSessions || withdrawn == .all { user.revokeTokens(at: now) }
        return change.revokesTokensAt == nil ? nil : .tokensRevoked
    }

    /// - Parameter ended: ids of tokens that ended as the user was enabled.
    private func append(
        _ events: [AuditEvent.Kind], of id: UserID, _ ended: [String], in transaction: any StoreTransaction
    ) throws {
        for (kind, eventID) in zip(events, eventIDs) {
            let details = kind == .userEnabled ? MachineToken.details(ofEnded: ended) : [:]
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: kind, userID: id, context: client, details: details))
        }
    }
}

extension AccountChange {
    /// The members that need no other row.
    fileprivate func apply(to user: inout User) {
        if let emailVerified { user.profile.emailVerified = emailVerified }
        if let displayName { user.profile.displayName = displayName }
        if let photoURL { user.profile.photoURL = photoURL }
        if let locale { user.profile.locale = locale }
        if let phoneNumber { user.profile.phoneNumber = phoneNumber }
        if let customClaims { user.profile.customClaims = customClaims }
        for (name, value) in attributes { user.profile.attributes[name] = value == .null ? nil : value }
        if let createdAt { user.createdAt = createdAt }
        if let lastSignInAt { user.lastSignInAt = lastSignInAt }
    }

    /// Why the session of the user who asks cannot make the change.
    func refusal(
        of session: OwnSession, for user: User, _ proofs: ProofRegistry, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> AccountRefusal? {
        let fault =
            try needsFullProof
            ? session.faultUnlessFull(user, proofs, at: now, in: transaction)
            : needsRecentSignIn
                ? session.faultUnlessRecent(user, at: now, in: transaction)
                : session.fault(of: user, at: now, in: transaction)
        return fault.map { $0 == .revoked ? .revoked : .signInTooOld }
    }

    /// What the change wants and cannot have.
    func refusal(
        for user: User, _ proofs: ProofRegistry, in transaction: any StoreTransaction
    ) throws -> AccountRefusal? {
        if case .some(.some(let email)) = email, let holder = try transaction.user(email: email), holder.id != user.id {
            return .addressTaken
        }
        if case .some(.some(let number)) = phoneNumber,
            let holder = try transaction.user(phoneNumber: PhoneNumber(kept: number)), holder.id != user.id
        {
            return .phoneNumberTaken
        }
        if let secondFactors {
            let present = Set(proofs.secondFactors(among: try transaction.factors(of: user.id)).map(\.id))
            guard present.isSuperset(of: secondFactors.keys) else { return .unknownFactor }
        }
        if isDisabled == true, try transaction.isLastOwner(user) { return .lastOwner }
        return nil
    }

    /// What became of the second factors.
    fileprivate enum Withdrawal: Equatable {
        case none
        /// - Parameter name: of the factor, where it was one.
        case some(name: String?)
        case all

        var event: AuditEvent.Kind? {
            switch self {
            case .none: nil
            case .some: .factorWithdrawn
            case .all: .factorsReset
            }
        }
    }

    /// What the owner's notice says of the change; of a changed address an own mail tells.
    fileprivate func notices(_ withdrawn: Withdrawal) -> [AccountNotice] {
        var notices: [AccountNotice] = []
        if password != nil {
            notices.append(AccountNotice(.passwordChanged))
        } else if removesPassword {
            notices.append(AccountNotice(.passwordRemoved))
        }
        switch withdrawn {
        case .none: break
        case .some(let name): notices.append(AccountNotice(.factorRemoved, factorName: name))
        case .all: notices.append(AccountNotice(.factorsRemoved))
        }
        return notices
    }

    fileprivate func withdrawFactors(
        of id: UserID, _ proofs: ProofRegistry, in transaction: any StoreTransaction
    ) throws -> Withdrawal {
        guard let secondFactors else { return .none }
        let present = proofs.secondFactors(among: try transaction.factors(of: id))
        var gone: [FactorRecord] = []
        for var factor in present {
            switch secondFactors[factor.id] {
            case nil:
                _ = try transaction.remove(factor.id, proofs)
                gone.append(factor)
            case .unchanged?: break
            case .changed(let name)?:
                factor.name = name
                _ = try transaction.update(factor)
            }
        }
        if gone.isEmpty { return .none }
        return gone.count == present.count ? .all : .some(name: gone.count == 1 ? gone[0].name : nil)
    }
}
