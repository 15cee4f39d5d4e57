import CountersignCore

/// What PostgreSQL, or the way to it, refused; and what to do about it.
///
/// It says which statement failed and why, and never with which values: of a server's answer only the code and the
/// primary message are taken, because the detail quotes rows (`Key (email)=(…) already exists`).
struct PostgresFailure: Error {
    enum Consequence: Equatable {
        /// The transaction lost a race; run again, it may win.
        case runAgain
        /// The connection is of no use any more. Nothing of an uncommitted transaction remains.
        case reconnect
        /// It wrote where nothing may be written: the primary became a standby, the database was made read-only, or the
        /// transaction is only to read.
        case readOnly
        /// There was no answer in time. The connection is of no use any more, and what was sent may still be done; to try
        /// again would make the caller wait as long again.
        case silence
        /// A change that was taken for done was not; run again with exact answers, the body may decide otherwise.
        case unforeseen
        /// A transaction isolated by rows was about to run what such a one may not; run again, fully isolated.
        case beyondRows
        /// It would fail again.
        case giveUp
    }

    let consequence: Consequence
    let description: String
    /// The server's code, five characters as in appendix A of PostgreSQL's manual; nil where it has not spoken.
    let state: String?
    /// What an operator can do about it; nil where nothing is known to help.
    private(set) var advice: String?
    /// The row for which a race was lost, where the statement that lost it tells. No description names it.
    var row: ContestedRow?
    /// Whether the server said so before it began the last of what was sent together.
    var isBeforeLast = false

    /// Whether any of what was sent together may have been done: the connection is of no use any more, and the server has not said that it
    /// refuses something of it. Class 08 is no word of the server's (``PostgresResult/isRefusal``).
    var leavesUnknown: Bool {
        [.reconnect, .silence].contains(consequence) && !isBeforeLast && state.map { $0.hasPrefix("08") } ?? true
    }

    /// The connection ended, or never began.
    init(lost reason: String) {
        consequence = .reconnect
        state = nil
        description = "PostgreSQL: \(Self.oneLine(reason))"
        advice = Self.advice(onConnectionLost: reason)
    }

    /// - Parameters:
    ///   - state: five characters, as in appendix A of PostgreSQL's manual.
    ///   - statement: without values; nil where it says nothing.
    init(state: String, message: String, statement: String?) {
        consequence = Self.consequence(of: state)
        self.state = state
        description = "PostgreSQL \(state): \(Self.oneLine(message))" + (statement.map { " in \($0)" } ?? "")
        advice = Self.advice(on: state)
    }

    init(_ consequence: Consequence, _ description: String) {
        self.consequence = consequence
        self.description = description
        state = nil
    }

    static let unforeseen = PostgresFailure(.unforeseen, "PostgreSQL: a row was not as it was foreseen")
    static let beyondRows = PostgresFailure(.beyondRows, "PostgreSQL: a rule is about more than rows by their keys")

    var storeError: StoreError {
        let code: StoreError.Code = consequence == .readOnly ? .readOnly : .unavailable
        return advice.map { StoreError(code, $0, detail: description) } ?? StoreError(code, description)
    }

    static func consequence(of state: String) -> Consequence {
        switch state {
        // Serialization failure and deadlock. A key that is taken, or a referred row that was deleted, is a race too:
        // the statements ask beforehand, and their snapshot did not show what another transaction had just committed.
        case "40001", "40P01", "23505", "23503":
            return .runAgain
        // The server stops, crashed or starts, or the connection was idle for too long.
        case "57P01", "57P02", "57P03", "57P05":
            return .reconnect
        case "25006":
            return .readOnly
        // A prepared statement is lost, or its result has another shape since a migration.
        case "26000", "0A000":
            return .reconnect
        default:
            return state.hasPrefix("08") ? .reconnect : .giveUp
        }
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
    }
}
