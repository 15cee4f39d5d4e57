import AdminServer
import CountersignCore
import WebPages

/// `/console/groups`: groups of users, and who is in them.
enum GroupPages {
    static let routes: [ConsoleRoute] = [
        .page("groups", of: ListGroups.self, in: .groups, isEntry: true) { try await list($0) },
        .action(
            "groups-add", AddGroup.self, in: .groups,
            ask: { scene in
                var name = PageField(
                    name: "group", label: scene.words.plain("consoleGroupName"), value: scene.field("group"),
                    autocomplete: "off", maximumLength: 64)
                name.hint = scene.words.plain("consoleGroupNameHint")
                return ConsoleQuestion(
                    title: scene.words("consoleGroupAdd"),
                    fields: [
                        name,
                        PageField(
                            name: "summary", label: scene.words.plain("consoleGroupSummary"),
                            value: scene.field("summary"), autocomplete: "off", maximumLength: 200, isRequired: false,
                            isFirst: false),
                    ], button: scene.words.plain("consoleAdd"), back: "/console/groups")
            },
            make: { scene in
                AddGroup(group: try scene.typed("group", placeholder: "NAME"), summary: scene.field("summary"))
            },
            done: { _, answer in
                .lead(to: ConsolePath.to("groups", answer.group.name), notice: "consoleDoneAdded")
            }),
        .page("groups/{group}", of: ShowGroup.self, in: .groups) { try await show($0) },
        .action(
            "groups/{group}/settings", ChangeGroup.self, in: .groups,
            ask: { scene in
                let present = try await group(scene)
                let shown = shown(present, scene)
                var question = ConsoleQuestion(
                    title: scene.words("consoleGroupChange", ["group": .chosen(present.name)]),
                    fields: [
                        PageField(
                            name: "summary", label: scene.words.plain("consoleGroupSummary"),
                            value: shown.value("summary"), autocomplete: "off",
                            maximumLength: UserGroup.longestSummary, isRequired: false)
                    ], changes: shown.changes, button: scene.words.plain("consoleSave"),
                    back: ConsolePath.to("groups", present.name))
                question.hidden = [shown.hidden]
                return question
            },
            make: { scene in
                guard scene.isForm else { return ChangeGroup(group: scene.parameter("group"), summary: "SUMMARY") }
                let present = try await group(scene)
                let shown = shown(present, scene)
                try shown.judge()
                return ChangeGroup(
                    group: present.name, summary: shown.value("summary"), expecting: present.summary)
            },
            review: { scene, change in
                let edits = shown(try await group(scene), scene).edits()
                _ = try await scene.perform(change.rehearsal)
                return ConsoleReview(changes: edits)
            },
            done: { _, answer in
                .lead(to: ConsolePath.to("groups", answer.group.name), notice: "consoleDoneGroupChanged")
            }),
        .action(
            "groups/{group}/add-member", AddGroupMember.self, in: .groups,
            ask: { scene in
                let group = try await scene.perform(ShowGroup(group: scene.parameter("group"), limit: 1))
                return ConsoleQuestion(
                    title: scene.words("consoleMemberAdd", ["group": .chosen(scene.parameter("group"))]),
                    text: group.requiresSecondFactor == true ? scene.words("consoleGroupRequires") : nil,
                    fields: [.user(scene)], button: scene.words.plain("consoleAdd"),
                    back: ConsolePath.to("groups", scene.parameter("group")))
            },
            make: { scene in
                AddGroupMember(
                    group: scene.parameter("group"), user: try scene.typed("user", placeholder: "ID-OR-EMAIL"))
            },
            done: { scene, _ in
                .lead(to: ConsolePath.to("groups", scene.parameter("group")), notice: "consoleDoneAdded")
            }),
        .action(
            "groups/{group}/members/{user}/remove", RemoveGroupMember.self, in: .groups,
            ask: { scene in
                let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
                let lifts = try await lifts(scene)
                var question = ConsoleQuestion(
                    title: scene.words(
                        "consoleMemberRemove",
                        ["user": .chosen(user.shownName), "group": .chosen(scene.parameter("group"))]),
                    text: lifts ? scene.words("consoleMemberRemoveLifts") : nil,
                    button: scene.words.plain("consoleMemberRemoveDo"), isDangerous: true, back: origin(scene))
                question.hidden = [
                    .init(name: liftsField, value: lifts ? "1" : "0"),
                    .init(name: originField, value: scene.field(originField) ?? ""),
                ]
                return question
            },
            make: { scene in
                // What was said is what is done, or nothing is.
                RemoveGroupMember(
                    group: scene.parameter("group"), user: scene.parameter("user"),
                    expectingLift: scene.isForm ? scene.field(liftsField) == "1" : nil)
            },
            done: { scene, _ in .lead(to: origin(scene), notice: "consoleDoneRemoved") }),
        .action(
            "users/{user}/add-to-group", AddGroupMember.self, in: .users,
            ask: { try await askToJoin($0) },
            make: { scene in
                AddGroupMember(
                    group: try scene.typed("group", placeholder: "GROUP"), user: scene.parameter("user"))
            },
            done: { scene, _ in
                .lead(to: ConsolePath.to("users", scene.parameter("user")), notice: "consoleDoneAdded")
            }),
        .action(
            "groups/{group}/remove", RemoveGroup.self, in: .groups,
            ask: { scene in
                let group = try await scene.perform(ShowGroup(group: scene.parameter("group"), limit: 1)).group
                return ConsoleQuestion(
                    title: scene.words("consoleGroupRemove", ["group": .chosen(group.name)]),
                    text: scene.words("consoleGroupRemoveText"), button: scene.words.plain("consoleRemove"),
                    isDangerous: true, back: ConsolePath.to("groups", group.name))
            },
            make: { RemoveGroup(group: $0.parameter("group")) },
            done: { _, _ in .lead(to: "/console/groups", notice: "consoleDoneRemoved") }),
    ]

