import CountersignCore

/// A page of the console, and the roles that see it. Written by hand, beside the program's own table.
struct ConsoleRow: Sendable {
    /// As routes spell it. Parts in braces are objects: without the right the page looks as if there were none.
    let path: String
    let roles: Set<AdministratorRole>
    /// Whether it has a form that changes something.
    let isForm: Bool

    private init(_ path: String, isForm: Bool, _ roles: Set<AdministratorRole>) {
        self.path = path
        self.isForm = isForm
        // The owner may do everything.
        self.roles = roles.union([.owner])
    }

    static func page(_ path: String, _ roles: AdministratorRole...) -> ConsoleRow {
        ConsoleRow(path, isForm: false, Set(roles))
    }

    static func form(_ path: String, _ roles: AdministratorRole...) -> ConsoleRow {
        ConsoleRow(path, isForm: true, Set(roles))
    }

    var isOfObject: Bool { path.contains("{") }

    /// The path about things that ``ConsoleStage`` has made.
    func path(_ objects: [String: String]) -> String {
        objects.reduce(path) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    /// Every page.
    static let all: [ConsoleRow] = [
        .page("/console", .operator, .support, .auditor)
    ]
}
