import AdminServer
import CountersignCore
import WebPages

/// What the console does for and about one user: each asks once, and is done by an operation.
enum UserActions {
    static let routes: [ConsoleRoute] = [
        .action(
            "users/{user}/disable", DisableUser.self, in: .users,
            ask: {
                try await question(
                    "consoleDisableUser", "consoleDisableUserText", button: "consoleDisable", isDangerous: true, $0)
            },
            make: { DisableUser(user: $0.parameter("user")) },
            done: { scene, _ in back(scene, "consoleDoneDisabled") }),
        .action(
            "users/{user}/enable", EnableUser.self, in: .users,
            ask: { try await question("consoleEnableUser", "consoleEnableUserText", button: "consoleEnable", $0) },
            make: { EnableUser(user: $0.parameter("user")) },
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
            ask: {
                try await question(
                    "consoleEndSessionOf", "consoleEndSessionText", button: "consoleEnd", isDangerous: true, $0)
            },
            make: { EndSession(user: $0.parameter("user"), session: $0.parameter("session")) },
            done: { scene, _ in
                .lead(
                    to: ConsolePath.to("users", scene.parameter("user"), "sessions"), notice: "consoleDoneEnded")
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
            "users/{user}/delete", DeleteUser.self, in: .users,
            ask: { try await askToDelete($0) },
            make: { DeleteUser(user: $0.parameter("user")) },
            before: { scene, _ in
                let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
                guard let typed = scene.field("name"), typed == user.id || typed.lowercased() == user.email else {
                    throw AdministrationError(.invalid, scene.words.plain("consoleDeleteWrong"))
                }
            },
            done: { _, _ in .lead(to: "/console/users", notice: "consoleDoneDeleted") }),
    ]

    private static func back(_ scene: ConsoleScene, _ notice: String) -> ConsoleOutcome {
        .lead(to: ConsolePath.to("users", scene.parameter("user")), notice: notice)
    }

    private static func question(
        _ title: String, _ text: String, button: String, isDangerous: Bool = false, _ scene: ConsoleScene
    ) async throws -> ConsoleQuestion {
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        return ConsoleQuestion(
            title: scene.words(title, ["user": .chosen(user.shownName)]), text: scene.words(text),
            button: scene.words.plain(button), isDangerous: isDangerous, back: ConsolePath.to("users", user.id))
    }

    private static func askToRemoveFactor(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let shown = try await scene.perform(ShowUser(user: scene.parameter("user")))
        guard let factor = shown.factors.first(where: { $0.id == scene.parameter("factor") }) else {
            throw AdministrationError(.notFound, "There is no such factor.")
        }
        let name = factor.name.isEmpty ? factor.kind : "\(factor.kind): \(factor.name)"
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
            "consoleDeleteUser", "consoleDeleteUserText", button: "consoleDelete", isDangerous: true, scene)
        var field = PageField(
            name: "name", label: scene.words.plain("consoleTypeName"), autocomplete: "off", maximumLength: 256)
        field.hint = PageText.harmless(user.email ?? user.id)
        question.fields = [field]
        return question
    }
}
