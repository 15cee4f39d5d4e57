import AdminServer
import ArgumentParser
import CountersignCore
import JSON

extension UserCommand {
    struct SetMembers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change address, name, language, picture, attributes or claims of a user.",
            discussion: """
                What is not named stays as it is. Another address ends the user's sessions, and the former one is told. Claims replace all that the user has; attributes are added to the others, and \
                null removes one.

                  countersign user set anna@example.com --name "Anna Schmidt"
                  countersign user set anna@example.com --attributes '{"city":"Bonn"}'
                  countersign user set anna@example.com --claims '{"plan":"pro"}'
                """)

        @Option(help: "Another address, which the user confirms unless --email-verified says that it is the user's.")
        var email: String?

        @Flag(inversion: .prefixedNo, help: "Whether the address is known to be the user's.")
        var emailVerified: Bool?

        @Option(help: "What pages and mails call the user; an empty text clears.")
        var name: String?

        @Option(help: "A language tag, as de or ja; an empty text clears.")
        var language: String?

        @Option(
            help: ArgumentHelp(
                "Where applications load the user's picture from; an empty text clears.", valueName: "https-address"))
        var picture: String?

        @Option(help: ArgumentHelp("Attributes, as a JSON object.", valueName: "json"))
        var attributes: String?

        @Option(help: ArgumentHelp("Claims of the user's tokens, as a JSON object.", valueName: "json"))
        var claims: String?

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if email == nil, emailVerified == nil, name == nil, language == nil, picture == nil, attributes == nil,
                claims == nil
            {
                throw ValidationError(
                    "Name what is to change: --email, --email-verified, --name, --language, --picture, --attributes or --claims."
                )
            }
        }

        func run() async throws {
            let answer = try await realm.perform(
                SetUser(
                    user: argument.user, email: email, emailVerified: emailVerified, displayName: name,
                    locale: language, picture: picture,
                    attributes: try attributes.map { try Self.object($0, "attributes") },
                    claims: try claims.map { try Self.object($0, "claims") }))
            try output.show(answer) { ["Changed \(answer.user.shortName.printable)."] }
        }

        private static func object(_ text: String, _ option: String) throws -> [String: JSONValue] {
            guard case .object(let members)? = try? JSONParser.parse(Array(text.utf8)) else {
                throw CommandFailure(.usage, "--\(option) takes a JSON object, as '{\"city\":\"Berlin\"}'.")
            }
            return members
        }
    }
}
