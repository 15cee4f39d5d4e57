extension RememberingTransaction {
    func factor(_ id: FactorID) throws -> FactorRecord? { try row(&factors, id) { try $0.factor(id) } }

    func factors(of user: UserID) throws -> [FactorRecord] {
        if let known = factorLists[user] { return known.compactMap { factors[$0].flatMap { $0 } } }
        let list = try base.factors(of: user)
        for factor in list { factors[factor.id] = .some(factor) }
        factorLists[user] = list.map(\.id)
        return list
    }

    func factors(of kind: FactorKind, after id: FactorID?, limit: Int) throws -> [FactorRecord] {
        try base.factors(of: kind, after: id, limit: limit)
    }

    func factorKinds(of users: [UserID]) throws -> [UserID: Set<FactorKind>] { try base.factorKinds(of: users) }

    func factorIDs(among ids: Set<FactorID>) throws -> Set<FactorID> { try base.factorIDs(among: ids) }

    func insert(_ factor: FactorRecord) throws -> Bool {
        factors[factor.id] = nil
        factorLists[factor.userID] = nil
        return try base.insert(factor)
    }

    func update(_ factor: FactorRecord) throws -> Bool {
        // An update leaves the list of the user's factors, and its order, as they are.
        factors[factor.id] = nil
        guard try base.update(factor) else {
            factorLists[factor.userID] = nil
            return false
        }
        var kept = factor
        kept.revision += 1
        factors[factor.id] = .some(kept)
        return true
    }

    func deleteFactor(_ id: FactorID) throws -> Bool {
        factors[id] = nil
        factorLists = [:]
        guard try base.deleteFactor(id) else { return false }
        notes.removed(factor: id)
        return true
    }
}
