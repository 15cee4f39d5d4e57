extension RememberingTransaction {
    func auditRows(after id: String, through last: String, onlyTimely: Bool, limit: Int) throws -> [AuditRow] {
        try base.auditRows(after: id, through: last, onlyTimely: onlyTimely, limit: limit)
    }

    func auditRow(_ id: String) throws -> AuditRow? { try base.auditRow(id) }
    func markAuditRow(_ row: AuditRow) throws -> Bool { try base.markAuditRow(row) }
    func forgetNonce(of id: String) throws { try base.forgetNonce(of: id) }
    func takeUpAuditRow(_ id: String, in seal: Int) throws -> Bool { try base.takeUpAuditRow(id, in: seal) }

    func hasAuditEvent(of user: UserID, _ kind: AuditEvent.Kind, after id: String) throws -> Bool {
        try base.hasAuditEvent(of: user, kind, after: id)
    }

    func deleteAuditRows(through id: String, sealedBy seal: Int, limit: Int) throws -> Int {
        try base.deleteAuditRows(through: id, sealedBy: seal, limit: limit)
    }

    func auditSeal(_ number: Int) throws -> AuditSeal? { try base.auditSeal(number) }

    func auditSeals(after number: Int, limit: Int) throws -> [AuditSeal] {
        try base.auditSeals(after: number, limit: limit)
    }

    func auditSeals(after number: Int, notSignedBy keyID: String, limit: Int) throws -> [AuditSeal] {
        try base.auditSeals(after: number, notSignedBy: keyID, limit: limit)
    }

    func lastAuditSeal() throws -> AuditSeal? { try base.lastAuditSeal() }
    func auditSeal(reaching id: String) throws -> AuditSeal? { try base.auditSeal(reaching: id) }
    func insert(_ seal: AuditSeal) throws -> Bool { try base.insert(seal) }
    func update(_ seal: AuditSeal, from code: String) throws -> Bool { try base.update(seal, from: code) }
    func deleteAuditSeals(before number: Int) throws { try base.deleteAuditSeals(before: number) }
}
