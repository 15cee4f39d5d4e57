import AdminServer
import CountersignCore
import WebPages

/// Who gave something, as lists show it: the log and the rows know ids.
struct Granters: Sendable {
    /// What users are called, by id.
    private var names: [String: String] = [:]

    /// Users who are looked up for one page.
    private static let most = 20
    private static let user = "user:"

    /// - Parameter granters: `user:ID` or `token:ID`; nil for the command line.
    init(_ granters: [String?], _ scene: ConsoleScene) async throws {
        guard scene.may(.readUsers) else { return }
        for id in Set(granters.compactMap { $0.flatMap(Self.id) }).sorted().prefix(Self.most) {
            do {
                names[id] = try await scene.perform(ShowUser(user: id)).user.shownName
            } catch let error as AdministrationError where error.code == .notFound {
                // A user who was removed since is known by the id alone.
                continue
            }
        }
    }

    func cell(_ granter: String?, _ words: Words) -> PageTable.Cell {
        guard let granter else { return .init(words("consoleCommandLine")) }
        guard let id = Self.id(granter), let name = names[id] else { return .init(PageText(chosen: granter)) }
        return .init(PageText(chosen: name), to: ConsolePath.to("users", id))
    }

    private static func id(_ granter: String) -> String? {
        granter.hasPrefix(user) ? String(granter.dropFirst(user.count)) : nil
    }
}
