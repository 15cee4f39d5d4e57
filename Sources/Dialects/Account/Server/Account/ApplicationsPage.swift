import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/applications`: what applications were allowed.
struct ApplicationsPage: Sendable {
    static let purpose = "revoke"

    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        var items: [PageBlock.Item] = []
        for consent in try await account.realm.consents.list(of: account.user.id) {
            let application = try await account.realm.applications.application(consent.client)
            let scopes = consent.scopes.map { ConsentPage.text(of: $0, words).plain }.joined(separator: ", ")
            items.append(
                .init(
                    PageText(chosen: application?.shownName ?? consent.client.rawValue),
                    details: [
                        words("accountScopes", ["scopes": .chosen(scopes)]),
                        words("accountSince", ["date": account.ago(consent.createdAt)]),
                    ],
                    form: account.button(
                        "revoke", AccountSection.applications.path, for: Self.purpose,
                        [("client", consent.client.rawValue)])))
        }
        var page = account.page(
            "account-applications", in: .applications, words("accountApplications"), words("applicationsText"))
        page.blocks.append(items.isEmpty ? .text(words("accountNoApplications")) : .items(items))
        return account.show(page)
    }

    /// Takes back what an application was allowed.
    func revoke(_ account: inout AccountScene) async throws -> Response {
        if let client = account.field("client") {
            _ = try await account.realm.consents.revoke(
                ClientID(rawValue: client), of: account.user.id, by: account.client)
        }
        return account.redirect(to: AccountSection.applications.path, done: "revoked")
    }
}
