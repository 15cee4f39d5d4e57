import AdminServer
import CountersignCore
import WebPages

/// An entry of the console's menu, in the menu's order.
enum ConsoleSection: String, Sendable, CaseIterable {
    case overview, users, groups, administrators, tokens, applications, apis, registrations, rules, limits, keys,
        delivery
    case hooks, figures, checks, log, settings, doctor

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
        case .checks: "consoleChecks"
        case .log: "consoleLog"
        case .settings: "consoleSettings"
        case .doctor: "consoleDoctor"
        }
    }
}

extension PageMenu {
    /// The sections whose first page the role may see.
    init(of role: AdministratorRole, in section: ConsoleSection?, who: PageText, words: Words) {
        let entries = ConsoleSection.allCases.compactMap { candidate -> Entry? in
            guard let route = Console.routes.first(where: { $0.section == candidate && $0.isEntry }),
                route.right.map(role.rights.contains) ?? true
            else { return nil }
            return Entry(words.plain(candidate.label), to: "/" + route.fullPath, isPresent: candidate == section)
        }
        self.init(label: words.plain("consoleMenu"), entries: entries, who: who)
    }
}
