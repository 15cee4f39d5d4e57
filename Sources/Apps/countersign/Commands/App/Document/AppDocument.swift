import AdminServer
import ArgumentParser

extension AppCommand {
    /// Documents of clients whose id is an address.
    struct Document: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "document",
            abstract: "Look at documents by which applications are known, forget and block them.",
            discussion: """
                With `countersign config set oauth.clientDocuments any` an application's client id may be the address of a document about it.

                  countersign app document list
                  countersign app document forget https://app.example/client.json
                  countersign app document block app.example
                """,
            subcommands: [List.self, Forget.self, Block.self, Unblock.self])
    }
}

extension AppCommand.Document {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the documents that are kept, by their addresses.")

        @OptionGroup var page: PageOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListClientDocuments(limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                if answer.documents.isEmpty { return ["No documents are kept."] }
                var table = Table("ADDRESS", "NAME", "READ", "COUNTS UNTIL", "TAKEN")
                for document in answer.documents {
                    table.add(
                        document.id, document.displayName, document.readAt.text, document.freshUntil.text,
                        (document.isAdmitted && !document.isDisabled).yesOrNo)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "Forget a document, and end what its application got of users' sessions.",
            discussion: "It is read anew where an application names it again, and users are asked again.")

        @Argument(help: "The address of the document.")
        var address: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ForgetClientDocument(id: address))
            try output.show(answer) { ["Forgot the document \(answer.id.printable)."] }
        }
    }

    struct Block: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "block",
            abstract: "Take no document of an address, of all that begin with one, or of a host.",
            discussion: "What their applications got of users' sessions counts for nothing meanwhile.")

        @OptionGroup var pattern: DocumentPattern
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(BlockClientDocuments(pattern: pattern.text))
            try output.show(answer) { ["Blocked \(pattern.text.printable)."] }
        }
    }

    struct Unblock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unblock", abstract: "Take documents again that were blocked.")

        @OptionGroup var pattern: DocumentPattern
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(BlockClientDocuments(pattern: pattern.text, lift: true))
            try output.show(answer) { ["\(pattern.text.printable) is not blocked any more."] }
        }
    }

    /// Which documents are meant.
    struct DocumentPattern: ParsableArguments {
        @Argument(
            help: ArgumentHelp(
                "An address, the beginning of some with a slash at its end, or a host.", valueName: "pattern"))
        var text: String
    }
}
