import ArgumentParser

/// Which page of a list a command shows.
struct PageOptions: ParsableArguments {
    @Option(help: "How many at most: 1 to 1000.")
    var limit = 100

    @Option(help: ArgumentHelp("Only ids after this one.", valueName: "id"))
    var after: String?
}
