extension RememberingTransaction {
    func signingKeys() throws -> [SigningKeyRecord] { try base.signingKeys() }
    func insert(_ key: SigningKeyRecord) throws -> Bool { try base.insert(key) }
    func update(_ key: SigningKeyRecord) throws -> Bool { try base.update(key) }
    func deleteSigningKey(_ id: String) throws -> Bool { try base.deleteSigningKey(id) }
}
