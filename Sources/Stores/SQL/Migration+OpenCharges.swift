extension Migration {
    /// Attempts whose outcome is open. Those that an earlier program counted are all settled.
    static let openCharges = Migration(version: 9, name: "open charges") { types in
        ["ALTER TABLE attempt_counters ADD COLUMN open_charges \(types.text)"]
    }
}
