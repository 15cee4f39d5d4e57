import CPostgres
import StoreSQL

/// Statements with their parameters. One that is kept is prepared the first time that the connection sees it.
extension PostgresLink {
    /// Runs a command without parameters.
    /// - Parameter isBounded: false for what may take its time, such as a migration.
    /// - Returns: its tag.
    @discardableResult
    func run(_ command: String, isBounded: Bool = true) throws -> String {
        try send(SentCommand(text: command))
        return try answer(isBounded: isBounded).tag
    }

    /// Runs a statement and waits for its answer.
    func run(_ statement: SQLStatement, _ parameters: [SQLValue], isBounded: Bool = true) throws -> PostgresResult {
        try send(statement, parameters, isForeseen: false)
        return try answer(isBounded: isBounded)
    }

    /// Runs a statement that is not kept.
    func run(_ text: String, _ parameters: [SQLValue]) throws -> PostgresResult {
        try run(.once(text), parameters)
    }

    /// Sends a statement without waiting. One that is kept is prepared the first time that this connection sees it.
    /// - Parameters:
    ///   - isForeseen: whether it is taken to change a row, which is found out with the next answer.
    ///   - isChecked: whether the server itself fails where a statement that is foreseen changes none, and with it all that
    ///     was sent behind it: so that the commit may be.
    func send(
        _ statement: SQLStatement, _ parameters: [SQLValue], isForeseen: Bool, isChecked: Bool = false,
        isBegin: Bool = false
    ) throws {
        if isOverdue { throw overdue }
        if sent.count >= Self.mostSent {
            // It waits for nothing, as the one in front is not to wait for it.
            if leading != nil { throw PostgresFailure.unforeseen }
            try settle()
        }
        try sendKept(
            statement, parameters, isForeseen: isForeseen, isChecked: isForeseen && isChecked, isBegin: isBegin)
    }

    func sendKept(
        _ statement: SQLStatement, _ parameters: [SQLValue], isForeseen: Bool = false, isChecked: Bool = false,
        isBegin: Bool = false, isEnd: Bool = false, asks: Int? = nil
    ) throws {
        let name = try statement.number.map { try nameOfPrepared(statement, $0, isChecked: isChecked) }
        let command = SentCommand(
            text: statement.text, key: parameters.first, isForeseen: isForeseen, isChecked: isChecked,
            isBegin: isBegin, isEnd: isEnd, asks: asks)
        try send(command) {
            BinaryParameters.withPointers(to: parameters, in: &parameterBytes) { count, values, lengths, formats in
                if let name {
                    PQsendQueryPrepared(handle.pointer, name, count, values, lengths, formats, 1)
                } else {
                    PQsendQueryParams(
                        handle.pointer, isChecked ? Self.withCheck(statement.text) : statement.text, count, nil, values,
                        lengths, formats, 1)
                }
            }
        }
    }

    /// The change, and a failure where it changed nothing. It gives no row and no column.
    static func withCheck(_ change: String) -> String {
        "WITH changed AS (\(change) RETURNING 1) SELECT FROM changed HAVING 1 / count(*) < 0"
    }

    /// What ``withCheck(_:)`` fails with: a division by zero.
    static let nothingChanged = "22012"
    /// What `LOCK TABLE … NOWAIT` fails with.
    static let lockNotAvailable = "55P03"

    private func nameOfPrepared(_ statement: SQLStatement, _ number: Int, isChecked: Bool) throws -> String {
        let preparation = PreparedStatement(number: number, isChecked: isChecked)
        if let name = prepared[preparation] { return name }
        let name = preparation.name
        let text = isChecked ? Self.withCheck(statement.text) : statement.text
        // The server finds the types of parameters by itself.
        try send(SentCommand(text: statement.text, prepares: preparation)) {
            PQsendPrepare(handle.pointer, name, text, 0, nil)
        }
        prepared[preparation] = name
        return name
    }
}
