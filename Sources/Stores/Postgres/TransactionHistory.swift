import StoreSQL

/// What a transaction has asked ahead and changed by now: an answer that came early is found when its query comes, and a body that is run again
/// is told what it was told before, and has no change sent twice.
///
/// An answer is given to the same statement with the same parameters alone, and to none after another change (`docs/decisions/0569`).
struct TransactionHistory {
    /// What a body that is run again in its transaction is told.
    enum Recollection {
        case answer(PostgresResult)
        /// It was asked, and the answer is to come.
        case asked
        case unknown
    }

    /// A query that a transaction said it is going to run, or a change of which it wants to know how many rows it is about.
    private struct Asked {
        let statement: SQLStatement
        let parameters: [SQLValue]
        /// How many changes were sent before it: after another one the answer may be of what was before.
        let changes: Int
        /// Nil while it is to come.
        var answer: PostgresResult?
    }

    /// A change that a body sends again where it is run again.
    private struct Change {
        let statement: SQLStatement
        let parameters: [SQLValue]
    }

    private var asked: [Asked] = []
    /// How many changes were sent.
    private(set) var changes = 0
    /// Those changes, where the body may be run again in the transaction.
    private var noted: [Change] = []

    /// Forgets all, for the next transaction. Its memory is kept.
    mutating func removeAll() {
        asked.removeAll(keepingCapacity: true)
        noted.removeAll(keepingCapacity: true)
        changes = 0
    }

    // MARK: Questions

    /// The number of a question that was asked.
    /// - Parameter changes: how many were sent before it.
    func question(_ statement: SQLStatement, _ parameters: [SQLValue], after changes: Int) -> Int? {
        asked.firstIndex {
            $0.changes == changes && $0.statement === statement && SQLValue.areSame($0.parameters, parameters)
        }
    }

    /// Nil while it is to come.
    func answer(to question: Int) -> PostgresResult? { asked[question].answer }

    func recollection(of statement: SQLStatement, _ parameters: [SQLValue], after changes: Int) -> Recollection {
        guard let question = question(statement, parameters, after: changes) else { return .unknown }
        return answer(to: question).map { .answer($0) } ?? .asked
    }

    /// Notes a question that is about to be sent.
    /// - Returns: its number.
    mutating func ask(_ statement: SQLStatement, _ parameters: [SQLValue]) -> Int {
        asked.append(Asked(statement: statement, parameters: parameters, changes: changes))
        return asked.count - 1
    }

    mutating func note(_ answer: PostgresResult, to question: Int) {
        asked[question].answer = answer
    }

    // MARK: Changes

    /// Counts a change of a body that is not run again: whatever was asked ahead may be of what was before.
    mutating func countChange() {
        changes += 1
    }

    /// Notes a change that is about to be sent.
    mutating func noteChange(_ statement: SQLStatement, _ parameters: [SQLValue]) {
        noted.append(Change(statement: statement, parameters: parameters))
        changes += 1
    }

    /// Whether the change with this number was this one.
    func wasChange(_ number: Int, _ statement: SQLStatement, _ parameters: [SQLValue]) -> Bool {
        number < noted.count && noted[number].statement === statement
            && SQLValue.areSame(noted[number].parameters, parameters)
    }
}