    private static func group(_ scene: ConsoleScene) async throws -> GroupSummary {
        try await scene.perform(ShowGroup(group: scene.parameter("group"), limit: 1)).group
    }

    private static func shown(_ group: GroupSummary, _ scene: ConsoleScene) -> ShownFields {
        ShownFields(scene, [.text("summary", scene.words.plain("consoleGroupSummary"), group.summary)])
    }

    /// Says what the question about a member has said.
    private static let liftsField = "lifts"

    /// Whether a second factor is required of the member because of this group alone.
    private static func lifts(_ scene: ConsoleScene) async throws -> Bool {
        let removal = RemoveGroupMember(group: scene.parameter("group"), user: scene.parameter("user"))
        do {
            return try await scene.perform(removal.rehearsal).liftsSecondFactor == true
        } catch let error as AdministrationError where error.code == .forbidden {
            // A member who administers: the form is refused.
            return false
        }
    }

    /// Says which page led to the question about a member.
    private static let originField = "from"
    private static let ofUser = "user"

    private static func origin(_ scene: ConsoleScene) -> String {
        scene.field(originField) == ofUser
            ? ConsolePath.to("users", scene.parameter("user")) : ConsolePath.to("groups", scene.parameter("group"))
    }

    /// As many groups as are offered to choose from; of more the name is typed.
    private static let mostOffered = 100

    private static func askToJoin(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let own = try await scene.perform(ListGroups(user: user.id, limit: UserGroup.mostOfUser)).groups.map(\.name)
        var question = ConsoleQuestion(
            title: words("consoleGroupJoinOf", ["user": .chosen(user.shownName)]), button: words.plain("consoleAdd"),
            back: ConsolePath.to("users", user.id))
        let all = try await scene.perform(ListGroups(limit: mostOffered))
        if all.next == nil, all.groups.allSatisfy({ own.contains($0.name) }) {
            question.text = words("consoleGroupNoOther")
            question.button = ""
        } else {
            question.fields = [field(scene, among: all, but: own)]
        }
        return question
    }

    /// The field that names a group: to choose from, or typed where there are many.
    static func field(_ scene: ConsoleScene) async throws -> PageField {
        field(scene, among: try await scene.perform(ListGroups(limit: mostOffered)), but: [])
    }

    /// The same where the groups are read already.
    /// - Parameter others: groups that are not meant.
    private static func field(
        _ scene: ConsoleScene, among all: ListGroups.Answer, but others: [String]
    ) -> PageField {
        let label = scene.words.plain("consoleGroupName")
        let offered = all.groups.map(\.name).filter { !others.contains($0) }
        let chosen = scene.field("group")
        if all.next == nil, !offered.isEmpty {
            return .choice(
                name: "group", label: label, options: offered.map { .init($0, $0, isChosen: $0 == chosen) })
        }
        return PageField(name: "group", label: label, value: chosen, autocomplete: "off", maximumLength: 64)
    }

