import AdminServer
import CountersignCore
import Foundation
import WebPages

/// `/console/log`: what happened, the newest first.
enum LogPages {
    static let routes: [ConsoleRoute] = [
        .page("log", of: SearchAuditEvents.self, in: .log, isEntry: true) { try await list($0) },
        .page("log/{event}", of: ShowAuditEvent.self, in: .log) { try await show($0) },
        .action(
            "log-accept", AcceptAuditFault.self, in: .log,
            ask: { scene in
                guard let fault = try await scene.perform(ShowAuditSeals(onlyFault: true)).fault,
                    scene.field("seal") == String(fault.seal)
                else { throw scene.gone }
                var question = ConsoleQuestion(
                    title: scene.words("consoleLogAcceptTitle"), text: scene.words("consoleLogAcceptText"),
                    button: scene.words.plain("consoleLogAccept"), isDangerous: true, back: "/console/log")
                question.hidden = [.init(name: "seal", value: String(fault.seal))]
                return question
            },
            make: { scene in
                guard let seal = Int(try scene.typed("seal", placeholder: "1")) else { throw scene.missing }
                return AcceptAuditFault(seal: seal)
            },
            done: { _, _ in .lead(to: "/console/log", notice: "consoleDoneLogAccepted") }),
        .download("log-export", of: SearchAuditEvents.self, in: .log) { try await export($0) },
    ]

    /// Events of a page.
    private static let shown = 50
    /// Calls that make a file, and events that each answers: so a file has 10,000 events at most, and takes a look at 50,000.
    private static let (exportCalls, exportPage) = (10, 1000)

    /// What readers look for: kinds that begin alike, with others that go with them. Every event is in one.
    static let groups: KeyValuePairs = [
        "sign-in": ["sign-in"], "answer": ["answer"], "session": ["session", "backchannel-logout"],
        "user": ["user", "users"], "factor": ["factor", "passkey"], "approval": ["approval", "device-authorization"],
        "consent": ["consent", "terms"], "mail": ["mail", "delivery"], "push": ["push"],
        "client": ["client", "security-check"], "application": ["application", "resource"],
        "client-document": ["client-document"], "settings": ["settings"], "administrator": ["administrator"],
        "machine-token": ["machine-token", "admin-token"], "registration-token": ["registration-token"],
        "group": ["group"], "key": ["key", "master-key"], "extension": ["extension"], "hook": ["hook"],
        "limit": ["limit"], "log": ["log"],
    ]

