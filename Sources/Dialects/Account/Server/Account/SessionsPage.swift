import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/sessions`: where the account is signed in.
struct SessionsPage: Sendable {
    static let purpose = "end"
    /// Sessions that are shown, the newest.
    private static let shownSessions = 100

    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let sessions = try await living(account)
        let others = sessions.filter { $0.session.id != account.session.id }
        var page = account.page("account-sessions", in: .sessions, words("accountSessions"), words("sessionsText"))
        page.blocks.append(
            .items(
                sessions.sorted { one, _ in one.session.id == account.session.id }.map { item($0.session, account) }))
        if !others.isEmpty {
            page.blocks.append(
                .form(
                    PageForm(
                        action: AccountSection.sessions.path, hidden: account.hidden(Self.purpose),
                        buttons: [.init(words.plain("sessionsEndAll"), name: "decision", value: "others")])))
        }
        return account.show(page)
    }

    private func living(_ account: AccountScene) async throws -> [SessionListing] {
        try await account.realm.sessions.list(of: account.user.id, limit: Self.shownSessions).filter {
            $0.isLiving(of: account.user, at: account.now)
        }
    }

    private func item(_ session: Session, _ account: AccountScene) -> PageBlock.Item {
        let words = account.words
        let isHere = session.id == account.session.id
        return PageBlock.Item(
            PageText(chosen: BrowserName.text(of: session.origin.userAgent, words)),
            mark: isHere ? .init(words("sessionHere"), .good) : nil,
            details: [
                words("sessionAddress", ["address": .chosen(session.origin.address ?? words.plain("unknown"))]),
                words("sessionSince", ["date": account.ago(session.createdAt)]),
            ],
            form: isHere
                ? nil
                : account.button(
                    "sessionEnd", AccountSection.sessions.path, for: Self.purpose, [("session", session.id.rawValue)]))
    }

    /// Ends one of the user's other sessions, or all of them.
    func end(_ account: inout AccountScene) async throws -> Response {
        let sessions = account.realm.sessions
        if account.field("decision") == "others" {
            for listing in try await sessions.list(of: account.user.id, limit: 1000)
            where listing.session.revokedAt == nil && listing.session.id != account.session.id {
                _ = try await sessions.end(listing.session.id, of: account.user.id, by: account.client)
            }
            return account.redirect(to: AccountSection.sessions.path, done: "all-ended")
        }
        if let id = account.field("session") {
            _ = try await sessions.end(SessionID(rawValue: id), of: account.user.id, by: account.client)
        }
        return account.redirect(to: AccountSection.sessions.path, done: "ended")
    }
}
