import AdminServer
import CountersignCore
import WebPages

/// What the users are called whom a page knows by their ids, looked up all at once. A user who was removed since is known by the id alone.
struct UserNames: Sendable {
    private var names: [String: String] = [:]

    private static let user = "user:"

    /// - Parameters:
    ///   - ids: of users.
    ///   - actors: who did something, as the log names them: `user:ID`, `token:ID` or `admin-token`; nil for the command line.
    init(_ ids: [String?] = [], actors: [String?] = [], _ scene: ConsoleScene) async throws {
        guard scene.may(NameUsers.right) else { return }
        let all = Set(ids.compactMap(\.self) + actors.compactMap { $0.flatMap(Self.id) })
        let wanted = all.filter { !$0.isEmpty }.sorted().prefix(NameUsers.most)
        guard !wanted.isEmpty else { return }
        for user in try await scene.perform(NameUsers(ids: Array(wanted))).users { names[user.id] = user.shownName }
    }

    /// What a user is called; the id of one who is not there.
    func name(_ id: String) -> String { names[id] ?? id }

    /// The page of a user who is there.
    func path(_ id: String) -> String? { names[id] == nil ? nil : ConsolePath.to("users", id) }

    /// A user by name and id, leading to the user's page.
    func cell(_ id: String?) -> PageTable.Cell {
        guard let id else { return .init(PageText("–")) }
        return .init(text(id), to: path(id))
    }

    func text(_ id: String) -> PageText {
        guard let name = names[id], name != id else { return PageText(chosen: id) }
        return PageText(lines: [PageText(chosen: name), PageText(chosen: id)])
    }

    /// Who did something.
    func cell(actor: String?, _ words: Words) -> PageTable.Cell {
        guard let actor else { return .init(words("consoleCommandLine")) }
        guard let id = Self.id(actor), !isLikeToken(id) else {
            return .init(PageText(chosen: actor), to: path(actor: actor))
        }
        return cell(id)
    }

    /// Who did something, as a fact or in a sentence.
    func name(actor: String) -> String {
        guard let id = Self.id(actor), !isLikeToken(id) else { return actor }
        return name(id)
    }

    /// Whether a user is called as the log calls a token. Then the user is named as the log does, who is no token there.
    private func isLikeToken(_ id: String) -> Bool {
        let name = name(id)
        return name == AdministratorToken.actor || name.hasPrefix("token:")
    }

    func path(actor: String) -> String? { Self.id(actor).flatMap { path($0) } }

    private static func id(_ actor: String) -> String? {
        actor.hasPrefix(user) ? String(actor.dropFirst(user.count)) : nil
    }
}
