import AdminServer
import CountersignCore
import JSON
import WebPages

/// What the console does for and about one user: each asks once, and is done by an operation.
enum UserActions {
    static let routes: [ConsoleRoute] = [
        .action(
            "users/{user}/disable", DisableUser.self, in: .users,
            ask: {
                try await question(
                    "consoleDisableUser", "consoleDisableUserText", button: "consoleDisable", isDangerous: true,
                    tokens: "consoleAndTokens", $0)
            },
            make: { DisableUser(user: $0.parameter("user")) },
            done: { scene, _ in back(scene, "consoleDoneDisabled") }),
        .action(
            "users/{user}/enable", EnableUser.self, in: .users,
            ask: { try await askToEnable($0) },
            make: { scene in
                EnableUser(user: scene.parameter("user"), keepTokens: scene.field(keepTokens) == nil ? nil : true)
            },
            done: { scene, _ in back(scene, "consoleDoneEnabled") }),
        .action(
            "users/{user}/end-sessions", EndSessions.self, in: .users,
            ask: {
                try await question(
                    "consoleEndSessionsOf", "consoleEndSessionsText", button: "consoleEndSessions", isDangerous: true,
                    $0)
            },
            make: { EndSessions(user: $0.parameter("user")) },
            done: { scene, _ in back(scene, "consoleDoneEnded") }),
        .action(
            "users/{user}/sessions/{session}/end", EndSession.self, in: .users,
            ask: { scene in
                let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
                let session = SessionID(rawValue: scene.parameter("session"))
                guard let found = try await scene.realm.sessions.listing(session, of: UserID(rawValue: user.id)) else {
                    throw scene.gone
                }
                var question = try await question(
                    "consoleEndSessionOf", "consoleEndSessionText", button: "consoleEnd", isDangerous: true, scene)
                let (words, origin) = (scene.words, found.session.origin)
                question.items = [
                    words(
                        "consoleSessionIs",
                        [
                            "agent": .chosen(BrowserName.text(of: origin.userAgent, words)),
                            "address": .chosen(origin.address ?? words.plain("unknown")),
                            "time": .text(words.instant(found.session.createdAt)),
                        ])
                ]
                return question
            },
            make: { EndSession(user: $0.parameter("user"), session: $0.parameter("session")) },
            done: { scene, _ in
                .lead(
                    to: ConsolePath.to("users", scene.parameter("user"), "sessions"), notice: "consoleDoneEnded")
            }),
        .action(
            "users/{user}/applications/{application}/revoke", RevokeUserApplication.self, in: .users,
            ask: { scene in
                let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
                let applications = try await scene.perform(ListUserApplications(user: user.id)).applications
                guard applications.contains(where: { $0.id == scene.parameter("application") }) else {
                    throw scene.gone
                }
                return ConsoleQuestion(
                    title: scene.words(
                        "consoleRevokeApplicationOf",
                        ["user": .chosen(user.shownName), "application": .chosen(scene.parameter("application"))]),
                    text: scene.words("consoleRevokeApplicationText"), button: scene.words.plain("consoleRevoke"),
                    isDangerous: true, back: ConsolePath.to("users", user.id, "applications"))
            },
            make: {
                RevokeUserApplication(user: $0.parameter("user"), application: $0.parameter("application"))
            },
            done: { scene, _ in
                .lead(
                    to: ConsolePath.to("users", scene.parameter("user"), "applications"), notice: "consoleDoneRevokedOf"
                )
            }),
        .action(
            "users/{user}/factors/{factor}/remove", RemoveFactor.self, in: .users,
            ask: { try await askToRemoveFactor($0) },
            make: { RemoveFactor(user: $0.parameter("user"), factor: $0.parameter("factor")) },
            done: { scene, _ in
                .lead(
                    to: ConsolePath.to("users", scene.parameter("user"), "factors"), notice: "consoleDoneRemoved")
            }),
        .action(
            "users/{user}/reset-mfa", ResetSecondFactors.self, in: .users,
            ask: {
                try await question(
                    "consoleResetFactorsOf", "consoleResetFactorsText", button: "consoleResetFactors",
                    isDangerous: true, $0)
            },
            make: { ResetSecondFactors(user: $0.parameter("user")) },
            done: { scene, _ in back(scene, "consoleDoneFactors") }),
        .action(
            "users/{user}/reset-password", ResetPassword.self, in: .users,
            ask: { try await askToResetPassword($0) },
            make: { scene in
                ResetPassword(
                    user: scene.parameter("user"), method: scene.fields["method"] == "generate" ? .generate : .mail)
            },
            done: { scene, answer in
                .lead(
                    to: ConsolePath.to("users", scene.parameter("user")),
                    notice: answer.password == nil ? "consoleDoneMailed" : "consoleDonePassword",
                    secret: answer.password?.secret)
            }),
        .action(
            "users/{user}/mail-recovery-code", MailRecoveryCode.self, in: .users,
            ask: { scene in
                var question = try await question(
                    "consoleRecoveryOf", "consoleRecoveryText", button: "consoleRecovery", scene)
                guard scene.may(.changeUsers) else { return question }
                let chosen = scene.field("hold").flatMap(Int.init) ?? MailRecoveryCode.usualHold
                question.fields = [
                    .choice(
                        name: "hold", label: scene.words.plain("consoleRecoveryHold"),
                        options: [1, MailRecoveryCode.usualHold, 72].map {
                            .init(
                                "\($0)", scene.words.plain("consoleHours", ["count": .number($0)]),
                                isChosen: $0 == chosen)
                        })
                ]
                return question
            },
            make: { scene in
                MailRecoveryCode(user: scene.parameter("user"), hold: scene.field("hold").flatMap(Int.init))
            },
            done: { scene, _ in back(scene, "consoleDoneRecovery") }),
        .action(
            "users/{user}/invite-to-enrol", InviteToEnrol.self, in: .users,
            ask: {
                try await question(
                    "consoleInviteToEnrolOf", "consoleInviteToEnrolText", button: "consoleInviteToEnrol", $0)
            },
            make: { InviteToEnrol(user: $0.parameter("user")) },
            done: { scene, _ in back(scene, "consoleDoneMailed") }),
        .action(
            "users/{user}/mail-confirmation", MailConfirmation.self, in: .users,
            ask: {
                try await question("consoleConfirmOf", "consoleConfirmText", button: "consoleConfirm", $0)
            },
            make: { MailConfirmation(user: $0.parameter("user")) },
            done: { scene, _ in back(scene, "consoleDoneMailed") }),
        .action(
            "users/{user}/edit", SetUser.self, in: .users,
            ask: { try await askToEdit($0) }, make: { try await edited($0) }, review: { try await review($0, $1) },
            done: { scene, _ in back(scene, "consoleDoneEdited") }),
        .action(
            "users/{user}/delete", DeleteUser.self, in: .users,
            ask: { try await askToDelete($0) },
            make: { scene in
                DeleteUser(user: scene.parameter("user"), graceDays: scene.field("grace").flatMap(Int.init))
            },
            before: { scene, _ in
                let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
                guard let typed = scene.field("name"), typed == user.id || typed.lowercased() == user.email else {
                    throw ConsoleProblem(scene.words("consoleDeleteWrong"))
                }
            },
            done: { scene, answer in
                answer.dueAt == nil
                    ? .lead(to: "/console/users", notice: "consoleDoneDeleted") : back(scene, "consoleDoneLeaving")
            }),
    ]