    // MARK: The list

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let search = search(scene, limit: shown)
        var page = scene.page("console-log", "consoleLog", try await [.search(form(scene)), SealWords.standing(scene)])
        let answer: SearchAuditEvents.Answer
        do {
            answer = try await scene.perform(search)
        } catch let error as AdministrationError where error.code == .notFound || error.isAboutForm {
            // What the form says, such as a user or a time that there is not; the page is there.
            page.problem = scene.problem(error)
            return page
        }
        let names = try await UserNames(answer.events.map(\.userID), scene)
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleLog"),
                    columns: [
                        words.plain("consoleTime"), words.plain("consoleEvent"), words.plain("consoleUser"),
                        words.plain("consoleApplication"), words.plain("consoleSource"),
                    ],
                    rows: answer.events.map { row($0, names, scene) }),
                none: words(answer.next == nil ? "consoleLogNone" : "consoleLogNoneHere")))
        page.blocks.append(
            scene.pager("/console/log", items(scene), before: answer.previous, after: answer.next))
        if answer.previous != nil {
            page.blocks.append(
                .links([.init(words("consoleLogNewest"), to: PagePath("/console/log", items(scene)).text)]))
        }
        if !answer.events.isEmpty {
            page.blocks.append(
                .links([
                    .init(
                        words("consoleLogExport"), to: PagePath("/console/log-export", items(scene)).text,
                        download: "countersign-log.jsonl")
                ]))
            page.blocks.append(
                .text(
                    words(
                        "consoleLogExportText",
                        [
                            "count": .number(exportCalls * exportPage),
                            "seen": .number(exportCalls * SearchAuditEvents.mostEvents),
                        ])))
        }
        page.blocks += scene.command(search)
        return page
    }

    private static func search(_ scene: ConsoleScene, limit: Int) -> SearchAuditEvents {
        SearchAuditEvents(
            user: scene.field("user"), kinds: scene.field("kind").map(kinds), application: scene.field("application"),
            source: scene.field("source"), since: scene.field("since"), until: scene.field("until"),
            before: scene.places.after, after: scene.places.before, limit: limit)
    }

    /// What a group stands for; any other word for itself.
    private static func kinds(_ word: String) -> [String] { groups.first { $0.key == word }?.value ?? [word] }

    /// What is looked for, for links.
    private static func items(_ scene: ConsoleScene) -> [(String, String?)] {
        ["kind", "user", "application", "source", "since", "until"].map { ($0, scene.field($0)) }
    }

    private static func form(_ scene: ConsoleScene) -> PageSearch {
        let words = scene.words
        let kind = scene.field("kind")
        var options: [PageField.Option] = [.init("", words.plain("consoleLogAll"), isChosen: kind == nil)]
        options += groups.map {
            .init($0.key, words.plain(WordFamily.key("logGroup", $0.key)), isChosen: $0.key == kind)
        }
        if let kind, !groups.contains(where: { $0.key == kind }) {
            options.append(.init(kind, PageText.harmless(kind), isChosen: true))
        }
        func field(_ name: String, _ label: String, type: String = "text", value: String? = nil) -> PageField {
            PageField(
                name: name, label: words.plain(label), type: type, value: value ?? scene.field(name),
                autocomplete: "off", isRequired: false, isFirst: false)
        }
        func time(_ name: String, _ label: String) -> PageField {
            // A browser shows no value that is no time, and its user would not see what was refused.
            if let text = scene.field(name), SearchAuditEvents.instant(of: text) == nil { return field(name, label) }
            return field(name, label, type: "datetime-local", value: scene.field(name).flatMap(minutes))
        }
        return PageSearch(
            words.plain("consoleLogFilter"), action: "/console/log",
            fields: [
                .choice(name: "kind", label: words.plain("consoleLogKind"), options: options),
                field("user", "consoleUser"), field("application", "consoleApplication"),
                field("source", "consoleSource"), time("since", "consoleLogSince"),
                time("until", "consoleLogUntil"),
            ], button: words.plain("consoleShow"))
    }

    /// What a link or a person wrote as the browser's field has it: in UTC and without a zone, `2026-11-23T08:00`; with seconds where it has
    /// some.
    private static func minutes(_ text: String) -> String? {
        guard let instant = SearchAuditEvents.instant(of: text) else { return nil }
        let text = instant.formatted(.iso8601).prefix(19)
        return String(text.hasSuffix(":00") ? text.dropLast(3) : text)
    }

    private static func row(_ event: AuditEntry, _ names: UserNames, _ scene: ConsoleScene) -> [PageTable.Cell] {
        return [
            .init(scene.words.instant(event.at.date), to: "/console/log/\(event.id)"),
            .init(
                LogWords.sentence(event, scene), marks: LogWords.marks(of: event, scene)),
            names.cell(event.userID),
            .init(PageText(chosen: event.clientID ?? "–")),
            .init(PageText(chosen: event.source ?? "–")),
        ]
    }

    // MARK: One event

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let operation = ShowAuditEvent(id: scene.parameter("event"))
        let event = try await scene.perform(operation).event
        var facts: [PageBlock.Fact] = [
            .init(words.plain("consoleTime"), scene.words.instant(event.at.date)),
            .init(words.plain("consoleLogKind"), PageText(event.kind)),
        ]
        let by = event.details["by"]?.stringValue
        let names = try await UserNames([event.userID], actors: [by], scene)
        func add(_ label: String, _ value: String?, _ path: String? = nil) {
            guard let value else { return }
            facts.append(
                .init(
                    words.plain(label), PageText(chosen: value),
                    link: path.map { .init(words("consoleShow"), to: $0) }))
        }
        if let id = event.userID {
            facts.append(
                .init(
                    words.plain("consoleUser"), names.text(id),
                    link: names.path(id).map { .init(words("consoleShow"), to: $0) }))
        }
        add("consoleApplication", event.clientID)
        add("consoleSource", event.source)
        if let reason = event.reason {
            facts.append(
                .init(
                    words.plain("consoleReason"),
                    words(
                        "consoleReasonCode",
                        ["reason": .text(FigureWords.reason(reason, scene)), "code": .text(PageText(code: reason))])))
        }
        add("consoleBy", by.map { names.name(actor: $0) }, by.flatMap { names.path(actor: $0) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let json = String(decoding: try encoder.encode(event), as: UTF8.self)
        return scene.page(
            "console-event", LogWords.sentence(event, scene),
            [.facts(facts), .heading("JSON"), .listing(json)] + scene.command(operation))
    }

    // MARK: A file

    /// The last line of a file after which the log goes on.
    private struct Continuation: Encodable {
        let isWhole = false
        /// What `audit:search` takes as `before`.
        let next: String
        /// Where the next file is.
        let path: String
    }

    /// The newest events first, from the place that the query says. What one file does not have is in the next one: its last line says where.
    private static func export(_ scene: ConsoleScene) async throws -> ConsoleDownload {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes: [UInt8] = []
        func add(_ line: some Encodable) throws {
            bytes += try encoder.encode(line)
            bytes.append(UInt8(ascii: "\n"))
        }
        var search = search(scene, limit: exportPage)
        for call in 1...exportCalls {
            let answer = try await scene.perform(search)
            for event in answer.events { try add(event) }
            guard let next = answer.next else { break }
            (search.before, search.after) = (next, nil)
            if call == exportCalls {
                let path = PagePath("/console/log-export", items(scene) + [("after", next)]).text
                try add(Continuation(next: next, path: path))
            }
        }
        return ConsoleDownload(name: "countersign-log.jsonl", type: "application/jsonl; charset=utf-8", bytes: bytes)
    }
}

/// Events in sentences.
enum LogWords {
    /// What happened, in the page's language; the kind itself where no sentence is there for it.
    static func sentence(_ event: AuditEntry, _ scene: ConsoleScene) -> PageText {
        let key = WordFamily.key("event", event.kind)
        return scene.console.options.site.messages.has(key) ? scene.words(key) : PageText(chosen: event.kind)
    }

    /// Why something was refused.
    static func marks(of event: AuditEntry, _ scene: ConsoleScene) -> [PageBlock.Mark] {
        event.reason.map { [.init(FigureWords.reason($0, scene), .alarming)] } ?? []
    }
}
