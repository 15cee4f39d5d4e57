import ArgumentParser
import AuthenticatorBook
import CountersignClient
import Foundation
import JSON
import PasskeyAuthenticator

/// Signs the user of the terminal in at a server, for `token`.
struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in at a server, so that `token` has access tokens for its APIs.",
        discussion: """
            A browser on this machine shows the server's pages; the program never sees a password. Two commands call an \
            API:

              countersign login --issuer https://auth.example.com
              curl -H "$(countersign token --header)" https://api.example.com/notes

            Without a browser here, sign in with the one of another device:

              countersign login --device

            Without any browser, by a passkey of this machine: the first command signs in as usual and makes one, the \
            second needs it and the vault's passcode alone.

              countersign login --add-passkey --unattended
              countersign login --passkey

            For an API of its own, name it and its scopes. With --dpop tokens are bound to a key that stays here, so \
            that a stolen one is worth nothing:

              countersign login --scope "openid offline_access api" \\
                --resource http://127.0.0.1/api --dpop

            Tokens are kept in the keychain, on Linux in the vault with a passcode that `countersign authenticator` \
            uses too. A new sign-in takes the place of the one before at the same server.

            Exit codes: 0 signed in, 1 refused or not finished in time, 2 wrong usage, 3 the server or the vault cannot \
            be reached.
            """)

    /// What a sign-in tells programs.
    struct Answer: Encodable {
        let issuer: String
        let clientID: String
        let user: String?
        let scopes: [String]
        let resources: [String]
        /// Whether tokens count with a proof of this machine's key alone.
        let isBound: Bool
        /// Whether `token` can renew them.
        let isRenewable: Bool
    }

    @Option(help: "What to ask for: scopes with spaces between.")
    var scope = "openid offline_access"

    @Option(
        help: ArgumentHelp(
            "The API that tokens are for; can be given several times (default: the server itself).", valueName: "uri"))
    var resource: [String] = []

    @Option(help: ArgumentHelp("The least assurance, such as aal2 for two factors.", valueName: "value"))
    var acr: String?

    @Option(
        name: .customLong("max-age"),
        help: ArgumentHelp(
            "Seconds since you last proved who you are, at most; 0 asks for everything anew.", valueName: "seconds"))
    var maxAge: Int?

    @Flag(help: "Show a code to enter in the browser of another device.")
    var device = false

    @Flag(help: "Print the address, and open no browser.")
    var noBrowser = false

    @Flag(help: "Sign in by a passkey that `countersign authenticator` keeps, without a browser.")
    var passkey = false

    @Option(
        help: ArgumentHelp("Which passkey, where there are several: its id, its name, its user.", valueName: "name"))
    var passkeyName: String?

    @Flag(help: "Make a passkey after the sign-in, for --passkey.")
    var addPasskey = false

    @Flag(help: "Let the new passkey sign without a further prompt, for any process that opens the vault.")
    var unattended = false

    @Flag(help: "Bind tokens to a key of this machine (DPoP).")
    var dpop = false

    @Option(
        help: ArgumentHelp(
            "The path of the registered loopback address.", valueName: "path"))
    var redirectPath = "/callback"

    @Option(help: ArgumentHelp("Seconds to wait for the sign-in.", valueName: "seconds"))
    var timeout = 300

    @OptionGroup(title: "Chip") var chip: ChipOptions
    @OptionGroup var signIn: SignInOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if passkey, device || noBrowser || addPasskey {
            throw ValidationError("--passkey needs no browser: leave out --device, --no-browser and --add-passkey.")
        }
        if passkeyName != nil, !passkey { throw ValidationError("--passkey-name goes with --passkey.") }
        if unattended, !addPasskey { throw ValidationError("--unattended goes with --add-passkey.") }
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age is 0 or more seconds.") }
        if device, maxAge != nil {
            throw ValidationError("--max-age needs a browser of this machine: leave out --device.")
        }
        if device, noBrowser { throw ValidationError("--device opens no browser: leave --no-browser out.") }
        guard redirectPath.hasPrefix("/"), !redirectPath.contains("?") else {
            throw ValidationError("--redirect-path begins with a slash and has no question mark.")
        }
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds.") }
    }

    func run() async throws {
        let book = try await signIn.vault.openPasskeys(passkey || addPasskey ? chip.found : .none)
        var kept = try KeptSignIns.load()
        var scopes = scope.spaceSeparated
        if addPasskey, !scopes.contains(CountersignSession.passkeyScope) {
            scopes.append(CountersignSession.passkeyScope)
        }
        let entry = KeptSignIns.Entry(
            issuer: signIn.issuerOfNew(kept.entries.last),
            clientID: signIn.clientID ?? kept.entries.last?.clientID ?? SignInOptions.development, scopes: scopes,
            resources: resource)
        var application = entry.application
        application.bindsTokens = dpop
        let session = CountersignSession(application, storage: KeptSignIns.storage)
        let request = SignInRequest(acrValues: acr.map { [$0] } ?? [], maxAge: maxAge)
        let user: SignedInUser?
        if passkey {
            let origin = try origin(of: entry.issuer)
            user = try await session.signIn(byPasskey: { [passkeyName] options in
                let request: AssertionRequest
                do { request = try AssertionRequest(parsing: Array(options)) } catch let refusal as AuthenticatorRefusal
                {
                    throw PasskeyBookError.options(refusal)
                }
                return Data(try await book.answer(request, at: origin, by: passkeyName).response.jsonText())
            })
        } else if device {
            user = try await session.signInOnOtherDevice(request) { prompt in
                Terminal.say(
                    "Open \(prompt.verificationURI.printable) on another device and enter the code "
                        + prompt.userCode.printable)
            }
        } else {
            let opens = !noBrowser
            let browser = LoopbackBrowser(path: redirectPath, timeout: Double(timeout)) { url in
                let isOpen = opens && LoopbackBrowser.open(url)
                Terminal.say(
                    isOpen
                        ? "Sign in with the browser. If it shows nothing, open this address on this machine:"
                        : "Open this address in a browser on this machine:")
                Terminal.say(url.absoluteString.printable)
            }
            user = try await session.signIn(by: browser, request)
        }
        try kept.add(entry)
        if addPasskey { try await makePasskey(of: session, in: book, at: origin(of: entry.issuer)) }
        let token = try await session.accessToken()
        let answer = Answer(
            issuer: entry.issuer, clientID: entry.clientID, user: user?.id, scopes: token.scopes,
            resources: resource, isBound: token.isBound, isRenewable: try await session.isRenewable())
        try output.show(answer) {
            ["Signed in at \(entry.issuer.printable)\(user.map { " as \($0.id.printable)" } ?? "")."]
        }
    }

    private func origin(of issuer: String) throws -> CallingOrigin {
        do { return try CallingOrigin(issuer) } catch { throw CommandFailure(.usage, error.description) }
    }

    /// Makes a passkey, which goes again where the server does not take it.
    private func makePasskey(
        of session: CountersignSession, in book: PasskeyBook, at origin: CallingOrigin
    ) async throws {
        let inHardware = try await chip.makesInChip
        let made = MadePasskey()
        do {
            try await session.addPasskey(name: "countersign, \(ProcessInfo.processInfo.hostName)".printable) {
                [unattended] options in
                let request: CreationRequest
                do { request = try CreationRequest(parsing: Array(options)) } catch let refusal as AuthenticatorRefusal
                {
                    throw PasskeyBookError.options(refusal)
                }
                let (passkey, response) = try await book.make(
                    for: request, at: origin, asksEachTime: !unattended, inHardware: inHardware)
                await made.keep(passkey.id)
                return Data(try response.jsonText())
            }
        } catch {
            if let id = await made.id { try? await book.remove(id) }
            throw error
        }
    }
}

/// The passkey that a sign-in has made so far.
private actor MadePasskey {
    private(set) var id: Passkey.ID?

    func keep(_ id: Passkey.ID) { self.id = id }
}
