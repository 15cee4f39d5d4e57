extension Migration {
    /// Version 10: what is offered to be enrolled is found by the id that it will have. Offers of earlier programs are
    /// not; they are removed after five days. The index has the offers' rows alone, so that other flows do not pay for
    /// it.
    static let offeredFactors = Migration(version: 10, name: "offered factors") { types in
        [
            "ALTER TABLE flows ADD COLUMN offered_factor \(types.text)",
            "CREATE INDEX offered_factors ON flows (offered_factor) WHERE offered_factor IS NOT NULL",
        ]
    }
}
