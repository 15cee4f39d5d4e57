extension Migration {
    /// Services that are told what happens: what an administrator says of each, and how far it is in the log.
    static let eventHooks = Migration(version: 15, name: "event hooks") { types in
        [
            """
            CREATE TABLE event_hooks (
                id \(types.text) NOT NULL PRIMARY KEY,
                created_at \(types.integer) NOT NULL,
                registration \(types.text) NOT NULL,
                progress \(types.text) NOT NULL,
                revision \(types.integer) NOT NULL
            ) \(types.tableOptions)
            """
        ]
    }
}
