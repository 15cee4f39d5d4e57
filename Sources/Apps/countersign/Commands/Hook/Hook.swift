import AdminServer
import ArgumentParser
import CountersignCore

/// Services that are told what happens.
struct HookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hook",
        abstract: "Tell services what happens: users, factors, sign-ins, administrators.",
        discussion: """
            A hook gets the events of the log that it asks for, each as a signed POST (Standard Webhooks). docs/events.md \
            says what they look like, and how to check the signature.

              countersign hook add https://api.example.com/events --events users,factors
              countersign hook test 4fJ2kQ9xLm3a
            """,
        subcommands: [
            Add.self, List.self, Show.self, Set.self, RotateSecret.self, Remove.self, Test.self, Replay.self,
        ])

    /// A hook, line by line.
    static func describe(_ hook: HookSummary) -> [String] {
        var lines = [
            "id           \(hook.id)", "url          \(hook.url.printable)",
            "events       \(hook.events.joined(separator: ", "))",
            "enabled      \(hook.isEnabled.yesOrNo)", "created      \(hook.createdAt.text)",
            "delivered    \(hook.delivered)", "given up     \(hook.failed)",
        ]
        if !hook.label.isEmpty { lines.insert("label        \(hook.label.printable)", at: 1) }
        if let at = hook.lastDeliveredAt { lines.append("last one     \(at.text)") }
        if let error = hook.lastError, let at = hook.lastErrorAt { lines.append("last error   \(error) at \(at.text)") }
        if let since = hook.failingSince { lines.append("failing      since \(since.text)") }
        if let next = hook.nextAttemptAt { lines.append("next attempt \(next.text)") }
        if let reason = hook.disabledBecause { lines.append("disabled     by the server: \(reason)") }
        lines += hook.answers.map { "answer       \($0.at.text) \($0.result) \($0.event)" }
        return lines
    }
}

/// Names a hook.
struct HookArgument: ParsableArguments {
    @Argument(help: "The hook's id, from the list.")
    var id: String
}

/// A secret of the caller's own.
struct HookSecretOption: ParsableArguments {
    @Option(
        name: .customLong("secret"),
        help: ArgumentHelp(
            "The secret that signs: whsec_ and 24 to 64 bytes in Base64 (default: one is made and printed once). Other users of the "
                + "machine can read it here: prefer a file.", valueName: "whsec_…"))
    var text: String?

    @Option(name: .customLong("secret-file"), help: ArgumentHelp("The same, from a file.", valueName: "file"))
    var file: String?

    func validate() throws {
        if text != nil && file != nil { throw ValidationError("Give one of --secret and --secret-file.") }
    }

    func secret() throws -> SecretText? { try (text ?? file.map(SecretInput.file)).map(SecretText.init) }
}

extension HookCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a hook. It is told of what happens from now on.",
            discussion: """
                Only public addresses are called, and those in extensions.allowedNetworks; https is required, except on this \
                machine under --dev.

                  countersign hook add https://api.example.com/events \\
                    --events users,factors,sign-ins
                """)

        @Argument(help: "The address of the service: https://…")
        var url: String

        @Option(
            help: ArgumentHelp(
                "Of users, factors, sessions, sign-ins, refusals, administrators, groups, applications and settings; * is "
                    + "all.", valueName: "events"))
        var events: String

        @Option(help: "What to call it.")
        var label: String?

        @OptionGroup var secret: HookSecretOption
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                AddHook(url: url, events: events.typedWords, label: label, secret: secret.secret()))
            try output.show(answer) {
                HookCommand.describe(answer.hook) + [
                    "The secret that signs its messages, shown only once: \(answer.secret.secret.reveal())"
                ]
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List hooks, in the order in which they were added.")

        @OptionGroup var page: PageOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListHooks(limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                if answer.hooks.isEmpty {
                    return [answer.previous == nil ? "There are no hooks." : "There are no more hooks."]
                }
                var table = Table("ID", "URL", "EVENTS", "STATE", "DELIVERED", "GIVEN UP", "LABEL")
                for hook in answer.hooks {
                    let state =
                        hook.disabledBecause.map { "disabled: \($0)" }
                        ?? (hook.isEnabled ? hook.failingSince == nil ? "ok" : hook.lastError ?? "failing" : "disabled")
                    table.add(
                        hook.id, hook.url, hook.events.joined(separator: " "), state, "\(hook.delivered)",
                        "\(hook.failed)", hook.label)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a hook, and how it fares.")

        @OptionGroup var hook: HookArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ShowHook(id: hook.id))
            try output.show(answer) { HookCommand.describe(answer.hook) }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a hook. What is not said stays.",
            discussion: """
                A hook that is enabled again goes on where it was; with --skip-missed, with what happens from now on.

                  countersign hook set 4fJ2kQ9xLm3a --enable
                """)

        @OptionGroup var hook: HookArgument

        @Option(help: "Another address.")
        var url: String?

        @Option(help: "Other events, as for hook add.")
        var events: String?

        @Option(help: "What to call it.")
        var label: String?

        @Flag(help: "Deliver again.")
        var enable = false

        @Flag(help: "Deliver nothing for now.")
        var disable = false

        @Flag(help: "Leave out what was missed so far.")
        var skipMissed = false

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if enable && disable { throw ValidationError("Give one of --enable and --disable.") }
            guard url != nil || events != nil || label != nil || enable || disable || skipMissed else {
                throw ValidationError(
                    "Say what to change: --url, --events, --label, --enable, --disable, --skip-missed.")
            }
        }

        func run() async throws {
            let answer = try await realm.perform(
                ChangeHook(
                    id: hook.id, url: url, events: events.map(\.typedWords), label: label,
                    isEnabled: enable ? true : disable ? false : nil, skipMissed: skipMissed ? true : nil))
            try output.show(answer) { HookCommand.describe(answer.hook) }
        }
    }

    struct RotateSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-secret",
            abstract: "Give a hook another secret. The one before signs for a day, too.")

        @OptionGroup var hook: HookArgument
        @OptionGroup var secret: HookSecretOption
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RotateHookSecret(id: hook.id, secret: secret.secret()))
            try output.show(answer) {
                [
                    "The secret before signs until \(answer.formerUntil.text), too.",
                    "The new secret, shown only once: \(answer.secret.secret.reveal())",
                ]
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a hook, with what it has not had.")

        @OptionGroup var hook: HookArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RemoveHook(id: hook.id))
            try output.show(answer) { ["The hook \(answer.hook.id) is removed."] }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send a trial, which stands for no event.")

        @OptionGroup var hook: HookArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(TestHook(id: hook.id))
            try HookCommand.show(answer, output)
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replay",
            abstract: "Send an event of the log once more, at once.",
            discussion: """
                The message has the id that it always has, so that a service that has had it knows.

                  countersign hook replay 4fJ2kQ9xLm3a evt_00063f1c2b3a4d5e0a1b2c3d
                """)

        @OptionGroup var hook: HookArgument

        @Argument(help: "The event's id in the log, or its message's.")
        var event: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ReplayEvent(id: hook.id, event: event))
            try HookCommand.show(answer, output)
        }
    }

    /// What came of a message; one that was not delivered is a failure.
    fileprivate static func show(_ sending: HookSending, _ output: OutputOptions) throws {
        guard sending.isDelivered else {
            if output.json { try output.show(sending) { [] } }
            throw CommandFailure(.refused, "Not delivered: \(sending.result).")
        }
        try output.show(sending) { ["Delivered (\(sending.result))."] }
    }
}
