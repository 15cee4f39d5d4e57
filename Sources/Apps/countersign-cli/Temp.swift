import ArgumentParser

@main
struct Root: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "countersign", subcommands: [Demo.self])
}
