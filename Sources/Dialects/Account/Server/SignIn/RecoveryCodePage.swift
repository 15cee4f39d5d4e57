import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/recovery`: the recovery codes that a sign-in has made, for the session that it has made, for a few minutes. They are a list
/// like that of the account's own page, whether the sign-in has set up a factor or used up the last code.
struct RecoveryCodePage: Sendable {
    static let path = "/sign-in/recovery"

    func show(_ scene: inout PageScene) async throws -> Response {
        guard scene.present != nil, let codes = scene.note(.recoveryCodes) else {
            return scene.redirect(to: scene.destination)
        }
        let words = scene.words
        return scene.show(
            Page(
                "recovery", words("newRecoveryTitle"), words("newRecoveryText"),
                [
                    .codes(codes.map(\.inGroups)), .text(words("recoveryCodesPrint")),
                    .links([
                        .init(words("newRecoveryKept"), to: scene.destination, isButton: true),
                        .init(
                            words("recoveryCodesFile"), to: RecoveryCodesPage.file, isButton: true, isSecondary: true,
                            download: "recovery-codes.txt"),
                    ]),
                ]))
    }
}
