import ArgumentParser

/// What concerns devices that answer requests.
struct DeviceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Enrol with this ticket instead of a link.", valueName: "ticket"))
    var ticket: String?

    @Option(help: ArgumentHelp("The server, where the link does not name it or names another.", valueName: "url"))
    var server: String?

    @Option(help: "This device's name in the user's list of devices (default: the host's name).")
    var deviceName: String?

    @Flag(help: "Let the key answer without the passcode, for any process that opens the vault.")
    var unattended = false

    @Flag(help: "Create an RSA key of 2048 bits, for servers that do not support P-256.")
    var rsa = false

    var isUnused: Bool { ticket == nil && server == nil && deviceName == nil && !unattended && !rsa }
}
