import CountersignCore

/// A page of the console, and the roles that see it. Written by hand, beside the program's own table.
struct ConsoleRow: Sendable {
    /// As routes spell it. Parts in braces are objects: without the right the page looks as if there were none.
    let path: String
    /// What its page is asked for beside the path, with its `?`: there is none without it. Empty where the path says all.
    let query: String
    let roles: Set<AdministratorRole>
    /// Whether it has a form that changes something.
    let isForm: Bool
    /// Whether browsers keep it, and no page is shown.
    let isFile: Bool
    /// Whether its form may do the same each time that it is sent, since it changes nothing. Every other form acts once.
    let repeats: Bool

    private init(
        _ path: String, isForm: Bool = false, isFile: Bool = false, repeats: Bool = false,
        _ roles: Set<AdministratorRole>
    ) {
        self.path = String(path.prefix { $0 != "?" })
        query = String(path.drop { $0 != "?" })
        self.isForm = isForm
        self.isFile = isFile
        self.repeats = repeats
        // The owner may do everything.
        self.roles = roles.union([.owner])
    }

    static func page(_ path: String, _ roles: AdministratorRole...) -> ConsoleRow {
        ConsoleRow(path, Set(roles))
    }

    static func file(_ path: String, _ roles: AdministratorRole...) -> ConsoleRow {
        ConsoleRow(path, isFile: true, Set(roles))
    }

    static func form(_ path: String, _ roles: AdministratorRole...) -> ConsoleRow {
        ConsoleRow(path, isForm: true, Set(roles))
    }

    static func repeating(_ path: String, _ roles: AdministratorRole...) -> ConsoleRow {
        ConsoleRow(path, isForm: true, repeats: true, Set(roles))
    }

    var isOfObject: Bool { path.contains("{") }

    /// The path about things that ``ConsoleStage`` has made.
    func path(_ objects: [String: String]) -> String { String(page(objects).path.prefix { $0 != "?" }) }

    /// The names of what it is about.
    var names: [String] { (path + query).matches(of: /\{([a-z]+)\}/).map { String($0.1) } }

    /// The page about things that ``ConsoleStage`` has made; of other things there is none.
    /// - Returns: its path with its query, and whether there is such a page.
    func page(_ objects: [String: String]) -> (path: String, isThere: Bool) {
        let missing = names.filter { objects[$0] == nil }
        let all = objects.merging(missing.map { ($0, "none") }) { $1 }
        return (all.reduce(path + query) { $0.replacing("{\($1.key)}", with: $1.value) }, missing.isEmpty)
    }

