import AdminServer
import CountersignCore
import WebPages

/// `/console/administrators`: who has which role.
enum AdministratorPages {
    static let routes: [ConsoleRoute] = [
        .page("administrators", of: ListAdministrators.self, in: .administrators, isEntry: true) {
            try await list($0)
        },
        .action(
            "administrators/grant", GrantRole.self, in: .administrators,
            ask: { try await askToGrant($0) },
            make: { scene in
                GrantRole(
                    user: try scene.typed("user", placeholder: "ID-OR-EMAIL"),
                    role: try scene.typed("role", placeholder: "support"))
            },
            done: { _, _ in .lead(to: "/console/administrators", notice: "consoleDoneGranted") }),
        .action(
            "administrators/{user}/revoke", RevokeRole.self, in: .administrators,
            ask: { scene in
                let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
                let trial = try await scene.perform(RevokeRole(user: user.id).rehearsal)
                var said = scene.words("consoleRevokeRoleText")
                if trial.liftsSecondFactor == true {
                    said = scene.words("consoleRevokeRoleLifts", ["text": .text(said)])
                }
                return ConsoleQuestion(
                    title: scene.words("consoleRevokeRole", ["user": .chosen(user.shownName)]),
                    text: try await scene.text(said, withTokensOf: user.id),
                    button: scene.words.plain("consoleRevoke"), isDangerous: true, back: "/console/administrators")
            },
            make: { RevokeRole(user: $0.parameter("user")) },
            done: { _, _ in .lead(to: "/console/administrators", notice: "consoleDoneRevoked") }),
    ]

    private static func askToGrant(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        var question = ConsoleQuestion(
            title: words("consoleGrantRole"), text: words("consoleGrantRoleText"), fields: [.user(scene)],
            button: words.plain("consoleGrant"), back: "/console/administrators")
        let chosen = scene.field("role") ?? AdministratorRole.support.rawValue
        question.choices = PageForm.Choices(
            legend: words.plain("consoleRole"), name: "role",
            options: AdministratorRole.allCases.map { role in
                .init(
                    id: "role-\(role.rawValue)", value: role.rawValue, label: words(role.label),
                    hint: words.plain(role.hint), isChecked: role.rawValue == chosen)
            })
        return question
    }

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListAdministrators(limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        let changes = scene.may(.changeAdministrators)
        let names = try await UserNames(actors: answer.administrators.map(\.grantedBy), scene)
        var page = scene.page("console-administrators", "consoleAdministrators")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleAdministrators"),
                    columns: ["consoleUser", "consoleRole", "consoleSince", "consoleGrantedBy"].map {
                        words.plain($0)
                    } + (changes ? [words.plain("consoleRevoke")] : []),
                    rows: answer.administrators.map { administrator in
                        let user = administrator.user
                        let role = AdministratorRole(rawValue: administrator.role)
                        return [
                            .init(
                                PageText(chosen: user.shownName), to: ConsolePath.to("users", user.id),
                                marks: user.isDisabled ? [.init(words("consoleDisabled"), .alarming)] : []),
                            .init(role.map { words($0.label) } ?? PageText(chosen: administrator.role)),
                            .init(words.instant(administrator.since.date)),
                            names.cell(actor: administrator.grantedBy, words),
                            .init(
                                words("consoleRevoke"), to: ConsolePath.to("administrators", user.id, "revoke")),
                        ]
                    }), none: words("consoleNone")))
        page.blocks.append(scene.pager("/console/administrators", before: answer.previous, after: answer.next))
        if changes {
            page.blocks.append(
                .links([.init(words("consoleGrantRole"), to: "/console/administrators/grant", isButton: true)]))
        }
        page.blocks += scene.command(operation)
        return page
    }
}

extension AdministratorRole {
    /// The key of what it is for.
    fileprivate var hint: String {
        switch self {
        case .owner: "roleOwnerHint"
        case .operator: "roleOperatorHint"
        case .support: "roleSupportHint"
        case .auditor: "roleAuditorHint"
        }
    }
}
