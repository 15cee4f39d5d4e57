/// What has to hold in every write of a task. It is judged in the transaction that writes, before its body: what a caller looked at before
/// may be another's by then (docs/decisions/0472).
///
/// A body that many kinds of callers use need not know which of them has a condition, and an operation that comes to use another body
/// cannot forget it.
enum WriteCondition {
    typealias Judgement = @Sendable (any StoreTransaction) throws -> Void

    /// Of the task that runs; nil where its writes have none.
    @TaskLocal static var current: Judgement?

    /// Does something whose writes hold only while the condition does, beside conditions that there are already.
    /// - Parameter judgement: throws where it does not; then the write's transaction is undone, and the error passed on.
    static func with<Value>(_ judgement: @escaping Judgement, _ body: () async throws -> Value) async throws -> Value {
        let outer = current
        let both: Judgement = { transaction in
            try outer?(transaction)
            try judgement(transaction)
        }
        return try await $current.withValue(both) { try await body() }
    }
}
