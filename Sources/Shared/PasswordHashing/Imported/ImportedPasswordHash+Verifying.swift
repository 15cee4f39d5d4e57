extension ImportedPasswordHash {
    /// Whether these bytes are the password. Slow: call it on ``HashingThreads`` only. The comparison itself takes the
    /// same time whatever differs.
    func matches(_ password: [UInt8]) -> Bool {
        guard flaw == nil, var computed = scheme.compute(password, salt: salt, hash: hash) else { return false }
        defer { Sodium.wipe(&computed) }
        return Sodium.areEqual(computed, scheme.expected(in: hash))
    }
}
