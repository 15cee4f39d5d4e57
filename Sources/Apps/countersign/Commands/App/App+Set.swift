import AdminServer
import ArgumentParser
import Foundation

extension AppCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change what an application is registered with.",
            discussion: """
                Options that you leave out do not change. A list replaces the previous one; an empty one clears it.

                  countersign app set shop --require-mfa
                  countersign app set shop --scopes ""
                  countersign app set shop --jwks keys.json
                  countersign app set shop --logo shop.png
                """)

        @OptionGroup var argument: ApplicationArgument
        @Option(
            help: ArgumentHelp(
                "The picture that people know it by: a PNG of at most 256 KiB and 1024 pixels a side, or none.",
                valueName: "file"))
        var logo: String?

        @OptionGroup(title: "Registration") var registration: RegistrationOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            if let logo {
                let png = logo == "none" ? nil : try InputFile.bytes(logo).base64EncodedString()
                _ = try await realm.perform(SetApplicationLogo(id: argument.id, png: png))
            }
            let answer = try await realm.perform(
                ChangeApplication(id: argument.id, registration: registration.change()))
            try output.show(answer) { AppCommand.describe(answer) }
        }
    }
}
