import AdminServer
import CountersignCore
import WebPages

/// `/console/delivery/templates`: what mails say, in each language, with made-up values.
enum MailPages {
    static let routes: [ConsoleRoute] = [
        .page("delivery/templates", of: ListMailTemplates.self, in: .delivery) { try await list($0) },
        .page("delivery/templates/{template}", of: PreviewMail.self, in: .delivery) { try await preview($0) },
    ]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let templates = try await scene.perform(ListMailTemplates()).templates
        var page = scene.page("console-mails", "consoleMails")
        page.text = words("consoleMailsText")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleMails"),
                    columns: [
                        words.plain("consoleMail"), words.plain("consoleLanguages"), words.plain("consoleMailOwn"),
                    ],
                    rows: templates.map { template in
                        let own = template.wordings.filter { $0.replacedAt != nil }
                        return [
                            .init(
                                PageText(template.name), to: ConsolePath.to("delivery", "templates", template.name)),
                            .init(PageText(chosen: template.wordings.map(\.language).joined(separator: ", "))),
                            .init(
                                PageText(""),
                                marks: own.isEmpty
                                    ? [.init(words("consoleMailBuiltIn"))]
                                    : own.map { .init(PageText(chosen: $0.language), .good) }),
                        ]
                    })))
        page.blocks += scene.commandAtServer(ListMailTemplates())
        return page
    }

    private static func preview(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let name = scene.parameter("template")
        let operation = PreviewMail(template: name, locale: scene.field("language") ?? words.language.rawValue)
        let mail = try await scene.perform(operation)
        let wordings = try await scene.perform(ListMailTemplates()).templates.first { $0.name == name }?.wordings ?? []
        var page = scene.page("console-mail", PageText(chosen: name))
        page.text = words("consoleMailText")
        page.blocks.append(
            .tabs(
                .init(
                    words.plain("consoleMailLanguages"),
                    wordings.map {
                        .init(
                            $0.language,
                            to: PagePath(
                                ConsolePath.to("delivery", "templates", name), [("language", $0.language)]
                            ).text, isPresent: $0.language == mail.language)
                    })))
        var facts: [PageBlock.Fact] = [.init(words.plain("consoleMailSubject"), PageText(chosen: mail.subject))]
        let wording = wordings.first { $0.language == mail.language }
        facts.append(
            .init(
                words.plain("consoleMailWords"),
                wording?.replacedAt.map { replaced in
                    words("consoleMailReplaced", ["time": .text(words.instant(replaced.date))])
                } ?? words("consoleMailBuiltIn")))
        page.blocks += [
            .facts(facts), .listing(mail.text),
            .links([.init(words("consoleMails"), to: "/console/delivery/templates")]),
        ]
        page.blocks += scene.commandAtServer(operation)
        return page
    }
}
