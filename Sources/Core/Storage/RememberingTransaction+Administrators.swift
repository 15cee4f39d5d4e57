import Foundation

extension RememberingTransaction {
    func administrator(_ user: UserID) throws -> Administrator? { try base.administrator(user) }
    func administrators(_ range: ListRange<UserID>) throws -> [Administrator] {
        try base.administrators(range)
    }
    func administrator(with role: AdministratorRole, beside user: UserID) throws -> UserID? {
        try base.administrator(with: role, beside: user)
    }
    func put(_ administrator: Administrator) throws -> Bool { try base.put(administrator) }
    func deleteAdministrator(_ user: UserID) throws -> Bool { try base.deleteAdministrator(user) }

    func machineToken(digest: Data) throws -> MachineToken? { try base.machineToken(digest: digest) }
    func machineTokens(_ range: ListRange<String>) throws -> [MachineToken] {
        try base.machineTokens(range)
    }
    func insert(_ token: MachineToken) throws -> Bool { try base.insert(token) }
    func touchMachineToken(_ id: String, usedAt instant: Date) throws {
        try base.touchMachineToken(id, usedAt: instant)
    }
    func deleteMachineToken(_ id: String) throws -> Bool { try base.deleteMachineToken(id) }
}
