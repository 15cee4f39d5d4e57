import ArgumentParser

/// The user that a command is about.
struct UserArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The user's id or e-mail address.", valueName: "id-or-email"))
    var user: String
}
