import ArgumentParser

/// Which page of a list a command shows.
struct PageOptions: ParsableArguments {
    @Option(help: "How many at most: 1 to 1000.")
    var limit = 100

    @OptionGroup var places: PlaceOptions

    var after: String? { places.after }
    var before: String? { places.before }
}

/// Where a page of a list begins or ends.
struct PlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only what comes after this place, as another page said it.", valueName: "place"))
    var after: String?

    @Option(help: ArgumentHelp("Only what comes before this place, as another page said it.", valueName: "place"))
    var before: String?

    /// Says where the neighbours of a page are, to a person.
    static func say(previous: String?, next: String?, _ output: OutputOptions) {
        guard !output.json else { return }
        if let previous { Terminal.say("Before them: --before \(previous.printable)") }
        if let next { Terminal.say("There may be more: --after \(next.printable)") }
    }
}