    private static func back(_ scene: ConsoleScene, _ notice: String) -> ConsoleOutcome {
        .lead(to: ConsolePath.to("users", scene.parameter("user")), notice: notice)
    }

    private static func question(
        _ title: String, _ text: String, button: String, isDangerous: Bool = false, tokens: String? = nil,
        _ scene: ConsoleScene
    ) async throws -> ConsoleQuestion {
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        var said = scene.words(text)
        if let tokens { said = try await scene.text(said, withTokensOf: user.id, tokens) }
        return ConsoleQuestion(
            title: scene.words(title, ["user": .chosen(user.shownName)]), text: said,
            button: scene.words.plain(button), isDangerous: isDangerous, back: ConsolePath.to("users", user.id))
    }

    /// The box that keeps the tokens of programs that a user answers for.
    private static let keepTokens = "keep_tokens"

    private static func askToEnable(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        var question = ConsoleQuestion(
            title: words("consoleEnableUser", ["user": .chosen(user.shownName)]),
            text: try await scene.text(words("consoleEnableUserText"), withTokensOf: user.id, "consoleAndTokensEnd"),
            button: words.plain("consoleEnable"), back: ConsolePath.to("users", user.id))
        if try await scene.tokens(of: user.id) > 0 {
            question.checkbox = .init(
                name: keepTokens, label: words.plain("consoleKeepTokens"), hint: words.plain("consoleKeepTokensHint"),
                isChecked: scene.field(keepTokens) != nil)
        }
        return question
    }

