/// A statement as a connection prepares it: it is prepared twice where it is needed both as it is and with its check.
struct PreparedStatement: Equatable {
    /// Counts from 0 over the whole program (`SQLStatement.number`).
    let number: Int
    /// Whether it fails where it changes nothing (``PostgresLink/withCheck(_:)``).
    let isChecked: Bool

    /// What it is called on the server. It is kept in ``PreparedNames`` so that it is put together once for a connection.
    var name: String { isChecked ? "countersign_\(number)_checked" : "countersign_\(number)" }
}

/// The names of what a connection has prepared.
///
/// They are in arrays, by the statements' numbers: each statement that is sent looks for its name.
struct PreparedNames {
    private var plain: [String?] = []
    private var checked: [String?] = []

    /// Nil where it is not prepared, or not after all.
    subscript(statement: PreparedStatement) -> String? {
        get {
            let names = statement.isChecked ? checked : plain
            return statement.number < names.count ? names[statement.number] : nil
        }
        set {
            if statement.isChecked {
                Self.note(newValue, at: statement.number, in: &checked)
            } else {
                Self.note(newValue, at: statement.number, in: &plain)
            }
        }
    }

    private static func note(_ name: String?, at number: Int, in names: inout [String?]) {
        let missing = number + 1 - names.count
        if missing > 0 { names += Array(repeating: nil, count: missing) }
        names[number] = name
    }
}
