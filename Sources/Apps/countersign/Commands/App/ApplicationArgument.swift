import ArgumentParser

/// The application that a command is about.
struct ApplicationArgument: ParsableArguments {
    @Argument(help: "The application's id.")
    var id: String
}
