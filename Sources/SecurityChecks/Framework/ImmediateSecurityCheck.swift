import CountersignCore

/// A check that needs nothing but what it has at hand to judge credentials: a PIN of its configuration, say.
///
/// Its answers are counted, judged and made to count in one transaction, where they are the only ones that a request brings; a
/// check whose judging may take long, or asks anything, has three steps for that.
public protocol ImmediateSecurityCheck: CredentialsValidationSecurityCheck {
    /// Whether the credentials are right. A transaction is open: it takes microseconds, has no effect, and says the same each
    /// time, because the transaction may run twice.
    func verdict(on credentials: JSONValue, in context: SecurityCheckContext) -> CredentialsVerdict
}

extension ImmediateSecurityCheck {
    public func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
    {
        verdict(on: credentials, in: context)
    }
}
