import CountersignCore
import Foundation

private enum Statements {
    static let byName = SQLStatement("SELECT sealed_value FROM secrets WHERE name = $1")
    static let replacement = SQLStatement(
        """
        INSERT INTO secrets (name, sealed_value) VALUES ($1, $2) \
        ON CONFLICT (name) DO UPDATE SET sealed_value = excluded.sealed_value
        """)
    static let deletion = SQLStatement("DELETE FROM secrets WHERE name = $1")
}

extension SQLTransaction {
    public func sealedSecret(_ name: String) throws -> Data? {
        try first(of: "secrets", Statements.byName, [SQLValue(name)]) { try $0.blob() }
    }

    public func putSealedSecret(_ name: String, _ sealed: Data) throws {
        try locks.note(.secrets, name)
        try send(Statements.replacement, SQLValue(name), SQLValue(sealed))
    }

    public func deleteSealedSecret(_ name: String) throws {
        try locks.note(.secrets, name)
        try send(Statements.deletion, SQLValue(name))
    }
}