    /// The groups of a user, with the ways into others and out of them.
    static func blocks(ofUser user: String, _ scene: ConsoleScene) async throws -> [PageBlock] {
        guard scene.may(.readGroups) else { return [] }
        let words = scene.words
        let groups = try await scene.perform(ListGroups(user: user, limit: UserGroup.mostOfUser)).groups
        let changes = scene.may(.changeGroups)
        guard changes || !groups.isEmpty else { return [] }
        var blocks: [PageBlock] = [
            .heading(words.plain("consoleGroups")),
            .table(
                PageTable(
                    words.plain("consoleGroups"),
                    columns: [words.plain("consoleGroupName"), words.plain("consoleGroupSummary")]
                        + (changes ? [words.plain("consoleRemove")] : []),
                    rows: groups.map { group in
                        [
                            .init(PageText(chosen: group.name), to: ConsolePath.to("groups", group.name)),
                            .init(PageText(chosen: group.summary)),
                            .init(
                                words("consoleRemove"),
                                to: PagePath(
                                    ConsolePath.to("groups", group.name, "members", user, "remove"),
                                    [(originField, ofUser)]
                                ).text),
                        ]
                    }), none: words("consoleNone")),
        ]
        if changes {
            blocks.append(
                .links([
                    .init(
                        words("consoleGroupJoin"), to: ConsolePath.to("users", user, "add-to-group"), isButton: true,
                        isSecondary: true)
                ]))
        }
        return blocks
    }

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let (text, places) = (scene.field("q"), scene.places)
        let operation = ListGroups(
            text: text, limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        var page = scene.page("console-groups", "consoleGroups")
        page.blocks.append(
            .search(
                words.plain("consoleSearchGroups"), hint: words.plain("consoleSearchGroupsHint"), text,
                at: "/console/groups", scene))
        page.blocks += PageBlock.found(
            PageTable(
                words.plain("consoleGroups"),
                columns: [
                    words.plain("consoleGroupName"), words.plain("consoleGroupSummary"), words.plain("consoleSince"),
                ],
                rows: answer.groups.map { group in
                    [
                        .init(PageText(chosen: group.name), to: ConsolePath.to("groups", group.name)),
                        .init(PageText(chosen: group.summary)), .init(words.instant(group.createdAt.date)),
                    ]
                }),
            isPartial: answer.isPartial == true, none: text == nil ? "consoleNone" : "consoleNothingFound",
            soFar: "consoleGroupsSoFar", scene)
        page.blocks.append(scene.pager("/console/groups", [("q", text)], before: answer.previous, after: answer.next))
        if scene.may(.changeGroups) {
            page.blocks.append(.links([.init(words("consoleGroupAdd"), to: "/console/groups-add", isButton: true)]))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ShowGroup(
            group: scene.parameter("group"), limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        let path = ConsolePath.to("groups", answer.group.name)
        var page = scene.page("console-group", PageText(chosen: answer.group.name))
        if !answer.group.summary.isEmpty { page.text = PageText(chosen: answer.group.summary) }
        let changes = scene.may(.changeGroups)
        if answer.requiresSecondFactor == true { page.blocks.append(.text(words("consoleGroupRequires"))) }
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleMembers"),
                    columns: [words.plain("consoleUser"), words.plain("consoleUserName"), words.plain("consoleID")]
                        + (changes ? [words.plain("consoleRemove")] : []),
                    rows: answer.members.map { user in
                        [
                            .init(PageText(chosen: user.shownName), to: ConsolePath.to("users", user.id)),
                            .init(PageText(chosen: user.displayName ?? "")), .init(PageText(chosen: user.id)),
                            .init(
                                words("consoleRemove"),
                                to: ConsolePath.to("groups", answer.group.name, "members", user.id, "remove")),
                        ]
                    }), none: words("consoleNoMembers")))
        page.blocks.append(scene.pager(path, before: answer.previous, after: answer.next))
        if changes {
            page.blocks.append(
                .links([
                    .init(words("consoleMemberAddLink"), to: path + "/add-member", isButton: true),
                    .init(words("consoleChange"), to: path + "/settings", isButton: true, isSecondary: true),
                    .init(words("consoleGroupRemoveLink"), to: path + "/remove"),
                ]))
        }
        page.blocks += scene.command(operation)
        return page
    }
}

extension PageField {
    /// Who is meant: id or address.
    static func user(_ scene: ConsoleScene) -> PageField {
        PageField(
            name: "user", label: scene.words.plain("consoleIDOrAddress"), value: scene.field("user"),
            autocomplete: "off", maximumLength: 256)
    }
}

extension UserSummary {
    /// What lists call the user.
    var shownName: String { email ?? displayName ?? id }
}

extension ConsoleScene {
    /// How many entries a list shows at once.
    static let pageLength = 50
}
