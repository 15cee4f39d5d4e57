import AdminServer
import CountersignCore
import WebPages

/// `/console/keys`: what signs tokens.
enum KeyPages {
    static let routes: [ConsoleRoute] = [
        .page("keys", of: ListKeys.self, in: .keys, isEntry: true) { try await list($0) },
        .action(
            "keys/rotate", RotateKeys.self, in: .keys,
            ask: { scene in
                ConsoleQuestion(
                    title: scene.words("consoleRotateTitle"), text: scene.words("consoleRotateText"),
                    button: scene.words.plain("consoleRotate"), back: "/console/keys")
            },
            make: { _ in RotateKeys() },
            done: { _, _ in .lead(to: "/console/keys", notice: "consoleDoneRotated") }),
    ]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let keys = try await scene.perform(ListKeys()).keys
        var page = scene.page("console-keys", "consoleKeys")
        page.text = words("consoleKeysText")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleKeys"),
                    columns: [
                        words.plain("consoleKey"), words.plain("consoleAlgorithm"), words.plain("consoleState"),
                        words.plain("consoleMade"), words.plain("consoleUntil"),
                    ],
                    rows: keys.reversed().map { key in
                        [
                            .init(PageText(key.id)), .init(PageText(key.algorithm)),
                            .init(
                                words(key.isActive ? "consoleKeySigns" : "consoleKeyRetired"),
                                marks: []),
                            .init(words.moment(key.createdAt.date, now: scene.now)),
                            .init(key.removedAfter.map { scene.words.instant($0.date) } ?? PageText("–")),
                        ]
                    })))
        if scene.may(RotateKeys.right) {
            page.blocks.append(
                .links([.init(words("consoleRotate"), to: "/console/keys/rotate", isButton: true)]))
        }
        page.blocks += scene.command(ListKeys())
        return page
    }
}
