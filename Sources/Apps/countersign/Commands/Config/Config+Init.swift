import ArgumentParser
import CountersignServer

extension ConfigCommand {
    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Write a configuration file for `countersign serve`, with every key as a comment.",
            discussion: """
                Without a file it is printed. The file sets nothing until you take the # from a line.

                  countersign config init /etc/countersign/countersign.yaml
                  countersign config init | less
                """)

        @Argument(help: ArgumentHelp("Where to write it, named .yaml or .yml; it must not exist.", valueName: "file"))
        var file: String?

        @Flag(help: "Write over a file that exists.")
        var replace = false

        func run() async throws {
            let text = ConfigurationFile.commented()
            guard let file else { return Terminal.print(String(text.dropLast())) }
            guard ["yaml", "yml"].contains(file.split(separator: ".").last?.lowercased()) else {
                throw CommandFailure(
                    .usage, "\(file.printable): the server reads what is in a file from its name. End it in .yaml.")
            }
            let output = try PrivateOutput(file, replaces: replace)
            do {
                try output.write(text)
                try output.complete()
            } catch {
                output.discard()
                throw error
            }
            Terminal.print("\(file.printable) is written. Start with: countersign serve --config \(file.printable)")
        }
    }
}
