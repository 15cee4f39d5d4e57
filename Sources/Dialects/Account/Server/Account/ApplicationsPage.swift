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
        let applications: [OwnApplication]
        switch try await account.realm.ownAccount.applications(of: account.own) {
        case .success(let found): applications = found
        case .failure(let refusal): return account.unavailable(refusal, .applications)
        }
        var page = account.page(
            "account-applications", in: .applications, words("accountApplications"), words("applicationsText"))
        let items = applications.filter { $0.id.rawValue != "account" }.map { item($0, account) }
        page.blocks.append(items.isEmpty ? .text(words("accountNoApplications")) : .items(items))
        return account.show(page)
    }

    private func item(_ application: OwnApplication, _ account: AccountScene) -> PageBlock.Item {
        let words = account.words
        let separator = words.plain("listSeparator")
        let scopes = application.scopes.map { ConsentPage.text(of: $0, words).plain }.joined(separator: separator)
        var details = [words("accountScopes", ["scopes": .chosen(scopes)])]
        if let registration = application.registration, registration.oauth.isUnchecked {
            let isItself = registration.oauth.selfRegistration != nil
            details.append(
                words(
                    isItself ? "applicationRegistered" : "applicationDocument",
                    ["host": .chosen(registration.shownHost ?? application.id.rawValue)]))
        }
        if !application.resources.isEmpty {
            details.append(
                words(
                    "applicationResources",
                    ["resources": .chosen(application.resources.joined(separator: separator))]))
        }
        details.append(
            application.lastUsedAt.map {
                words("applicationUsed", ["date": account.ago(application.since), "when": account.ago($0)])
            } ?? words("accountSince", ["date": account.ago(application.since)]))
        return PageBlock.Item(
            PageText(
                chosen: application.registration?.displayName(in: words.language.rawValue) ?? application.id.rawValue),
            mark: mark(of: application, account), details: details,
            form: account.button(
                "revoke", AccountSection.applications.path, for: Self.purpose, [("client", application.id.rawValue)]))
    }

    private func mark(of application: OwnApplication, _ account: AccountScene) -> PageBlock.Mark? {
        if application.registration?.oauth.isUnchecked == true {
            return .init(account.words("applicationUnchecked", ["site": .words(account.scene.visit.site.name)]))
        }
        return application.consent == nil ? .init(account.words("applicationOwn")) : nil
    }

    /// Takes back what an application was allowed.
    func revoke(_ account: inout AccountScene) async throws -> Response {
        let path = AccountSection.applications.path
        guard let client = account.field("client") else { return account.redirect(to: path) }
        let outcome = try await account.realm.ownAccount.revokeApplication(
            ClientID(rawValue: client), of: account.own, by: account.client)
        switch outcome.refusal {
        case nil: return try account.redirect(to: path, saying: "revoked")
        // It was taken back already.
        case .unknown?: return account.redirect(to: path)
        case .proofTooOld?: return try account.confirm(backTo: path)
        case let refusal?: return account.unavailable(refusal, .applications)
        }
    }
}
