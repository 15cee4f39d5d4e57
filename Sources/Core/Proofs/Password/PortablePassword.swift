import Foundation

/// A password as another system gives it away, or as it is given to another.
public enum PortablePassword: Sendable {
    /// What a ``PasswordImporter`` made of a hash.
    case hash(StoredPasswordHash)
    /// The password itself, which is hashed when it comes in.
    case text(Secret<String>)
}

extension PasswordFactor {
    func export(_ factor: FactorRecord, payload: Data, into account: inout PortableAccount) throws {
        let hash = try Payload(stored: payload).hash
        account.password = .hash(StoredPasswordHash(Secret(hash)))
    }
}
