import AdminServer
import CountersignCore
import Foundation
import ServerHTTP
import WebPages

/// `/console/users-import` and `/console/users-export`: a few users at a time. What is longer goes by the command, which reads a file
/// piece by piece.
enum TransferPages {
    static let routes: [ConsoleRoute] = [
        .action(
            "users-import", ImportUsers.self, in: .users, takesFiles: true,
            repeats: { rehearses($0) },
            ask: { askToImport($0) }, make: { try operation(of: $0) },
            done: { scene, answer in
                .result(
                    at: "/console/users-import/result",
                    try Imported(answer, of: file(of: scene), rehearses(scene)))
            }),
        .page("users-import/result", of: ImportUsers.self, in: .users) { result($0) },
        .action(
            // The browser stays at the page, whose button is there to be pressed again.
            "users-export", ExportUsers.self, in: .users, repeats: { _ in true },
            ask: { scene in
                var question = ConsoleQuestion(
                    title: scene.words("consoleExport"),
                    text: scene.words("consoleExportText", ["count": .number(mostExported)]),
                    button: scene.words.plain("consoleExport"), isDangerous: true, back: "/console/users")
                question.command = ["user", "export", "users.jsonl"]
                return question
            },
            make: { _ in ExportUsers(limit: 500, most: mostExported) },
            done: { scene, first in .file(try await file(scene, first)) }),
    ]

    /// Users whom a browser is given at once.
    private static let mostExported = 5000

    /// What came of an import.
    private struct Imported: Codable, Sendable {
        var isRehearsal: Bool
        var imported: Int
        var replaced: Int
        var alreadyThere: Int
        var refused: [BulkResult.Refused]
        var more: Int

        /// - Parameter file: what was imported. What cannot be read as a user's is told beside what was refused, at its line.
        init(_ answer: ImportUsers.Answer, of file: ImportedFile, _ isRehearsal: Bool) {
            var refused = file.faults
            let lines = file.users.map(\.line)
            refused += answer.refused.map { (lines.indices.contains($0.index) ? lines[$0.index] : 0, $0.reason) }
            refused.sort { $0.line < $1.line }
            self.isRehearsal = isRehearsal
            imported = answer.imported
            replaced = answer.replaced
            alreadyThere = answer.alreadyThere
            (self.refused, more) = BulkResult.told(refused.map { .init("\($0.line)", $0.reason) })
            more += file.furtherFaults
        }
    }

    private static func rehearses(_ scene: ConsoleScene) -> Bool { scene.field("mode") != "import" }

    private static func askToImport(_ scene: ConsoleScene) -> ConsoleQuestion {
        let words = scene.words
        var question = ConsoleQuestion(
            title: words("consoleImport"),
            text: words("consoleImportText", ["count": .number(ImportUsers.mostLines)]),
            button: words.plain("consoleBulkGo"), back: "/console/users")
        // What was typed is not shown again: it may have password hashes.
        var file = PageField.file(name: "file", label: words.plain("consoleImportFile"))
        file.hint = words.plain(
            "consoleImportFileHint", ["count": .words(ConsoleScene.mebibytes(ImportUsers.bodyLimit))])
        question.fields = [
            file,
            .lines(
                name: "lines", label: words.plain("consoleImportLines"), value: nil, maximumLength: 1_000_000,
                isRequired: false),
            .choice(
                name: "mode", label: words.plain("consoleImportMode"),
                options: [
                    .init("look", words.plain("consoleImportLook")),
                    .init("import", words.plain("consoleImportDo"), isChosen: !rehearses(scene)),
                ]),
        ]
        question.fields[1].hint = words.plain("consoleImportHint")
        question.checkbox = .init(
            name: "overwrite", label: words.plain("consoleImportOverwrite"), isChecked: scene.field("overwrite") != nil)
        question.command = ["user", "import", "users.jsonl", "--dry-run"]
        return question
    }

    private static func operation(of scene: ConsoleScene) throws -> ImportUsers {
        ImportUsers(
            lines: try file(of: scene).users.map { SecretText($0.text) },
            overwrite: scene.field("overwrite") != nil, dryRun: rehearses(scene))
    }

    /// What the file has, or what was pasted; nothing before either is there.
    private static func file(of scene: ConsoleScene) throws -> ImportedFile {
        guard scene.isForm else { return ImportedFile() }
        switch (scene.files["file"], scene.field("lines")) {
        case (let file?, nil): return try ImportedFile(file.bytes)
        case (nil, let lines?): return try ImportedFile(lines.utf8)
        case (.some, .some): throw ConsoleProblem(scene.words("consoleImportBoth"))
        case (nil, nil): throw ConsoleProblem(scene.words("consoleImportNobody"))
        }
    }

    private static func result(_ scene: ConsoleScene) -> Page {
        let words = scene.words
        var page = scene.page("console-result", "consoleImportResult")
        guard let result = scene.result(Imported.self) else {
            page.blocks.append(.text(words("consoleNothingFound")))
            return page
        }
        page.blocks.append(.notice(words(result.isRehearsal ? "consoleImportLooked" : "consoleImportDone")))
        page.blocks.append(
            .facts(
                [
                    ("consoleImportNew", result.imported), ("consoleImportReplaced", result.replaced),
                    ("consoleImportThere", result.alreadyThere),
                    ("consoleImportRefused", result.refused.count + result.more),
                ].map { .init(words.plain($0.0), PageText("\($0.1)")) }))
        if !result.refused.isEmpty {
            page.blocks.append(
                .table(
                    PageTable(
                        words.plain("consoleImportRefused"),
                        columns: [words.plain("consoleImportLine"), words.plain("consoleReason")],
                        rows: result.refused.map {
                            [
                                .init(PageText(chosen: $0.what)),
                                .init(words.saying($0.reason)),
                            ]
                        })))
        }
        page.blocks.append(
            .links([
                .init(words("consoleImport"), to: "/console/users-import"),
                .init(words("consoleUsers"), to: "/console/users"),
            ]))
        return page
    }

    private static func file(_ scene: ConsoleScene, _ first: ExportUsers.Answer) async throws -> ConsoleDownload {
        var bytes: [UInt8] = []
        var page = first
        while true {
            for line in page.lines { bytes += Array(line.secret.reveal().utf8) + [UInt8(ascii: "\n")] }
            guard let next = page.next else { break }
            page = try await scene.perform(ExportUsers(after: next, limit: 500, run: page.run))
        }
        return ConsoleDownload(name: "users.jsonl", type: "application/jsonl; charset=utf-8", bytes: bytes)
    }
}
