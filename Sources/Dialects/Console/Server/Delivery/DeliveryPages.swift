import AdminServer
import CountersignCore
import Foundation
import WebPages

/// `/console/delivery`: mails, pushes and notices on their way.
enum DeliveryPages {
    static let routes: [ConsoleRoute] = [
        .page("delivery", of: ShowDelivery.self, in: .delivery, isEntry: true) { try await show($0) },
        .action(
            "delivery/retry", RetryDelivery.self, in: .delivery,
            ask: { scene in
                let channel = scene.field("channel") ?? ""
                guard OutboxMessage.Channel(rawValue: channel) != nil else { throw scene.gone }
                var question = ConsoleQuestion(
                    title: scene.words(
                        "consoleRetryTitle", ["channel": .text(scene.words(WordFamily.key("channel", channel)))]),
                    text: scene.words("consoleRetryText"),
                    button: scene.words.plain("consoleRetry"), back: "/console/delivery")
                question.hidden = [.init(name: "channel", value: channel)]
                return question
            },
            make: { RetryDelivery(channel: $0.field("channel") ?? "") },
            done: { _, _ in .lead(to: "/console/delivery", notice: "consoleDoneRetried") }),
        .action(
            "delivery/test-mail", SendTestMail.self, in: .delivery,
            ask: { scene in
                var field = PageField(
                    name: "address", label: scene.words.plain("consoleAddress"), type: "email",
                    value: scene.field("address") ?? scene.user.email?.canonical, autocomplete: "email",
                    isInvalid: scene.isForm)
                field.inputMode = "email"
                return ConsoleQuestion(
                    title: scene.words("consoleTestMailTitle"), text: scene.words("consoleTestMailText"),
                    fields: [field], button: scene.words.plain("consoleTestMail"), back: "/console/delivery")
            },
            make: { scene in
                SendTestMail(
                    address: try scene.typed("address", placeholder: scene.user.email?.canonical ?? "anna@example.com"),
                    locale: scene.words.language.rawValue)
            },
            done: { _, _ in .lead(to: "/console/delivery", notice: "consoleDoneTestMail") }),
        .action(
            "delivery/test-push", SendTestPush.self, in: .delivery,
            ask: { scene in
                var field = PageField(
                    name: "device", label: scene.words.plain("consoleTestPushDevice"),
                    value: scene.field("device"), autocomplete: "off",
                    isInvalid: scene.isForm)
                field.hint = scene.words.plain("consoleTestPushHint")
                return ConsoleQuestion(
                    title: scene.words("consoleTestPushTitle"), text: scene.words("consoleTestPushText"),
                    fields: [field], button: scene.words.plain("consoleTestPush"), back: "/console/delivery")
            },
            make: { SendTestPush(device: try $0.typed("device", placeholder: "dev_4fJ2kQ9xLm3a4fJ2")) },
            done: { _, _ in .lead(to: "/console/delivery", notice: "consoleDoneTestPush") }),
    ]

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let answer = try await scene.perform(ShowDelivery())
        var page = scene.page("console-delivery", "consoleDelivery")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleDelivery"),
                    columns: [
                        words.plain("consoleChannel"), words.plain("consoleState"), words.plain("consoleWaitingCount"),
                        words.plain("consoleNextAttempt"), words.plain("consoleAttempts"),
                    ] + (scene.may(RetryDelivery.right) ? [words.plain("consoleAction")] : []),
                    rows: answer.channels.map { channel in
                        let next = channel.next.first
                        return [
                            .init(words(WordFamily.key("channel", channel.channel))),
                            .init(PageText(""), marks: [mark(of: channel, words)].compactMap(\.self)),
                            .init(
                                PageText("\(channel.waiting)"),
                                marks: next.map { $0.attempts > 1 } == true
                                    ? [.init(words("consoleTriedInVain"), .alarming)] : []),
                            .init(next.map { attempt(of: $0, scene) } ?? PageText("–")),
                            .init(PageText(next.map { "\($0.attempts)" } ?? "–")),
                            .init(
                                channel.waiting > 0 ? words("consoleRetry") : PageText("–"),
                                to: channel.waiting > 0
                                    ? PagePath("/console/delivery/retry", [("channel", channel.channel)]).text : nil),
                        ]
                    })))
        page.blocks.append(
            .links(
                [.init(words("consoleMails"), to: "/console/delivery/templates", isButton: true, isSecondary: true)]
                    + (scene.may(SendTestMail.right)
                        ? [
                            .init(
                                words("consoleTestMail"), to: "/console/delivery/test-mail", isButton: true,
                                isSecondary: true),
                            .init(
                                words("consoleTestPush"), to: "/console/delivery/test-push", isButton: true,
                                isSecondary: true),
                        ] : [])))
        page.blocks += try await blocks(of: answer.failures, scene)
        page.blocks += scene.command(ShowDelivery())
        return page
    }

    /// Whether there is where to send; nil where that is not known, or nothing that is set up.
    private static func mark(of channel: ChannelSummary, _ words: Words) -> PageBlock.Mark? {
        guard let isSetUp = channel.isSetUp else { return nil }
        if isSetUp { return .init(words("consoleChannelSetUp"), .good) }
        // Without the push service devices ask for themselves.
        return channel.channel == "push"
            ? .init(words("consoleChannelPolled")) : .init(words("consoleChannelNotSetUp"), .alarming)
    }

    /// What was not delivered, or not answered by an extension, lately.
    private static func blocks(of failures: [AuditEntry], _ scene: ConsoleScene) async throws -> [PageBlock] {
        let words = scene.words
        let names = try await UserNames(failures.map(\.userID), scene)
        let rows = failures.map { event -> [PageTable.Cell] in
            [
                .init(words.instant(event.at.date), to: scene.may(.readLog) ? "/console/log/\(event.id)" : nil),
                .init(LogWords.sentence(event, scene)), .init(reason(of: event, scene)), names.cell(event.userID),
            ]
        }
        let columns = ["consoleTime", "consoleEvent", "consoleReason", "consoleUser"].map { words.plain($0) }
        return [
            .heading(words.plain("consoleFailures")),
            .table(
                PageTable(words.plain("consoleFailures"), columns: columns, rows: rows),
                none: words("consoleFailuresNone")),
        ]
    }

    /// The same of one extension, among the newest failures of all.
    static func blocks(ofExtension id: String, _ scene: ConsoleScene) async throws -> [PageBlock] {
        guard scene.may(ShowDelivery.right) else { return [] }
        let failures = try await scene.perform(ShowDelivery()).failures
        return try await blocks(of: failures.filter { $0.details["extension"]?.stringValue == id }, scene)
    }

    /// Why it failed: in words where there are some, else as the other side has said it.
    private static func reason(of event: AuditEntry, _ scene: ConsoleScene) -> PageText {
        let reason = event.reason ?? event.details["reason"]?.stringValue ?? "–"
        return scene.words.said(reason) ?? FigureWords.reason(reason, scene)
    }

    /// When a message is tried next. One that was due long ago waits for a server that has where to send it.
    private static func attempt(of message: WaitingMessage, _ scene: ConsoleScene) -> PageText {
        let due = message.nextAttemptAt.date
        return due < scene.now - 60 ? scene.words("consoleNowhereToSend") : scene.words.instant(due)
    }
}
