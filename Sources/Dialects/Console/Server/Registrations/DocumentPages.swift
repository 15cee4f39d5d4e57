import AdminServer
import CountersignCore
import WebPages

/// `/console/registrations-documents`: documents by which applications are known.
enum DocumentPages {
    static let path = "/console/registrations-documents"

    static let routes: [ConsoleRoute] = [
        .page("registrations-documents", of: ListClientDocuments.self, in: .registrations) { try await list($0) },
        .action(
            "registrations-documents/forget", ForgetClientDocument.self, in: .registrations,
            ask: { scene in
                let id = scene.field("document") ?? ""
                guard try await scene.realm.clientDocuments.keeps(ClientID(rawValue: id)) else { throw scene.gone }
                var question = ConsoleQuestion(
                    title: scene.words("consoleDocumentForgetTitle", ["id": .chosen(id)]),
                    text: scene.words("consoleDocumentForgetText"), button: scene.words.plain("consoleDocumentForget"),
                    isDangerous: true, back: path)
                question.hidden = [.init(name: "document", value: id)]
                return question
            },
            make: { ForgetClientDocument(id: $0.field("document") ?? "") },
            done: { _, _ in .lead(to: path, notice: "consoleDoneRemoved") }),
        .action(
            "registrations-documents/block", BlockClientDocuments.self, in: .registrations,
            ask: { scene in
                ConsoleQuestion(
                    title: scene.words("consoleDocumentBlock"), text: scene.words("consoleDocumentBlockText"),
                    fields: [
                        PageField(
                            name: "pattern", label: scene.words.plain("consoleDocumentPattern"),
                            value: scene.field("pattern"), autocomplete: "off", maximumLength: ClientDocumentID.longest)
                    ], button: scene.words.plain("consoleDocumentBlock"), isDangerous: true, back: path)
            },
            make: { BlockClientDocuments(pattern: try $0.typed("pattern", placeholder: "app.example")) },
            done: { _, _ in .lead(to: path, notice: "consoleDoneAdded") }),
        .action(
            "registrations-documents/unblock", BlockClientDocuments.self, in: .registrations,
            ask: { scene in
                let pattern = scene.field("pattern") ?? ""
                let blocked = try await scene.perform(ListClientDocuments(limit: 1)).blocked
                guard blocked.contains(pattern) else { throw scene.gone }
                var question = ConsoleQuestion(
                    title: scene.words("consoleDocumentUnblock"),
                    text: scene.words("consoleDocumentUnblockText", ["pattern": .chosen(pattern)]),
                    button: scene.words.plain("consoleDocumentUnblock"), back: path)
                question.hidden = [.init(name: "pattern", value: pattern)]
                return question
            },
            make: { BlockClientDocuments(pattern: $0.field("pattern") ?? "", lift: true) },
            done: { _, _ in .lead(to: path, notice: "consoleDoneDocumentUnblocked") }),
    ]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListClientDocuments(limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        let changes = scene.may(ForgetClientDocument.right)
        var page = scene.page("console-documents", "consoleDocuments")
        page.text = words("consoleDocumentsText", ["mode": .chosen(answer.mode)])
        page.blocks.append(RegistrationPages.tabs(at: path, scene))
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleDocuments"),
                    columns: [
                        "consoleApplication", "consoleHost", "consoleDocumentRead", "consoleDocumentUntil",
                    ].map { words.plain($0) } + (changes ? [words.plain("consoleDocumentForget")] : []),
                    rows: answer.documents.map { row($0, changes, scene) }), none: words("consoleDocumentsNone")))
        page.blocks.append(scene.pager(path, before: answer.previous, after: answer.next))
        if !answer.blocked.isEmpty {
            page.blocks.append(.heading(words.plain("consoleDocumentBlocked")))
            page.blocks.append(
                .items(
                    answer.blocked.map { pattern in
                        .init(
                            PageText(chosen: pattern),
                            links: changes
                                ? [
                                    .init(
                                        words("consoleDocumentUnblock"),
                                        to: PagePath(path + "/unblock", [("pattern", pattern)]).text)
                                ] : [])
                    }))
        }
        if changes {
            page.blocks.append(
                .links([.init(words("consoleDocumentBlock"), to: path + "/block", isButton: true)]))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func row(
        _ document: ClientDocumentSummary, _ changes: Bool, _ scene: ConsoleScene
    ) -> [PageTable.Cell] {
        let words = scene.words
        let isTaken = document.isAdmitted && !document.isDisabled
        return [
            .init(
                PageText(chosen: document.displayName ?? document.id), to: ApplicationPages.path(of: document.id),
                marks: isTaken ? [] : [.init(words("consoleDocumentBlocked"), .alarming)]),
            .init(PageText(address: document.host)), .init(words.instant(document.readAt.date)),
            .init(words.instant(document.freshUntil.date)),
        ]
            + (changes
                ? [
                    .init(
                        words("consoleDocumentForget"),
                        to: PagePath(path + "/forget", [("document", document.id)]).text)
                ] : [])
    }
}
