import ArgumentParser

/// The client that a command is about.
struct ClientArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("What the list calls it, or its id.", valueName: "client"))
    var client: String
}
