import AdminServer
import CountersignCore
import Foundation
import WebPages

/// `/console/keys`: what signs tokens.
enum KeyPages {
    static let routes: [ConsoleRoute] = [
        .page("keys", of: ListKeys.self, in: .keys, isEntry: true) { try await list($0) },
        .action(
            "keys/rotate", RotateKeys.self, in: .keys,
            ask: { scene in
                var question = ConsoleQuestion(
                    title: scene.words("consoleRotateTitle"), text: scene.words("consoleRotateText"),
                    button: scene.words.plain("consoleRotate"), back: "/console/keys")
                let signing = try await scene.perform(ListKeys()).keys.filter(\.isActive).map(\.id)
                question.hidden = [.init(name: signingField, value: signing.joined(separator: " "))]
                return question
            },
            // A form that is sent again, as after "back", replaces no keys that its page did not show.
            make: { scene in
                RotateKeys(expecting: scene.isForm ? (scene.field(signingField) ?? "").typedWords : nil)
            },
            done: { _, _ in .lead(to: "/console/keys", notice: "consoleDoneRotated") }),
        .action(
            "keys/{kid}/retire", RetireKey.self, in: .keys,
            ask: { scene in
                let id = scene.parameter("kid")
                guard try await scene.perform(ListKeys()).keys.contains(where: { $0.id == id }) else {
                    throw AdministrationError(.notFound, "")
                }
                return ConsoleQuestion(
                    title: scene.words("consoleRetireTitle"),
                    text: scene.words("consoleRetireText", ["key": .chosen(id)]),
                    button: scene.words.plain("consoleRetire"), isDangerous: true, back: "/console/keys")
            },
            make: { RetireKey(id: $0.parameter("kid")) },
            done: { _, _ in .lead(to: "/console/keys", notice: "consoleDoneRetired") }),
    ]

    /// The ids of the keys that sign as the page is shown.
    private static let signingField = "signing"

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let answer = try await scene.perform(ListKeys())
        let mayChange = scene.may(RetireKey.right)
        var page = scene.page("console-keys", "consoleKeys")
        page.text = words("consoleKeysText")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleKeys"),
                    columns: [
                        words.plain("consoleKey"), words.plain("consoleAlgorithm"), words.plain("consoleState"),
                        words.plain("consoleKeyAge"), words.plain("consoleUntil"),
                    ] + (mayChange ? [words.plain("consoleAction")] : []),
                    rows: answer.keys.reversed().map { key in
                        let isOut = key.removedAfter.map { $0.date <= scene.now } ?? false
                        let age = scene.now.timeIntervalSince(key.createdAt.date)
                        return [
                            .init(PageText(key.id)), .init(PageText(key.algorithm)),
                            .init(
                                PageText(""),
                                marks: [
                                    key.isActive
                                        ? .init(words("consoleKeySigns"), .good)
                                        : .init(words(isOut ? "consoleKeyOut" : "consoleKeyRetired"))
                                ]),
                            .init(words.duration(age)),
                            .init(key.removedAfter.map { words.instant($0.date) } ?? PageText("–")),
                        ]
                            + (mayChange
                                ? [
                                    isOut
                                        ? .init(PageText(""))
                                        : .init(words("consoleRetire"), to: ConsolePath.to("keys", key.id, "retire"))
                                ] : [])
                    })))
        if mayChange {
            page.blocks.append(
                .links([.init(words("consoleRotate"), to: "/console/keys/rotate", isButton: true)]))
        }
        page.blocks += uses(answer, words) + masterKey(answer.masterKey, scene)
        page.blocks += scene.command(ListKeys())
        return page
    }

    /// What is signed by which key.
    private static func uses(_ answer: ListKeys.Answer, _ words: Words) -> [PageBlock] {
        [
            .heading(words.plain("consoleKeyUses")), .text(words("consoleKeyUsesText")),
            .table(
                PageTable(
                    words.plain("consoleKeyUses"),
                    columns: [
                        words.plain("consoleProtocol"), words.plain("consoleAlgorithm"), words.plain("consoleKey"),
                    ],
                    rows: answer.uses.map { use in
                        let key = answer.keys.last { $0.isActive && $0.algorithm == use.algorithm }
                        return [
                            .init(words(WordFamily.key("dialect", use.dialect))), .init(PageText(use.algorithm)),
                            .init(PageText(key?.id ?? "–")),
                        ]
                    })),
        ]
    }

    /// What secrets are sealed under in the database. It is in no database itself, and is replaced by a command beside the servers.
    private static func masterKey(_ key: MasterKeySummary, _ scene: ConsoleScene) -> [PageBlock] {
        let words = scene.words
        return [
            .heading(words.plain("consoleMasterKey")), .text(words("consoleMasterKeyText")),
            .facts([
                .init(words.plain("consoleKey"), PageText(key.id)),
                .init(
                    words.plain("consoleMasterKeySince"),
                    key.since.map { words.instant($0.date) } ?? PageText("–"),
                    mark: key.since.map { .init(words.duration(scene.now.timeIntervalSince($0.date))) }),
            ]),
            .table(
                PageTable(
                    words.plain("consoleServers"),
                    columns: [
                        words.plain("consoleServerName"), words.plain("consoleSeen"),
                        words.plain("consoleMasterKeyKnown"),
                    ],
                    rows: key.servers.map { server in
                        [
                            .init(PageText(chosen: server.name)),
                            .init(words.moment(server.seenAt.date, now: scene.now)),
                            .init(
                                PageText(""),
                                marks: [
                                    server.knowsIt
                                        ? .init(words("consoleYes"), .good) : .init(words("consoleNo"), .alarming)
                                ]),
                        ]
                    })),
            .command(
                PageCommand(words.plain("consoleMasterKeyCommand"), "countersign key rotate-master")),
        ]
    }
}