    private static func askToRemoveFactor(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let shown = try await scene.perform(ShowUser(user: scene.parameter("user")))
        guard let factor = shown.factors.first(where: { $0.id == scene.parameter("factor") }) else {
            throw AdministrationError(.notFound, "There is no such factor.")
        }
        let kind = scene.words.plain(Words.key(of: FactorKind(rawValue: factor.kind)))
        let name = factor.name.isEmpty ? kind : "\(kind): \(factor.name)"
        return ConsoleQuestion(
            title: scene.words(
                "consoleRemoveFactor", ["factor": .chosen(name), "user": .chosen(shown.user.shownName)]),
            text: scene.words("consoleRemoveFactorText"), button: scene.words.plain("consoleRemove"),
            isDangerous: true, back: ConsolePath.to("users", shown.user.id, "factors"))
    }

    private static func askToResetPassword(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        var question = try await question(
            "consoleResetPasswordOf", "consoleResetPasswordText", button: "consoleResetPassword", scene)
        // Those who may not set a secret have a mail sent, and nothing else.
        guard scene.may(.changeUsers) else { return question }
        let generates = scene.fields["method"] == "generate"
        question.choices = PageForm.Choices(
            legend: words.plain("consoleResetHow"), name: "method",
            options: [
                .init(id: "method-mail", value: "mail", label: words("consoleResetByMail"), isChecked: !generates),
                .init(
                    id: "method-generate", value: "generate", label: words("consoleResetGenerated"),
                    hint: words.plain("consoleResetGeneratedHint"), isChecked: generates),
            ])
        return question
    }

    private static func askToDelete(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        var question = try await question(
            "consoleDeleteUser", "consoleDeleteUserText", button: "consoleDelete", isDangerous: true,
            tokens: "consoleAndTokens", scene)
        var field = PageField(
            name: "name", label: scene.words.plain("consoleTypeName"), autocomplete: "off", maximumLength: 256)
        field.hint = PageText.harmless(user.email ?? user.id)
        let chosen = scene.field("grace") ?? "14"
        question.fields = [
            .choice(
                name: "grace", label: scene.words.plain("consoleDeleteWhen"),
                options: [("", scene.words.plain("consoleDeleteNow"))].map {
                    .init($0.0, $0.1, isChosen: $0.0 == chosen)
                }
                    + [7, 14, 30].map {
                        .init(
                            "\($0)", scene.words.plain("consoleDeleteIn", ["count": .number($0)]),
                            isChosen: "\($0)" == chosen)
                    }), field,
        ]
        if scene.isForm, scene.field("grace") == nil { question.fields[0].options?[0].isChosen = true }
        return question
    }

    // MARK: What is known about a user

