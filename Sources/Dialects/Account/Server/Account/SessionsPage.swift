import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/sessions`: where the account is signed in, by device, with the applications that were used there.
struct SessionsPage: Sendable {
    static let purpose = "end"

    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let devices: [OwnDevice]
        switch try await account.realm.ownAccount.devices(of: account.own) {
        case .success(let found): devices = found
        case .failure(let refusal): return account.unavailable(refusal, .sessions)
        }
        var page = account.page("account-sessions", in: .sessions, words("accountSessions"), words("sessionsText"))
        for device in devices {
            page.blocks.append(.heading(PageText.harmless(BrowserName.text(of: device.userAgent, words))))
            page.blocks.append(
                .text(
                    words(
                        "sessionDevice",
                        [
                            "address": .chosen(device.address ?? words.plain("unknown")),
                            "first": account.ago(device.firstSeenAt), "last": account.ago(device.lastSeenAt),
                        ])))
            page.blocks.append(.items(device.sessions.map { item($0, account) }))
        }
        if devices.contains(where: { $0.sessions.contains { !$0.isCurrent } }) {
            page.blocks.append(.heading(words.plain("sessionsElsewhere")))
            page.blocks.append(
                .form(
                    PageForm(
                        action: AccountSection.sessions.path, hidden: account.hidden(Self.purpose),
                        buttons: [.init(words.plain("sessionsEndAll"), name: "decision", value: "others")])))
        }
        return account.show(page)
    }

    private func item(_ presence: OwnPresence, _ account: AccountScene) -> PageBlock.Item {
        let words = account.words
        let session = presence.session
        var kinds: [String] = []
        for proof in session.proofs {
            let kind = words.plain(FactorPage.kind(of: proof.kind))
            if !kinds.contains(kind) { kinds.append(kind) }
        }
        var details = [
            words("sessionProven", ["kinds": .words(kinds.joined(separator: words.plain("listSeparator")))])
        ]
        details += presence.applications.filter { $0.id.rawValue != "account" }.map { application in
            words(
                "sessionApplication",
                [
                    "application": .chosen(application.name ?? application.id.rawValue),
                    "when": account.ago(application.lastUsedAt),
                ])
        }
        return PageBlock.Item(
            words("sessionSince", ["date": account.ago(session.createdAt)]),
            mark: presence.isCurrent ? .init(words("sessionHere"), .good) : nil, details: details,
            form: presence.isCurrent
                ? nil
                : account.button(
                    "sessionEnd", AccountSection.sessions.path, for: Self.purpose, [("session", session.id.rawValue)]))
    }

    /// Ends one of the user's other sessions, or all of them.
    func end(_ account: inout AccountScene) async throws -> Response {
        let path = AccountSection.sessions.path
        let own = account.realm.ownAccount
        let refusal: OwnAccount.Refusal?
        let endsOthers = account.field("decision") == "others"
        if endsOthers {
            refusal = try await own.endOtherSessions(of: account.own, by: account.client).refusal
        } else {
            guard let id = account.field("session"), id != account.session.id.rawValue else {
                return account.redirect(to: path)
            }
            refusal = try await own.endSession(SessionID(rawValue: id), of: account.own, by: account.client).refusal
        }
        switch refusal {
        case nil: return try account.redirect(to: path, saying: endsOthers ? "sessionsEnded" : "sessionEnded")
        // It has ended already.
        case .unknown?: return account.redirect(to: path)
        case .proofTooOld?: return try account.confirm(backTo: path)
        case let refusal?: return account.unavailable(refusal, .sessions)
        }
    }
}
