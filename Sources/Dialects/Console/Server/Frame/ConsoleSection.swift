import AdminServer
import CountersignCore
import WebPages

/// An entry of the console's menu, in the menu's order.
enum ConsoleSection: String, Sendable, CaseIterable {
    case overview, users, groups, limits, applications, apis, registrations, catalogue, checks, rules, settings, doctor
    case log, figures, delivery, hooks, extensions, keys, administrators, tokens

    /// The key of what sections have in common, at the first of them; nil: they belong to those before.
    var heading: String? {
        switch self {
        case .users: "consolePeople"
        case .applications: "consoleApplicationsAndAPIs"
        case .rules, .settings: "consoleSecurity"
        case .log: "consoleWatching"
        case .hooks: "consoleServerItself"
        default: nil
        }
    }

    /// The path of its first page; nil where it has none.
    var path: String? { entry.map { "/" + $0.fullPath } }

    /// The same for a role; nil where it may not see it.
    func path(for role: AdministratorRole) -> String? {
        guard let entry, entry.right.map(role.rights.contains) ?? true else { return nil }
        return "/" + entry.fullPath
    }

    fileprivate var entry: ConsoleRoute? { Console.routes.first { $0.section == self && $0.isEntry } }

    /// The key of its label.
    var label: String {
        switch self {
        case .overview: "consoleOverview"
        case .users: "consoleUsers"
        case .groups: "consoleGroups"
        case .administrators: "consoleAdministrators"
        case .tokens: "consoleTokens"
        case .applications: "consoleApplications"
        case .apis: "consoleAPIs"
        case .registrations: "consoleRegistrations"
        case .rules: "consoleRules"
        case .limits: "consoleLimits"
        case .keys: "consoleKeys"
        case .delivery: "consoleDelivery"
        case .hooks: "consoleHooks"
        case .figures: "consoleFigures"
        case .catalogue: "consoleCatalogue"
        case .checks: "consoleClients"
        case .log: "consoleLog"
        case .settings: "consoleSettings"
        case .doctor: "consoleDoctor"
        case .extensions: "consoleExtensions"
        }
    }
}

extension PageMenu {
    /// The sections whose first page the role may see.
    init(of role: AdministratorRole, in section: ConsoleSection?, who: PageText, words: Words) {
        var (heading, last): (String?, String?) = (nil, nil)
        let entries = ConsoleSection.allCases.compactMap { candidate -> Entry? in
            heading = candidate.heading ?? heading
            guard let path = candidate.path(for: role) else { return nil }
            // A group of which the role sees a later section alone has its heading there.
            defer { last = heading }
            return Entry(
                words.plain(candidate.label), to: path, isPresent: candidate == section,
                heading: heading == last ? nil : heading.map { words.plain($0) })
        }
        self.init(label: words.plain("consoleMenu"), entries: entries, who: who)
        folding = Folding(
            opener: words.plain(
                "consoleMenuOpen", ["section": .words(words.plain(section?.label ?? "consoleMenu"))]),
            closer: words.plain("consoleMenuClose"))
    }
}
