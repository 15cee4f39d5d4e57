/// What has to hold in every write of a task. It is judged in the transaction that writes, before its body: what a caller looked at before
/// may be another's by then (docs/decisions/0472).
///
/// A body that many kinds of callers use need not know which of them has a condition, and an operation that comes to use another body
/// cannot forget it.
enum WriteCondition {
    typealias Judgement = @Sendable (any StoreTransaction) throws -> Void

    /// Gives the judgement of a write that begins. It is the same one each time that the store runs the write's transaction.
    @TaskLocal static var current: (@Sendable () -> Judgement)?

    /// Does something whose writes hold only while the condition does, beside conditions that there are already.
    /// - Parameter judgement: throws where it does not; then the write's transaction is undone, and the error passed on.
    static func with<Value>(_ judgement: @escaping Judgement, _ body: () async throws -> Value) async throws -> Value {
        try await with(each: { judgement }, body)
    }

    /// The same of a condition that is another one for each write.
    /// - Parameter judgement: called when a write begins.
    static func with<Value>(
        each judgement: @escaping @Sendable () -> Judgement, _ body: () async throws -> Value
    ) async throws -> Value {
        let outer = current
        let both: @Sendable () -> Judgement = {
            let (first, second) = (outer?(), judgement())
            return { transaction in
                try first?(transaction)
                try second(transaction)
            }
        }
        return try await $current.withValue(both) { try await body() }
    }
}
