import AdminServer
import CountersignCore
import Foundation
import WebPages

/// `/console/users-bulk`: what is done to all users who were ticked in the list, as one job with a page that says what came of it.
enum BulkPages {
    static let routes: [ConsoleRoute] = [
        .action(
            "users-bulk", ChangeUsers.self, in: .users, asksFirst: { $0.field(step) != nil },
            ask: { try await ask($0) }, make: { try operation(of: $0) },
            before: { scene, operation in
                guard operation.action == ChangeUsers.Action.delete.rawValue else { return }
                guard scene.field("count").flatMap(Int.init) == operation.users.count else {
                    throw ConsoleProblem(scene.words("consoleBulkCountWrong"))
                }
            },
            done: { scene, answer in
                .result(
                    at: "/console/users-bulk/result",
                    BulkResult(
                        done: answer.done, refused: answer.refused.map { .init($0.user, $0.reason) },
                        left: answer.left?.count))
            }),
        .page("users-bulk/result", of: ChangeUsers.self, in: .users) { try await result($0) },
    ]

    /// What the names of the list's boxes begin with.
    static let box = "user."
    /// The form that they belong to.
    static let form = "ticked"
    /// The field that says that users were only ticked so far.
    private static let step = "step"
    /// Users whom the question names: as many as a page of the list has. Of more it has the ids.
    private static let mostNamed = 50

    /// The form below the list.
    static func chooser(_ scene: ConsoleScene) -> PageBlock {
        let words = scene.words
        return .search(
            PageSearch(
                words.plain("consoleBulk"), action: "/console/users-bulk",
                hidden: [scene.csrf(of: "/console/users-bulk"), .init(name: step, value: "ticked")],
                fields: [
                    .choice(
                        name: "action", label: words.plain("consoleBulk"),
                        options: actions(scene).map { .init($0.rawValue, words.plain($0.label)) })
                ], button: words.plain("consoleBulkGo"), id: form, isPosted: true))
    }

    private static func actions(_ scene: ConsoleScene) -> [ChangeUsers.Action] {
        ChangeUsers.Action.allCases.filter { scene.may($0.right) }
    }

    private static func ticked(_ scene: ConsoleScene) -> [String] {
        scene.fields.keys.filter { $0.hasPrefix(box) }.map { String($0.dropFirst(box.count)) }.sorted()
    }

    private static func operation(of scene: ConsoleScene) throws -> ChangeUsers {
        let users = ticked(scene)
        let action = try scene.typed("action", placeholder: "ACTION")
        guard ChangeUsers.Action(rawValue: action)?.isOfGroup == true else {
            return ChangeUsers(action: action, users: users)
        }
        // The first form says whom it is about; the next one, which group.
        guard scene.field(step) == nil else { return ChangeUsers(action: action, users: users, group: "GROUP") }
        return ChangeUsers(action: action, users: users, group: try scene.typed("group", placeholder: "GROUP"))
    }

    private static func ask(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let users = ticked(scene)
        guard let action = scene.field("action").flatMap(ChangeUsers.Action.init(rawValue:)),
            actions(scene).contains(action), !users.isEmpty
        else {
            return ConsoleQuestion(
                title: words("consoleBulk"), text: words("consoleBulkNobody"), button: "", back: "/console/users")
        }
        var question = ConsoleQuestion(
            title: words("consoleBulkTitle", ["action": .words(words.plain(action.label))]),
            text: words("consoleBulkText", ["count": .number(users.count)]),
            button: words.plain(action.label), isDangerous: action != .enable && action != .addToGroup,
            back: "/console/users")
        question.hidden =
            [.init(name: "action", value: action.rawValue)]
            + users.map { .init(name: box + $0, value: "1") }
        // As the list has named them.
        let names = try await UserNames(users.prefix(mostNamed).map { $0 }, scene)
        question.items = users.map { PageText(chosen: names.name($0)) }
        if action == .delete {
            var field = PageField(
                name: "count", label: words.plain("consoleBulkCount"), autocomplete: "off", maximumLength: 3)
            field.inputMode = "numeric"
            question.fields = [field]
        }
        if action.isOfGroup { question.fields = [try await GroupPages.field(scene)] }
        return question
    }

    private static func result(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        var page = scene.page("console-result", "consoleBulkResult")
        guard let result = scene.result(BulkResult.self) else {
            page.blocks.append(.text(words("consoleNothingFound")))
            return page
        }
        let done = words("consoleBulkDone", ["count": .number(result.done)])
        page.blocks.append(result.done > 0 ? .notice(done) : .text(done))
        if let left = result.left, left > 0 {
            page.blocks.append(.text(words("consoleBulkLeft", ["count": .number(left)])))
        }
        if !result.refused.isEmpty {
            let names = try await UserNames(result.refused.map { $0.what }, scene)
            page.blocks.append(.heading(words.plain("consoleBulkRefused")))
            page.blocks.append(
                .table(
                    PageTable(
                        words.plain("consoleBulkRefused"),
                        columns: [words.plain("consoleUser"), words.plain("consoleReason")],
                        rows: result.refused.map { [names.cell($0.what), .init(words.saying($0.reason))] })))
        }
        if result.more > 0 {
            page.blocks.append(.text(words("consoleBulkMore", ["count": .number(result.more)])))
        }
        page.blocks.append(.links([.init(words("consoleUsers"), to: "/console/users")]))
        return page
    }
}

/// What came of a job.
struct BulkResult: Codable, Sendable {
    struct Refused: Codable, Sendable {
        var what: String
        var reason: String

        /// Characters of a reason: a whole sentence with what it quotes, by which pages find their own words for it.
        private static let longestReason = 320

        init(_ what: String, _ reason: String) {
            self.what = String(what.prefix(128))
            self.reason = String(reason.prefix(Self.longestReason))
        }

        var bytes: Int { what.utf8.count + reason.utf8.count }
    }

    /// Refusals that one page tells.
    static let most = 12
    /// Bytes that they have together: the result travels in an address, for which proxies have 4 KiB.
    static let mostBytes = 2048

    var done: Int
    let refused: [Refused]
    /// How many were refused beside them.
    let more: Int
    /// How many the job did not get to in its time.
    var left: Int?

    /// - Parameter refused: all of them; as many are told as an address holds.
    init(done: Int, refused: [Refused], left: Int? = nil) {
        self.done = done
        self.left = left
        (self.refused, more) = Self.told(refused)
    }

    /// Those that a page tells, and how many there are beside them.
    static func told(_ refused: [Refused]) -> (refused: [Refused], more: Int) {
        var bytes = 0
        let told = refused.prefix(most).prefix { refusal in
            bytes += refusal.bytes
            return bytes <= mostBytes
        }
        return (Array(told), refused.count - told.count)
    }
}

extension ChangeUsers.Action {
    /// The key of what pages call it.
    var label: String {
        switch self {
        case .endSessions: "consoleEndSessions"
        case .resetPassword: "consoleResetByMail"
        case .disable: "consoleDisable"
        case .enable: "consoleEnable"
        case .resetSecondFactors: "consoleResetFactors"
        case .addToGroup: "consoleGroupJoin"
        case .removeFromGroup: "consoleGroupLeave"
        case .delete: "consoleDelete"
        }
    }
}
