import ArgumentParser
import CountersignClient
import Foundation

/// Ends a sign-in of `login`.
struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the last sign-in: its tokens are revoked at the server, and forgotten here.",
        discussion: """
            Where the server cannot be reached the tokens are forgotten all the same, and the program says so and ends \
            with 3: access tokens that were copied count until they expire.

            The sign-in of the browser goes on; sign out there, too.

            Exit codes: 0 done, 1 failed, 2 wrong usage, 3 the server or the vault cannot be reached, 4 no user is \
            signed in.
            """)

    struct Answer: Encodable {
        let issuer: String
        let clientID: String
        let isRevoked: Bool
    }

    @OptionGroup var signIn: SignInOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard try await signIn.vault.openExisting() != nil else { throw SignInOptions.noSignIn }
        var kept = try KeptSignIns.load()
        let entry = try signIn.entry(kept)
        let session = CountersignSession(entry.application, storage: KeptSignIns.storage)
        let isRevoked = try await session.signOut()
        try kept.drop(entry)
        try output.show(Answer(issuer: entry.issuer, clientID: entry.clientID, isRevoked: isRevoked)) {
            isRevoked ? ["Signed out of \(entry.issuer.printable)."] : []
        }
        guard isRevoked else {
            throw CommandFailure(
                .unreachable,
                "The tokens are forgotten here, but \(entry.issuer) could not revoke them. Tokens that were copied count "
                    + "until they expire.")
        }
    }
}