    /// Every page.
    static let all: [ConsoleRow] = [
        .page("/console", .operator, .support, .auditor),
        .page("/console/users", .operator, .support, .auditor),
        .form("/console/users-add", .operator),
        .form("/console/users-invite", .operator),
        .form("/console/users-bulk", .operator, .support),
        .page("/console/users-bulk/result", .operator, .support),
        .form("/console/users-import"),
        .page("/console/users-import/result"),
        .repeating("/console/users-export"),
        .page("/console/users/{user}", .operator, .support, .auditor),
        .page("/console/users/{user}/factors", .operator, .support, .auditor),
        .page("/console/users/{user}/sessions", .operator, .support, .auditor),
        .page("/console/users/{user}/applications", .operator, .support, .auditor),
        .page("/console/users/{user}/checks", .operator, .auditor),
        .page("/console/users/{user}/log", .operator, .auditor),
        .page("/console/users/{user}/data", .operator, .support, .auditor),
        .file("/console/users/{user}/data.json", .operator, .support, .auditor),
        .form("/console/users/{user}/disable", .operator),
        .form("/console/users/{user}/enable", .operator),
        .form("/console/users/{user}/end-sessions", .operator, .support),
        .form("/console/users/{user}/sessions/{session}/end", .operator, .support),
        .form("/console/users/{user}/applications/{application}/revoke", .operator, .support),
        .form("/console/users/{user}/factors/{factor}/remove", .operator),
        .form("/console/users/{user}/reset-mfa", .operator),
        .form("/console/users/{user}/reset-password", .operator, .support),
        .form("/console/users/{user}/edit", .operator),
        .form("/console/users/{user}/add-to-group", .operator),
        .form("/console/users/{user}/mail-recovery-code", .operator, .support),
        .form("/console/users/{user}/invite-to-enrol", .operator, .support),
        .form("/console/users/{user}/mail-confirmation", .operator, .support),
        .form("/console/users/{user}/delete", .operator),
        .page("/console/groups", .operator, .support, .auditor),
        .form("/console/groups-add", .operator),
        .page("/console/groups/{group}", .operator, .support, .auditor),
        .form("/console/groups/{group}/settings", .operator),
        .form("/console/groups/{group}/add-member", .operator),
        .form("/console/groups/{group}/members/{user}/remove", .operator),
        .form("/console/groups/{group}/remove", .operator),
        .page("/console/administrators", .auditor),
        .form("/console/administrators/grant"),
        .form("/console/administrators/{user}/revoke"),
        .page("/console/tokens", .auditor),
        .form("/console/tokens/add"),
        .form("/console/tokens/{token}/revoke"),
        .page("/console/figures", .operator, .support, .auditor),
        .page("/console/hooks", .auditor),
        .form("/console/hooks/add"),
        .page("/console/hooks/{hook}", .auditor),
        .form("/console/hooks/{hook}/settings"),
        .form("/console/hooks/{hook}/secret"),
        .form("/console/hooks/{hook}/test"),
        .form("/console/hooks/{hook}/replay"),
        .form("/console/hooks/{hook}/enable"),
        .form("/console/hooks/{hook}/disable"),
        .form("/console/hooks/{hook}/remove"),
        .page("/console/log", .operator, .auditor),
        .page("/console/log/{event}", .operator, .auditor),
        .file("/console/log-export", .operator, .auditor),
        .form("/console/log-accept?seal={seal}"),
        .page("/console/settings", .auditor),
        .page("/console/settings/{key}"),
        .form("/console/settings/{key}/change"),
        .page("/console/rules", .auditor),
        .page("/console/keys", .auditor),
        .form("/console/keys/rotate"),
        .form("/console/keys/{kid}/retire"),
        .page("/console/limits", .operator, .support, .auditor),
        .form("/console/limits/lift?kind={limit}&subject={subject}", .operator),
        .page("/console/delivery", .operator, .auditor),
        .form("/console/delivery/retry?channel={channel}", .operator),
        .form("/console/delivery/test-mail", .operator),
        .form("/console/delivery/test-push", .operator),
        .page("/console/delivery/templates", .operator, .auditor),
        .page("/console/delivery/templates/{template}", .operator, .auditor),
        .page("/console/extensions", .auditor),
        .page("/console/extensions/{extension}", .auditor),
        .form("/console/extensions/add"),
        .form("/console/extensions/{extension}/settings"),
        .form("/console/extensions/{extension}/check"),
        .form("/console/extensions/{extension}/remove"),
        .page("/console/doctor", .auditor),
        .page("/console/applications", .operator, .auditor),
        .page("/console/applications/{id}", .operator, .auditor),
        .page("/console/applications/{id}/sessions", .operator, .support, .auditor),
        .form("/console/applications-add", .operator),
        .form("/console/applications/{id}/settings", .operator),
        .form("/console/applications/{id}/logo", .operator),
        .form("/console/applications/{id}/version", .operator),
        .form("/console/applications/{id}/version-remove?platform={platform}&number={number}", .operator),
        .form("/console/applications/{id}/secret", .operator),
        .form("/console/applications/{id}/disable", .operator),
        .form("/console/applications/{id}/enable", .operator),
        .form("/console/applications/{id}/remove", .operator),
        .page("/console/apis", .operator, .auditor),
        .form("/console/apis/put", .operator),
        .form("/console/apis/remove?uri={uri}", .operator),
        .page("/console/registrations", .operator, .auditor),
        .form("/console/registrations/{registered}/approve", .operator),
        .form("/console/registrations/{registered}/withdraw", .operator),
        .page("/console/registrations-tokens", .operator, .auditor),
        .form("/console/registrations-tokens/add", .operator),
        .form("/console/registrations-tokens/{initial}/remove", .operator),
        .page("/console/registrations-documents", .operator, .auditor),
        .form("/console/registrations-documents/forget?document={document}", .operator),
        .form("/console/registrations-documents/block", .operator),
        .form("/console/registrations-documents/unblock?pattern={pattern}", .operator),
        .page("/console/checks-catalogue", .operator, .auditor),
        .page("/console/checks", .operator, .auditor),
        .page("/console/checks/client", .operator, .auditor),
        .page("/console/checks/open", .operator, .auditor),
        .form("/console/checks/status?client={client}", .operator),
        .form("/console/checks/unblock?client={client}&check={check}", .operator),
        .form("/console/checks/remove?client={client}", .operator),
    ]
}
