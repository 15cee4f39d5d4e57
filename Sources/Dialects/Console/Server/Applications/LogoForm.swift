import AdminServer
import CountersignCore
import Foundation
import JSON
import ServerHTTP
import WebPages

/// The form of the picture by which people know an application on the pages of a sign-in.
enum LogoForm {
    /// The field of the page that shows what changes: the file, as browsers give none back.
    private static let picture = "picture"
    private static let removal = "remove"

    static func question(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let id = scene.parameter("id")
        let application = try await scene.perform(ShowApplication(id: id)).application
        var question = ConsoleQuestion(
            title: words("consoleLogoTitle", ["id": .chosen(id)]), text: words("consoleLogoText"),
            fields: [.file(name: "file", label: words.plain("consoleLogoFile"))], button: words.plain("consoleSave"),
            back: ApplicationPages.path(of: id))
        if application.oauth.hasLogo {
            question.checkbox = .init(
                name: removal, label: words.plain("consoleLogoRemove"), isChecked: scene.field(removal) != nil)
        }
        question.picture = application.oauth.logo.map(PageAddresses.logo)
        return question
    }

    static func change(_ scene: ConsoleScene) async throws -> SetApplicationLogo {
        let id = scene.parameter("id")
        guard scene.isForm else { return SetApplicationLogo(id: id, png: "") }
        let revision = try await scene.perform(ShowApplication(id: id)).revision
        if scene.field(removal) != nil { return SetApplicationLogo(id: id, png: nil, expecting: revision) }
        guard let bytes = bytes(scene), !bytes.isEmpty else { throw scene.missing }
        return SetApplicationLogo(id: id, png: Data(bytes).base64EncodedString(), expecting: revision)
    }

    private static func bytes(_ scene: ConsoleScene) -> [UInt8]? {
        if let file = scene.files["file"], !file.bytes.isEmpty { return file.bytes }
        return scene.field(picture).flatMap { [UInt8](base64URL: $0) }
    }

    /// The pictures are not shown beside each other: a browser gets none that this server has not written anew.
    static func review(_ scene: ConsoleScene, _ change: SetApplicationLogo) async throws -> ConsoleReview {
        let words = scene.words
        let present = try await scene.perform(change.rehearsal).application
        let bytes = change.png == nil ? nil : bytes(scene)
        guard present.oauth.hasLogo || bytes != nil else { return ConsoleReview(changes: []) }
        let after = bytes.map { words("consoleLogoNew", ["count": .number(($0.count + 1023) / 1024)]) }
        let picture = ConsoleQuestion.Change(
            words.plain("consoleLogo"), from: present.oauth.hasLogo ? words("consoleLogoPresent") : PageText("–"),
            to: after ?? PageText("–"))
        var review = ConsoleReview(changes: [picture])
        review.hidden = bytes.map { [.init(name: Self.picture, value: $0.base64URL)] } ?? []
        return review
    }
}
