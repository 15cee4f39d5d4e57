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
            plainLimit: ImportUsers.bodyLimit * 3 / 2,
            ask: { askToImport($0) }, make: { try operation(of: $0) }, review: { try await review($0, $1) },
            done: { scene, answer in
                .result(at: "/console/users-import/result", try Imported(answer, of: file(of: scene)))
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
        var imported: Int
        var replaced: Int
        var alreadyThere: Int
        var refused: [BulkResult.Refused]
        var more: Int

        /// - Parameter file: what was imported. What cannot be read as a user's is told beside what was refused, at its line.
        init(_ answer: ImportUsers.Answer, of file: ImportedFile) {
            var refused = file.faults
            let lines = file.users.map(\.line)
            refused += answer.refused.map { (lines.indices.contains($0.index) ? lines[$0.index] : 0, $0.reason) }
            refused.sort { $0.line < $1.line }
            imported = answer.imported
            replaced = answer.replaced
            alreadyThere = answer.alreadyThere
            (self.refused, more) = BulkResult.told(refused.map { .init("\($0.line)", $0.reason) })
            more += file.furtherFaults
        }
    }

    /// The field of the page that shows what an import would do: what was chosen or pasted, sealed, as it may have password hashes.
    private static let carried = "carried"
    /// What was sealed for the import, and for nothing else.
    private static let purpose = "users-import"

    private static func askToImport(_ scene: ConsoleScene) -> ConsoleQuestion {
        let words = scene.words
        var question = ConsoleQuestion(
            title: words("consoleImport"),
            text: words("consoleImportText", ["count": .number(ImportUsers.mostLines)]),
            button: words.plain("consoleImportLook"), back: "/console/users")
        // What was typed is not shown again: it may have password hashes.
        var file = PageField.file(name: "file", label: words.plain("consoleImportFile"))
        file.hint = words.plain(
            "consoleImportFileHint", ["count": .words(ConsoleScene.mebibytes(ImportUsers.bodyLimit))])
        question.fields = [
            file,
            .lines(
                name: "lines", label: words.plain("consoleImportLines"), value: nil, maximumLength: 1_000_000,
                isRequired: false),
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
            overwrite: scene.field("overwrite") != nil)
    }

    /// What an import would do, and the button that does it.
    private static func review(_ scene: ConsoleScene, _ operation: ImportUsers) async throws -> ConsoleReview {
        let words = scene.words
        let found = Imported(try await scene.perform(operation.rehearsal), of: try file(of: scene))
        let count = found.imported + found.replaced
        var review = ConsoleReview(changes: [])
        review.text = words(count > 0 ? "consoleImportLooked" : "consoleImportNothing")
        review.blocks = blocks(of: found, words)
        review.button = words.plain("consoleImportThese", ["count": .number(count)])
        review.isForNothing = count == 0
        review.isDangerous = found.replaced > 0
        review.dropped = ["lines", carried]
        if count > 0 {
            let sealed = try scene.visit.carrying(
                try bytes(of: scene), for: purpose, at: scene.now, scene.realm.random)
            review.hidden = [.init(name: carried, value: sealed ?? "")]
        }
        return review
    }

    private static func file(of scene: ConsoleScene) throws -> ImportedFile { try ImportedFile(bytes(of: scene)) }

    /// What the file has, or what was pasted, or what a form carries of either; nothing before one is there.
    private static func bytes(of scene: ConsoleScene) throws -> [UInt8] {
        guard scene.isForm else { return [] }
        if let sealed = scene.field(carried) {
            guard let bytes = scene.visit.carried(in: sealed, for: purpose, at: scene.now) else {
                throw ConsoleProblem(scene.words("consoleImportOver"))
            }
            return bytes
        }
        switch (scene.files["file"], scene.field("lines")) {
        case (let file?, nil): return file.bytes
        case (nil, let lines?):
            guard lines.utf8.count <= ImportUsers.bodyLimit else {
                let limit = ConsoleScene.mebibytes(ImportUsers.bodyLimit)
                throw ConsoleProblem(scene.words("consoleTooLarge", ["count": .words(limit)]))
            }
            return Array(lines.utf8)
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
        page.blocks.append(.notice(words("consoleImportDone")))
        page.blocks += blocks(of: result, words)
        page.blocks.append(
            .links([
                .init(words("consoleImport"), to: "/console/users-import"),
                .init(words("consoleUsers"), to: "/console/users"),
            ]))
        return page
    }

    private static func blocks(of result: Imported, _ words: Words) -> [PageBlock] {
        var blocks: [PageBlock] = [
            .facts(
                [
                    ("consoleImportNew", result.imported), ("consoleImportReplaced", result.replaced),
                    ("consoleImportThere", result.alreadyThere),
                    ("consoleImportRefused", result.refused.count + result.more),
                ].map { .init(words.plain($0.0), PageText("\($0.1)")) })
        ]
        if !result.refused.isEmpty {
            blocks.append(
                .table(
                    PageTable(
                        words.plain("consoleImportRefused"),
                        columns: [words.plain("consoleImportLine"), words.plain("consoleReason")],
                        rows: result.refused.map {
                            [.init(PageText(chosen: $0.what)), .init(words.saying($0.reason))]
                        })))
        }
        if result.more > 0 { blocks.append(.text(words("consoleImportMore", ["count": .number(result.more)]))) }
        return blocks
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
