import ArgumentParser

/// The extension that a command is about.
struct ExtensionArgument: ParsableArguments {
    @Argument(help: "The extension's id.")
    var id: String
}