    /// Name, language, each attribute and each claim as a field of its own, and all of them as JSON.
    private static func askToEdit(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let shown = try await scene.perform(ShowUser(user: scene.parameter("user")))
        var question = ConsoleQuestion(
            title: words("consoleEditOf", ["user": .chosen(shown.user.shownName)]), text: words("consoleEditText"),
            button: words.plain("consoleSave"), back: ConsolePath.to("users", shown.user.id))
        let form = self.shown(shown, scene)
        question.changes = form.changes
        question.fields = [
            PageField(
                name: "display_name", label: words.plain("consoleUserName"),
                value: form.value("display_name"), autocomplete: "off", maximumLength: 200, isRequired: false),
            .choice(
                name: "locale", label: words.plain("consoleLanguage"),
                options: [.init("", words.plain("consoleNothing"))]
                    + languages(of: shown.user).map { .init($0.0, $0.1, isChosen: $0.0 == form.value("locale")) }),
            .lines(
                name: "attributes", label: words.plain("consoleAttributes"), value: form.value("attributes"),
                maximumLength: 20_000, isRequired: false),
            .lines(
                name: "claims", label: words.plain("consoleClaims"), value: form.value("claims"), maximumLength: 4000,
                isRequired: false),
        ]
        question.fields[2].hint = words.plain("consoleAttributesHint")
        question.fields[3].hint = words.plain("consoleClaimsHint")
        func fields(_ members: Members) -> [PageField] {
            self.fields(of: members, shown, scene).map { name, _ in
                PageField(
                    name: members.field(of: name), label: members.label(of: name, words),
                    value: form.value(members.field(of: name)), autocomplete: "off",
                    maximumLength: ProfileChange.longestAttribute, isRequired: false, isFirst: false)
            }
        }
        // Each before the field that has all of its kind.
        question.fields.insert(contentsOf: fields(.claims), at: 3)
        question.fields.insert(contentsOf: fields(.attributes), at: 2)
        let picture = PageField(
            name: "picture", label: words.plain("dataPicture"), value: form.value("picture"), autocomplete: "off",
            maximumLength: UserProfile.longestPictureAddress, isRequired: false, isFirst: false)
        question.fields.insert(picture, at: 2)
        let address = PageField(
            name: "email", label: words.plain("consoleAddress"), type: "email", value: form.value("email"),
            autocomplete: "off", maximumLength: 254, isRequired: false, isFirst: false)
        // A link chooses nothing.
        let isKnown = scene.isForm && scene.field("verified") == "1"
        var verified = PageField.choice(
            name: "verified", label: words.plain("consoleUserVerified"),
            options: [
                .init("", words.plain("consoleUserConfirms"), isChosen: !isKnown),
                .init("1", words.plain("consoleYes"), isChosen: isKnown),
            ])
        verified.hint = words.plain("consoleUserVerifiedHint")
        question.fields.insert(contentsOf: [address, verified], at: 1)
        question.hidden = [form.hidden]
        return question
    }

    private static func shown(_ user: ShowUser.Answer, _ scene: ConsoleScene) -> ShownFields {
        let words = scene.words
        var own: [ShownFields.Field] = []
        for members in Members.allCases {
            for (name, value) in fields(of: members, user, scene) {
                own.append(.text(members.field(of: name), members.label(of: name, words), value))
            }
        }
        return ShownFields(
            scene,
            [
                .text("display_name", words.plain("consoleUserName"), user.user.displayName),
                .text("email", words.plain("consoleAddress"), user.user.email),
                .text("locale", words.plain("consoleLanguage"), user.user.locale),
                .text("picture", words.plain("dataPicture"), user.user.picture),
                .lines(
                    "attributes", words.plain("consoleAttributes"),
                    JSONListing.text(of: .object(user.attributes ?? [:]))),
                .lines("claims", words.plain("consoleClaims"), JSONListing.text(of: .object(user.customClaims))),
            ] + own)
    }

    /// What a user has by names that the server does not know.
    private enum Members: CaseIterable {
        case attributes, claims

