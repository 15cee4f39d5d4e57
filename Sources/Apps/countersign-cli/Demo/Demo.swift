import ArgumentParser
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `countersign demo`: the whole story in the terminal.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play the whole story in the terminal, against a server that it starts itself.",
        discussion: """
            A user signs up, confirms the address, enrols an authenticator by its QR code, signs in with password and
            code, is refused with a wrong and with a used code, takes the second factor off and signs out. Nothing is
            left behind: the server and its data live in a temporary directory.

            Exit status: 0 only if every step did what it says; 1 otherwise.
            """)

    @Flag(help: "Print one JSON object a step.")
    var json = false

    func run() async throws {
        let narrator = DemoNarrator(
            write: { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) },
            asJSON: json, isColoured: !json && isatty(STDOUT_FILENO) == 1)
        do {
            try await DemoStage.run { stage in
                if !json {
                    narrator.show("A server listens on \(stage.url.absoluteString), for as long as this lasts.")
                }
                try await SecondFactorAct(stage: stage, narrator: narrator).play()
            }
            if !json { narrator.write("\nEverything did what it says.") }
        } catch {
            if !json { FileHandle.standardError.write(Data("\nThe demonstration broke off: \(error)\n".utf8)) }
            throw ExitCode(1)
        }
    }
}
