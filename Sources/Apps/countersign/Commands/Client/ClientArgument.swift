import ArgumentParser

/// The client that a command is about.
struct ClientArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("Its name in the list, or its id.", valueName: "client"))
    var client: String
}
