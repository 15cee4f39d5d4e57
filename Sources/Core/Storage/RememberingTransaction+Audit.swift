import Foundation

extension RememberingTransaction {
    func append(_ event: AuditEvent) throws {
        try base.append(event)
        notes.appended(event)
    }

    func auditEvents(after id: String, before bound: AuditBound, limit: Int) throws -> [AuditEvent] {
        try base.auditEvents(after: id, before: bound, limit: limit)
    }

    func auditEvent(_ id: String) throws -> AuditEvent? { try base.auditEvent(id) }

    func auditEvents(
        ofKinds kinds: Set<AuditEvent.Kind>, from begin: AuditBound, before end: AuditBound, limit: Int
    ) throws -> [AuditEvent] {
        try base.auditEvents(ofKinds: kinds, from: begin, before: end, limit: limit)
    }

    func auditCounts(from begin: AuditBound, before end: AuditBound) throws -> [AuditCount] {
        try base.auditCounts(from: begin, before: end)
    }

    func auditEvents(of user: UserID?, after id: String?, limit: Int) throws -> [AuditEvent] {
        try base.auditEvents(of: user, after: id, limit: limit)
    }

    func auditEvents(of user: UserID?, _ range: ListRange<String>) throws -> [AuditEvent] {
        try base.auditEvents(of: user, range)
    }

    func replaceAuditDetails(
        of user: UserID, _ kind: AuditEvent.Kind, with details: [String: JSONValue]
    ) throws {
        try base.replaceAuditDetails(of: user, kind, with: details)
    }

    func deleteAuditEvents(before instant: Date, after id: String, limit: Int) throws -> Int {
        try base.deleteAuditEvents(before: instant, after: id, limit: limit)
    }
}