        func values(of user: ShowUser.Answer) -> [String: JSONValue] {
            switch self {
            case .attributes: user.attributes ?? [:]
            case .claims: user.customClaims
            }
        }

        /// The name of the field that one of them has.
        func field(of name: String) -> String {
            switch self {
            case .attributes: "attribute.\(name)"
            case .claims: "claim.\(name)"
            }
        }

        func label(of name: String, _ words: Words) -> String {
            switch self {
            case .attributes: PageText.harmless(name)
            case .claims: words.plain("consoleClaimNamed", ["name": .words(PageText.harmless(name))])
            }
        }

        /// Those that have a field of their own, with what it shows, by name: what no field can have, or be called, is in the JSON alone.
        func plain(of user: ShowUser.Answer) -> [(String, String)] {
            values(of: user).sorted { $0.key < $1.key }.compactMap { name, value in
                Self.isName(name) ? UserActions.plain(value).map { (name, $0) } : nil
            }
        }

        /// Whether a field can be called so. The form's marks are separated by spaces.
        private static func isName(_ name: String) -> Bool {
            !name.isEmpty && !name.contains(where: \.isWhitespace) && PageText.harmless(name) == name
        }
    }

    /// Fields that a form can name: more than a user has, and no more work than a page is.
    private static let mostNamed = 250

    /// The members that have a field, with what it shows, by name: also one that the form changes and that another caller removed, or gave
    /// a value that no field can have.
    private static func fields(
        of members: Members, _ user: ShowUser.Answer, _ scene: ConsoleScene
    ) -> [(String, String)] {
        let present = members.plain(of: user)
        guard scene.isForm else { return present }
        let prefix = members.field(of: "")
        let known = Set(present.map(\.0))
        let named = ShownFields.names(scene).prefix(mostNamed).filter { $0.hasPrefix(prefix) }
        let names = Set(named.map { String($0.dropFirst(prefix.count)) }).subtracting(known)
        let form = ShownFields(scene, names.map { .text(members.field(of: $0), "", nil) })
        let gone = names.filter { !form.isLeft(members.field(of: $0)) }
        return (present + gone.map { ($0, "") }).sorted { $0.0 < $1.0 }
    }

    /// The languages of pages, and the user's own where it is another.
    private static func languages(of user: UserSummary) -> [(String, String)] {
        var all = PageLanguage.allCases.map { ($0.rawValue, $0.ownName) }
        if let own = user.locale, !all.contains(where: { $0.0 == own }) { all.append((own, PageText.harmless(own))) }
        return all
    }

    private static func edited(_ scene: ConsoleScene) async throws -> SetUser {
        guard scene.isForm else { return SetUser(user: scene.parameter("user"), displayName: "NAME") }
        let present = try await scene.perform(ShowUser(user: scene.parameter("user")))
        let shown = shown(present, scene)
        try shown.judge()
        let before = present.attributes ?? [:]
        var attributes: [String: JSONValue] = [:]
        if shown.edited("attributes") != nil {
            let typed = try object("attributes", "consoleAttributes", scene)
            attributes = typed.filter { before[$0.key] != $0.value }
            // What is not in the JSON any more goes.
            for name in before.keys where typed[name] == nil { attributes[name] = .null }
        }
        // What was changed in its own field and not in the JSON is as the field says.
        for (name, _) in fields(of: .attributes, present, scene) where attributes[name] == nil {
            guard let typed = shown.edited(Members.attributes.field(of: name)) else { continue }
            attributes[name] = typed.isEmpty ? .null : Self.value(typed, like: before[name] ?? .null)
        }
        // Claims are written as a whole.
        let former = present.customClaims
        var claims = shown.edited("claims") == nil ? former : try object("claims", "consoleClaims", scene)
        for (name, _) in fields(of: .claims, present, scene) where claims[name] == former[name] {
            guard let typed = shown.edited(Members.claims.field(of: name)) else { continue }
            claims[name] = typed.isEmpty ? nil : Self.value(typed, like: former[name] ?? .null)
        }
        // The same address in other letters is none.
        let email = shown.edited("email").flatMap { typed in
            EmailAddress(typed).map { $0.canonical == present.user.email } == true ? nil : typed
        }
        let isOpen = email != nil || present.user.email != nil && !present.user.emailVerified
        return SetUser(
            user: scene.parameter("user"), email: email,
            emailVerified: scene.field("verified") == "1" && isOpen ? true : nil,
            displayName: shown.edited("display_name"), locale: shown.edited("locale"),
            picture: shown.edited("picture"),
            attributes: attributes.isEmpty ? nil : attributes,
            claims: claims == former ? nil : claims,
            expecting: present.revision)
    }

