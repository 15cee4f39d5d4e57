import AdminServer
import ArgumentParser
import CountersignCore

extension AdminCommand {
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite",
            abstract: "Print a link by which the first owner comes.",
            discussion: """
                Open the link in a browser, sign in or create an account, and set up a second factor: then the account is \
                the owner. The link is valid once, for half an hour, and only while there is no owner; another one takes \
                its place. Its holder can become owner, so pass it on by a channel that only that person reads.

                  countersign admin invite --public-url https://login.example.com
                """)

        @Option(
            name: .customLong("public-url"),
            help: ArgumentHelp(
                "Where users reach the server (default: $COUNTERSIGN_PUBLIC_URL, the public URL that the server was "
                    + "started with, --server, or where it listened).", valueName: "url"))
        var publicURL: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws { try RealmOptions.check(publicURL: publicURL) }

        /// The answer with the whole link, as only the caller knows the server's address.
        private struct Result: Encodable {
            let link: String
            let expiresAt: Timestamp
        }

        func run() async throws {
            let answer = try await realm.perform(InviteOwner())
            let link = "\(realm.publicURL(publicURL, told: answer.server))/\(answer.path.secret.reveal())"
            try output.show(Result(link: link, expiresAt: answer.expiresAt)) {
                ["This link makes its holder the owner, once, until \(answer.expiresAt.text):", link]
            }
        }
    }
}
