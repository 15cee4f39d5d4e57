/// Which schema a database has, beside the newest that this program knows.
public struct SchemaVersion: Sendable, Equatable {
    /// 0 where there is none yet.
    public let present: Int
    public let newest: Int

    public init(present: Int) {
        (self.present, newest) = (present, Migrations.all.steps.count)
    }

    /// Reads it. The table `schema_migrations` has to be there.
    public init(of connection: any SQLConnection) throws {
        self.init(present: try Migrations.all.version(of: connection))
    }
}
