import Crypto
import Foundation
import Synchronization

/// What names the realm where a protocol wants a tenant: one id, whatever path it is asked under.
public struct Tenant: Codable, Sendable, Equatable {
    /// A random UUID.
    public let id: String
    /// Decides what an address without account seems to be. It stays when master keys are replaced: an answer that
    /// changed then would give the address away.
    let decoys: Data

    private static let document = "tenant"

    /// Nil before it was first asked for.
    static func kept(in transaction: any StoreTransaction) throws -> Tenant? {
        try transaction.decodedDocument(document) { try JSONDecoder().decode(Tenant.self, from: $0) }
    }

    func put(in transaction: any StoreTransaction) throws {
        try transaction.putDocument(Self.document, JSONEncoder().encode(self))
    }

    /// What the address is asked for, if it has no account.
    func decoyMethod(for email: EmailAddress) -> FirstMethod {
        let code = HMAC<SHA256>.authenticationCode(for: Data(email.canonical.utf8), using: SymmetricKey(data: decoys))
        return (code.first { _ in true } ?? 0) & 1 == 0 ? .password : .mailedCode
    }
}

extension Realm {
    /// The tenant's id and what else belongs to it; made when it is first asked for, and the same from then on: it is read once.
    public func tenant() async throws -> Tenant {
        if let known = knownTenant.withLock({ $0 }) { return known }
        let tenant = try await keptTenant()
        knownTenant.withLock { $0 = tenant }
        return tenant
    }

    private func keptTenant() async throws -> Tenant {
        if let tenant = try await store.read({ try Tenant.kept(in: $0) }) { return tenant }
        let fresh = Tenant(id: random.uuid(), decoys: Data(random.bytes(32)))
        return try await store.write { transaction in
            if let tenant = try Tenant.kept(in: transaction) { return tenant }
            try fresh.put(in: transaction)
            return fresh
        }
    }
}
