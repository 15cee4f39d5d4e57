import StoreSQL

/// One command whose answer is still to come.
struct SentCommand {
    let text: String
    /// The first parameter: which row it is about, should it lose a race for it.
    var key: SQLValue?
    /// The statement that this one prepares.
    var prepares: PreparedStatement?
    /// Whether it was taken to change a row.
    var isForeseen = false
    /// Whether the server itself fails where it changed none.
    var isChecked = false
    var isBegin = false
    var isEnd = false
    /// The question whose answer is kept until it is asked for.
    var asks: Int?
}

/// What was sent with a mark behind it, and is to be answered.
struct SentBatch {
    var commands: [SentCommand]
    var wait: AnswerWait
    /// Those that came before they were waited for.
    var answers = BatchAnswers()
}

/// The last result of each command, as `PQexec` has it, up to the mark that ends a batch. Fewer where the connection
/// ended.
struct BatchAnswers {
    private(set) var results: [PostgresResult] = []
    /// Of the command at hand.
    private var last: PostgresResult?
    private(set) var areWhole = false

    mutating func reserveCapacity(_ count: Int) {
        results.reserveCapacity(count)
    }

    /// Takes out the results of the first commands: fewer where there are not so many.
    mutating func removeFirst(_ count: Int) -> [PostgresResult] {
        defer { results.removeFirst(min(count, results.count)) }
        return Array(results.prefix(count))
    }

    /// - Parameter result: what comes next; nil at the end of a command's results.
    mutating func take(_ result: PostgresResult?, isConnected: Bool) {
        if let result {
            if result.endsBatch { areWhole = true } else { last = result }
            return
        }
        if let last { results.append(last) }
        areWhole = last == nil || !isConnected
        last = nil
    }
}
