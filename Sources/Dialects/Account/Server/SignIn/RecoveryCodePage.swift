import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/recovery`: the recovery code that a sign-in has made, for the session that it has made, for a few minutes.
struct RecoveryCodePage: Sendable {
    static let path = "/sign-in/recovery"

    func show(_ scene: inout PageScene) async throws -> Response {
        guard scene.present != nil, let code = scene.visit.note else { return scene.redirect(to: scene.destination) }
        let words = scene.words
        return scene.show(
            Page(
                "code", words("newRecoveryTitle"), words("newRecoveryText"),
                [
                    .code(.init(caption: words.plain("recoveryLabel"), text: code.reveal().inGroups)),
                    .links([.init(words("newRecoveryKept"), to: scene.destination, isButton: true)]),
                ]))
    }
}
