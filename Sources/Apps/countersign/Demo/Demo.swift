import ArgumentParser
import Foundation

/// `countersign demo`: the whole story in the terminal.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a demonstration in the terminal, against a server that it starts itself.",
        discussion: """
            A user signs up, confirms the address, enrols an authenticator by its QR code, signs in with password and \
            code, is refused with a wrong and with a used code, takes the second factor off and signs out. Then a terminal \
            authenticator enrols, a sign-in waits for it, is shown and allowed, and the next is rejected with a reason \
            that the log shows. Then a user signs up and in with mailed codes, and an app asks for a balance that a PIN \
            protects. Servers and data live in temporary directories, which are removed.

            The story plays by itself. With --pause it waits at the QR codes until Return is pressed, so that an \
            authenticator of your own can scan the first one and shows the code that follows.

              countersign demo --pause

            Exit status: 0 only if every step did what it says; 1 otherwise.
            """)

    @Flag(help: "Print one JSON object a step.")
    var json = false

    @Flag(help: "Wait for Return at the QR codes.")
    var pause = false

    func validate() throws {
        if json && pause { throw ValidationError("Give one of --json and --pause: programs scan no QR codes.") }
    }

    func run() async throws {
        let narrator = DemoNarrator(
            asJSON: json, isColoured: !json && Terminal.showsColours,
            waitForReader: pause ? Self.waitForReturn : nil,
            output: { try Terminal.emit($0) })
        do {
            let keychain = try await DemoKeychain()
            defer { keychain.remove() }
            try await onStage(narrator) { try await SecondFactorAct(stage: $0, narrator: narrator).play() }
            // On a server of its own: the first act has moved its server's clock, and devices sign with the time of this
            // machine.
            try await onStage(narrator) { try await RequestAct(stage: $0, narrator: narrator).play() }
            try await onStage(narrator) { try await MailedCodeAct(stage: $0, narrator: narrator).play() }
            try await onStage(narrator) { try await ScopeAct(stage: $0, narrator: narrator).play() }
            if !json { narrator.write("\nEverything did what it says.") }
        } catch let failure as OutputFailure {
            throw failure
        } catch {
            if !json { Terminal.say("\nThe demonstration broke off: \(error)") }
            throw ExitCode(1)
        }
    }

    /// On a thread of its own, as the server goes on meanwhile. The end of the input counts as Return.
    @Sendable private static func waitForReturn() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = readLine()
                continuation.resume()
            }
        }
    }

    private func onStage(
        _ narrator: DemoNarrator, _ act: @escaping @Sendable (DemoStage) async throws -> Void
    ) async throws {
        try await DemoStage.run { stage in
            narrator.show("A server listens on \(stage.url.absoluteString), for as long as this act lasts.")
            try await act(stage)
        }
    }
}