    /// What the form changes: each attribute and each claim by itself, whether it was changed in a field of its own or in the JSON.
    private static func review(_ scene: ConsoleScene, _ change: SetUser) async throws -> ConsoleReview {
        let words = scene.words
        let present = try await scene.perform(ShowUser(user: change.user))
        // It is judged after what it is compared with was read: with that the revision is of the same user.
        _ = try await scene.perform(change.rehearsal)
        var changes: [ConsoleQuestion.Change] = []
        func add(_ label: String, _ before: String?, _ after: String?) {
            guard let after else { return }
            changes.append(
                .init(words.plain(label), from: ShownFields.text(before ?? ""), to: ShownFields.text(after)))
        }
        add("consoleUserName", present.user.displayName, change.displayName)
        add("consoleAddress", present.user.email, change.email)
        let wasVerified = present.user.emailVerified
        let isVerified = change.emailVerified ?? (change.email == nil && wasVerified)
        if isVerified != wasVerified {
            func said(_ flag: Bool) -> PageText { words(flag ? "consoleYes" : "consoleNo") }
            changes.append(
                .init(words.plain("consoleUserVerified"), from: said(wasVerified), to: said(isVerified)))
        }
        add("consoleLanguage", present.user.locale, change.locale)
        add("dataPicture", present.user.picture, change.picture)
        func text(_ value: JSONValue?) -> PageText {
            guard let value, value != .null else { return PageText("–") }
            return ShownFields.text(plain(value) ?? JSONListing.text(of: value))
        }
        func addMember(_ members: Members, _ name: String, _ before: JSONValue?, _ after: JSONValue?) {
            changes.append(.init(members.label(of: name, words), from: text(before), to: text(after)))
        }
        for (name, value) in (change.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            addMember(.attributes, name, present.attributes?[name], value)
        }
        if let claims = change.claims {
            let former = present.customClaims
            for name in Set(claims.keys).union(former.keys).sorted() where claims[name] != former[name] {
                addMember(.claims, name, former[name], claims[name])
            }
        }
        var review = ConsoleReview(changes: changes)
        if change.email != nil {
            review.notes = [words("consoleEditAddressText")]
            review.isDangerous = true
        }
        return review
    }

    /// A member as its field has it; nil for what no field can have.
    private static func plain(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .null, .array, .object: nil
        }
    }

    /// What was typed, as the kind of value that was there; a text where it is none of that kind.
    private static func value(_ text: String, like present: JSONValue) -> JSONValue {
        let value: JSONValue? =
            switch present {
            case .bool: ["true": JSONValue.bool(true), "false": .bool(false)][text]
            case .integer: Int64(text).map { .integer($0) }
            case .number: Double(text).map { .number($0) }
            default: nil
            }
        return value ?? .string(text)
    }

    private static func object(_ name: String, _ label: String, _ scene: ConsoleScene) throws -> [String: JSONValue] {
        guard let text = scene.field(name) else { return [:] }
        guard case .object(let members)? = try? JSONParser.parse(Array(text.utf8)) else {
            throw ConsoleProblem(scene.words("consoleNoObject", ["field": .words(scene.words.plain(label))]))
        }
        return members
    }
}
