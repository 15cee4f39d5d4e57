import ArgumentParser
import CountersignClient
import Foundation

/// Prints an access token of the user who signed in.
struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print an access token of the last sign-in, renewed where it has to be.",
        discussion: """
            For a call from the shell, as a header:

              curl -H "$(countersign token --header)" https://api.example.com/notes

            A token that is bound to a key (`login --dpop`) needs a proof for each request, which counts once and for a \
            minute. Both headers, for curl to read:

              countersign token --header --url https://api.example.com/notes |
                curl -H @- https://api.example.com/notes

            Sign-ins of several servers or applications are told apart by --issuer and --client-id.

            Exit codes: 0 printed, 1 refused, 2 wrong usage, 3 the server or the vault cannot be reached, 4 no user is \
            signed in, or no longer.
            """)

    /// A token for programs.
    struct Answer: Encodable {
        let accessToken: String
        let type: String
        let scopes: [String]
        /// RFC 3339.
        let expiresAt: String
        /// What a request sends, where it can be said.
        let headers: [String: String]?
    }

    @Option(
        help: ArgumentHelp(
            "The API that the token is for (default: the first one of the sign-in).", valueName: "uri"))
    var resource: String?

    @Flag(help: "Print the header of a request, and not the token alone.")
    var header = false

    @Flag(help: "Renew the token, even if it still counts: an API refused it.")
    var fresh = false

    @Option(help: ArgumentHelp("The address of the request, for a token that is bound to a key.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The method of that request.", valueName: "method"))
    var method = "GET"

    @Option(help: ArgumentHelp("The nonce that the API asked for (DPoP-Nonce).", valueName: "text"))
    var nonce: String?

    @OptionGroup var signIn: SignInOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let url, URL(string: url)?.host == nil { throw ValidationError("--url is the whole address of a request.") }
    }

    func run() async throws {
        guard try await signIn.vault.openExisting() != nil else { throw SignInOptions.noSignIn }
        let session = CountersignSession(
            try signIn.entry(try KeptSignIns.load()).application, storage: KeptSignIns.storage)
        let token = try await session.accessToken(for: resource, isFresh: fresh)
        var headers: [String: String]?
        if let target = url.flatMap({ URL(string: $0) }) {
            headers = try await session.headers(for: method.uppercased(), target, resource: resource, nonce: nonce)
        } else if !token.isBound {
            headers = ["Authorization": "Bearer \(token.text)"]
        } else if header {
            throw CommandFailure(
                .usage, "The token is bound to a key, and needs a proof for its request: name it with --url.")
        }
        let answer = Answer(
            accessToken: token.text, type: token.type, scopes: token.scopes,
            expiresAt: token.expiresAt.formatted(.iso8601),
            headers: headers)
        try output.show(answer) {
            guard header, let headers else { return [token.text] }
            return headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        }
    }
}
