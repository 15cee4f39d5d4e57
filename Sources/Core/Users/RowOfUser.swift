/// A row of a list with the user whom it is about; nil where the user is gone.
struct RowOfUser<Row> {
    let row: Row
    let user: User?
}

extension Array {
    /// Each with its user, all of whom are read at once.
    func withUsers(
        in transaction: any StoreTransaction, _ id: (Element) -> UserID
    ) throws -> [RowOfUser<Element>] {
        let users = try transaction.users(among: Set(map(id)))
        let known = Dictionary(users.map { ($0.id, $0) }) { first, _ in first }
        return map { RowOfUser(row: $0, user: known[id($0)]) }
    }
}
