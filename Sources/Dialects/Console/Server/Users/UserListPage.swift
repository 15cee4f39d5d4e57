import AdminServer
import CountersignCore
import WebPages

/// `/console/users`: the list of users with its search, and adding one.
enum UserListPage {
    static let routes: [ConsoleRoute] = [
        .page("users", of: SearchUsers.self, in: .users, isEntry: true) { try await list($0) },
        .action(
            "users-add", AddUser.self, in: .users,
            ask: { ask($0) },
            make: { scene in
                AddUser(
                    email: try scene.typed("email", placeholder: "ADDRESS"),
                    generatesPassword: scene.field("generate") != nil, displayName: scene.field("display_name"),
                    locale: scene.field("locale"), emailVerified: scene.field("verified") != nil,
                    id: scene.field("id"))
            },
            done: { _, answer in
                .lead(
                    to: ConsolePath.to("users", answer.user.id), notice: "consoleDoneAdded",
                    secret: answer.password?.secret)
            }),
        .action(
            "users-invite", InviteUser.self, in: .users,
            ask: { scene in
                // Mostly that of the administrator who invites.
                let chosen = scene.field("locale") ?? scene.words.language.rawValue
                return ConsoleQuestion(
                    title: scene.words("consoleUserInvite"), text: scene.words("consoleUserInviteText"),
                    fields: [
                        PageField(
                            name: "email", label: scene.words.plain("consoleAddress"), type: "email",
                            value: scene.field("email"), autocomplete: "off", maximumLength: 254),
                        .choice(
                            name: "locale", label: scene.words.plain("consoleLanguage"),
                            options: PageLanguage.allCases.map {
                                .init($0.rawValue, $0.ownName, isChosen: $0.rawValue == chosen)
                            }),
                    ], button: scene.words.plain("consoleUserInvite"), back: "/console/users")
            },
            make: { scene in
                InviteUser(email: try scene.typed("email", placeholder: "ADDRESS"), locale: scene.field("locale"))
            },
            done: { _, _ in .lead(to: "/console/users", notice: "consoleDoneMailed") }),
    ]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let (text, filter) = (scene.field("q"), scene.field("filter"))
        // What is searched for, and the few with a role, have an order of their own.
        let isSorted = text == nil && filter.flatMap(AdministratorRole.init(rawValue:)) == nil
        let sort = isSorted ? scene.field("sort") : nil
        let places = scene.places
        let size = sizes.first { scene.field("size") == "\($0)" } ?? ConsoleScene.pageLength
        let operation = SearchUsers(
            text: text, filter: filter, sort: sort, after: places.after, before: places.before, limit: size)
        let answer = try await scene.perform(operation)
        var page = scene.page("console-users", "consoleUsers")
        page.blocks.append(search(text, filter, sort, size, scene))
        if let estimate = answer.estimate { page.blocks.append(.text(said(estimate, words))) }
        page.blocks += PageBlock.found(
            table(answer.users, scene), isPartial: answer.isPartial, none: "consoleNoUsers",
            soFar: "consoleNoneSoFar", scene)
        page.blocks.append(
            scene.pager(
                "/console/users",
                [
                    ("q", text), ("filter", filter), ("sort", sort),
                    ("size", size == ConsoleScene.pageLength ? nil : "\(size)"),
                ], before: answer.previous, after: answer.next))
        if scene.may(ChangeUsers.right), !answer.users.isEmpty { page.blocks.append(BulkPages.chooser(scene)) }
        var links: [PageBlock.Link] = []
        if scene.may(.changeUsers) {
            links = [
                .init(words("consoleUserAdd"), to: "/console/users-add", isButton: true),
                .init(words("consoleUserInvite"), to: "/console/users-invite", isButton: true, isSecondary: true),
            ]
        }
        if scene.may(.transferUsers) {
            links += [("consoleImport", "users-import"), ("consoleExport", "users-export")].map { label, path in
                .init(words(label), to: "/console/\(path)", isButton: true, isSecondary: true)
            }
        }
        if !links.isEmpty { page.blocks.append(.links(links)) }
        page.blocks += scene.command(operation)
        return page
    }

    /// About how many users there are.
    private static func said(_ estimate: SearchUsers.Estimate, _ words: Words) -> PageText {
        let key =
            switch UserEstimate.Precision(rawValue: estimate.precision) {
            case .exact?: "consoleUsersExact"
            case .about?: "consoleUsersAbout"
            case .atLeast?, nil: "consoleUsersAtLeast"
            }
        return words(key, ["count": .number(estimate.users)])
    }

    /// Users of a page: as many as may be ticked at once, where a person asks for that.
    private static let sizes = [ConsoleScene.pageLength, 100, ChangeUsers.mostUsers]

    private static func search(
        _ text: String?, _ filter: String?, _ sort: String?, _ size: Int, _ scene: ConsoleScene
    ) -> PageBlock {
        let words = scene.words
        let choices =
            UserFilter.allCases.map { ($0.rawValue, $0.label) }
            + (scene.may(.readAdministrators) ? AdministratorRole.allCases.map { ($0.rawValue, $0.label) } : [])
        return .search(
            words.plain("consoleSearchUsers"), hint: words.plain("consoleSearchUsersHint"), text, at: "/console/users",
            more: [
                .choice(
                    name: "filter", label: words.plain("consoleFilter"),
                    options: [.init("", words.plain("consoleFilterAll"))]
                        + choices.map { .init($0.0, words.plain($0.1), isChosen: $0.0 == filter) }),
                .choice(
                    name: "sort", label: words.plain("consoleSort"),
                    options: [
                        ("", "consoleSortCreated"), ("address", "consoleSortAddress"),
                        ("name", "consoleSortName"), ("id", "consoleID"),
                    ].map { .init($0.0, words.plain($0.1), isChosen: $0.0 == sort) }),
                .choice(
                    name: "size", label: words.plain("consolePageSize"),
                    options: sizes.map { .init("\($0)", "\($0)", isChosen: $0 == size) }),
            ], scene)
    }

    private static func table(_ users: [UserSummary], _ scene: ConsoleScene) -> PageTable {
        let words = scene.words
        return PageTable(
            words.plain("consoleUsers"),
            columns: ["consoleUser", "consoleUserName", "consoleCreated", "consoleLastSignIn"].map { words.plain($0) },
            rows: users.map { user in
                var marks: [PageBlock.Mark] = []
                if user.deletionDueAt != nil {
                    marks.append(.init(words("consoleLeaving"), .alarming))
                } else if user.isDisabled {
                    marks.append(.init(words("consoleDisabled"), .alarming))
                }
                if user.email != nil, !user.emailVerified { marks.append(.init(words("consoleUnverified"))) }
                return [
                    .init(
                        PageText(chosen: user.email ?? user.id), to: ConsolePath.to("users", user.id), marks: marks),
                    .init(PageText(chosen: user.displayName ?? "")), .init(words.instant(user.createdAt.date)),
                    .init(
                        user.lastSignInAt.map { words.moment($0.date, now: scene.now) } ?? words("consoleNever")),
                ]
            },
            choices: scene.may(ChangeUsers.right)
                ? users.map { user in
                    .init(
                        form: BulkPages.form, name: BulkPages.box + user.id,
                        label: words.plain("consoleTick", ["user": .words(PageText.harmless(user.shownName))]))
                } : nil)
    }

    private static func ask(_ scene: ConsoleScene) -> ConsoleQuestion {
        let words = scene.words
        var question = ConsoleQuestion(
            title: words("consoleUserAdd"),
            fields: [
                PageField(
                    name: "email", label: words.plain("consoleAddress"), type: "email", value: scene.field("email"),
                    autocomplete: "off", maximumLength: 254),
                PageField(
                    name: "display_name", label: words.plain("consoleUserName"), value: scene.field("display_name"),
                    autocomplete: "off", maximumLength: 200, isRequired: false, isFirst: false),
                .choice(
                    name: "locale", label: words.plain("consoleLanguage"),
                    options: [.init("", words.plain("consoleNothing"))]
                        + PageLanguage.allCases.map {
                            .init($0.rawValue, $0.ownName, isChosen: $0.rawValue == scene.field("locale"))
                        }),
                PageField(
                    name: "id", label: words.plain("consoleID"), value: scene.field("id"), autocomplete: "off",
                    maximumLength: 128, isRequired: false, isFirst: false),
            ], button: words.plain("consoleAdd"), back: "/console/users")
        question.fields[3].hint = words.plain("consoleUserIDHint")
        question.checkboxes = PageForm.Checkboxes(
            legend: words.plain("consoleUserAddMore"),
            boxes: [
                .init(
                    name: "verified", label: words.plain("consoleUserVerified"),
                    hint: words.plain("consoleUserVerifiedHint"), isChecked: scene.field("verified") != nil),
                .init(
                    name: "generate", label: words.plain("consoleResetGenerated"),
                    hint: words.plain("consoleUserGenerateHint"), isChecked: scene.field("generate") != nil),
            ])
        return question
    }
}

extension UserFilter {
    /// The key of what pages call it.
    fileprivate var label: String {
        switch self {
        case .disabled: "consoleFilterDisabled"
        case .noSecondFactor: "consoleFilterNoFactor"
        case .unverified: "consoleFilterUnverified"
        case .neverSignedIn: "consoleFilterNever"
        }
    }
}
