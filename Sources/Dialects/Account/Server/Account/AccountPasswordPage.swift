import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/password`: sets, changes or removes the password.
struct AccountPasswordPage: Sendable {
    static let path = "/account/password"
    static let purpose = "account-password"

    func show(_ account: inout AccountScene) async throws -> Response { try await page(account) }

    private func page(
        _ account: AccountScene, problem: PageText? = nil, isOfPassword: Bool = false
    ) async throws -> Response {
        let words = account.words
        var password: OwnFactor?
        switch try await account.realm.ownAccount.factors(of: account.own) {
        case .success(let factors): password = factors.first { $0.record.kind == .password }
        case .failure(let refusal): return account.unavailable(refusal, .security)
        }
        let minimum = try await account.realm.accounts.minimumPasswordLength(of: account.user.id)
        var page = account.page(
            "account-password", in: .security, words(password == nil ? "passwordSetTitle" : "passwordChangeTitle"),
            words("passwordEndsOthers"), problem: problem)
        page.problemField = isOfPassword ? "new_password" : nil
        page.blocks.append(
            .form(
                PageForm(
                    action: Self.path, hidden: account.hidden(Self.purpose), account: account.user.email?.canonical,
                    fields: [
                        .newPassword(
                            name: "new_password", label: words.plain("newPasswordLabel", ["count": .number(minimum)]),
                            advice: words.plain("newPasswordAdvice"), minimumLength: minimum, isInvalid: isOfPassword,
                            revealLabel: words.plain("showPassword"))
                    ], buttons: [.init(words.plain("save"))])))
        if let password {
            page.blocks.append(.heading(words.plain("passwordRemoveTitle")))
            if password.isLastWayIn {
                page.blocks.append(.text(words("passkeyLast")))
            } else {
                page.blocks.append(.text(words("passwordRemoveText")))
                page.blocks.append(
                    .form(
                        PageForm(
                            action: Self.path, hidden: account.hidden(Self.purpose),
                            buttons: [
                                .init(
                                    words.plain("passwordRemoveButton"), name: "decision", value: "remove",
                                    isSecondary: true)
                            ])))
            }
        }
        page.blocks.append(.links([.init(words("accountBackToSecurity"), to: AccountSection.security.path)]))
        return account.show(page)
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        let own = account.realm.ownAccount
        let refusal: OwnAccount.Refusal?
        var done = "passwordChangedDone"
        if account.field("decision") == "remove" {
            done = "passwordRemovedDone"
            refusal = try await own.removePassword(of: account.own, by: account.client).refusal
        } else {
            refusal = try await own.setPassword(
                Secret(account.fields["new_password"] ?? ""), of: account.own, by: account.client
            ).refusal
        }
        guard let refusal else { return try account.redirect(to: AccountSection.security.path, saying: done) }
        var isOfPassword = false
        if case .weakPassword = refusal { isOfPassword = true }
        let account = account
        return try await account.refused(refusal, backTo: Self.path) {
            try await page(account, problem: $0, isOfPassword: isOfPassword)
        }
    }
}
