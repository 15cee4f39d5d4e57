import AdminServer
import ArgumentParser

extension KeyCommand {
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Create new signing keys.",
            discussion: """
                Running servers sign with the new keys within seconds. The old ones stay in the JWKS until the last token \
                that they signed has expired, so that no user is signed out.
                """)

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RotateKeys(), activity: "Making new keys")
            try output.show(answer) { KeyCommand.describe(answer.keys) }
        }
    }
}
