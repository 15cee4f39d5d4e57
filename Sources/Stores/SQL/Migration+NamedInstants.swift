extension Migration {
    /// Version 7: an instant that an administrator named, before which tokens are refused, stands beside the instant of
    /// the last revocation, which is no longer used. Nothing is filled in: where it is missing, the other counts, as it
    /// did.
    static let namedInstants = Migration(version: 7, name: "instants that administrators named") { types in
        ["ALTER TABLE users ADD COLUMN tokens_refused_before \(types.integer)"]
    }
}
