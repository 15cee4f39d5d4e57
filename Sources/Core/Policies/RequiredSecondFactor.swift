extension SecondFactorSettings {
    /// Whether a second factor is required of some users by name: of the members of groups, or of those who have a role.
    public var isRequiredOfSome: Bool { !(requiredGroups ?? []).isEmpty || !(requiredRoles ?? []).isEmpty }

    /// Whether the members of a group are named.
    public func requires(of group: GroupName) -> Bool { requiredGroups?.contains(group.rawValue) == true }
}

extension StoreTransaction {
    /// Whether the settings require a second factor of this user: of every user, of a group that the user is in, or of the user's role.
    ///
    /// Nothing is read where the settings name neither groups nor roles.
    package func requiresSecondFactor(of user: UserID, _ settings: SecondFactorSettings) throws -> Bool {
        if settings.isRequired { return true }
        if let roles = settings.requiredRoles, !roles.isEmpty, let own = try administrator(user)?.role,
            roles.contains(own.rawValue)
        {
            return true
        }
        guard let named = settings.requiredGroups, !named.isEmpty else { return false }
        return try groups(of: user, limit: UserGroup.mostOfUser).contains { named.contains($0.rawValue) }
    }

    /// Whether the settings require a second factor of a member of this group because of it alone: outside of it they would require none.
    func requiresSecondFactor(
        of user: UserID, _ settings: SecondFactorSettings, onlyAsMemberOf group: GroupName
    ) throws -> Bool {
        guard settings.requires(of: group) else { return false }
        var others = settings
        others.requiredGroups?.removeAll { $0 == group.rawValue }
        return try !requiresSecondFactor(of: user, others)
    }
}

extension Administrators {
    /// Whether the settings require a second factor of this user because of the role alone: without it they would require none.
    public func requiresSecondFactor(onlyOf user: UserID) async throws -> Bool {
        try await realm.store.read { transaction in
            let settings = try transaction.settings().secondFactors
            guard let role = try transaction.administrator(user)?.role,
                settings.requiredRoles?.contains(role.rawValue) == true
            else { return false }
            var others = settings
            others.requiredRoles = nil
            return try !transaction.requiresSecondFactor(of: user, others)
        }
    }
}

extension Accounts {
    /// Whether a second factor is required of this user, for a protocol whose tokens say that a session lacks one
    /// (``ClientContext/enrolsBySession``). What an application requires by itself is beside it.
    ///
    /// Nothing is read where the settings name neither groups nor roles.
    public func requiresSecondFactor(of user: UserID, _ settings: SecondFactorSettings) async throws -> Bool {
        guard !settings.isRequired, settings.isRequiredOfSome else { return settings.isRequired }
        return try await realm.store.read { try $0.requiresSecondFactor(of: user, settings) }
    }

    /// The users of whom the settings require a second factor by name: at most so many, and some more of the last part that is read.
    func namedForSecondFactor(by settings: SecondFactorSettings, most: Int) async throws -> Set<UserID> {
        let realm = realm
        let part = 1000
        var named: Set<UserID> = []
        for group in settings.requiredGroups ?? [] {
            var last: UserID?
            repeat {
                let range = ListRange(last, limit: part)
                let members = try await realm.store.read { try $0.members(of: GroupName(kept: group), range) }
                named.formUnion(members)
                last = members.count == part ? members.last : nil
            } while last != nil && named.count < most
        }
        let roles = settings.requiredRoles ?? []
        var last: UserID?
        repeat {
            guard !roles.isEmpty else { break }
            let range = ListRange(last, limit: part)
            let administrators = try await realm.store.read { try $0.administrators(range) }
            named.formUnion(administrators.filter { roles.contains($0.role.rawValue) }.map(\.userID))
            last = administrators.count == part ? administrators.last?.userID : nil
        } while last != nil
        return named
    }
}
