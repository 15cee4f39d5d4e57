import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/security`: everything that the account can be signed in with.
struct SecurityPage: Sendable {
    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let realm = account.realm
        let factors = try await realm.accounts.dossier(account.user.id)?.factors ?? []
        let passkeys = try realm.passkeys.list(among: factors.map(\.record))
        var page = account.page("account-security", in: .security, words("accountSecurity"), words("securityText"))

        page.blocks.append(.heading(words.plain("securityPassword")))
        let hasPassword = factors.contains { $0.record.kind == .password }
        let changed = account.user.passwordChangedAt
        page.blocks.append(
            .text(
                !hasPassword
                    ? words("securityNoPassword")
                    : changed.map { words("securityPasswordAge", ["when": account.ago($0)]) }
                        ?? words("securityPasswordSet")))

        if account.scene.passkeySite != nil {
            page.blocks.append(.heading(words.plain("accountPasskeys")))
            page.blocks.append(
                passkeys.isEmpty
                    ? .text(words("accountNoPasskeys")) : .items(passkeys.map { item($0, account) }))
            page.blocks.append(
                .links([.init(words("passkeyAdd"), to: AccountPasskeys.page, isButton: true, isSecondary: true)]))
            let signals = try AccountPasskeys().signals(passkeys, account)
            page.blocks += signals
            if !signals.isEmpty { page.script = .passkey }
        }

        page.blocks.append(.heading(words.plain("securitySecond")))
        let second = factors.map(\.record).filter { [.totp, .push].contains($0.kind) }
        page.blocks.append(
            second.isEmpty ? .text(words("securityNoSecond")) : .items(second.map { item($0, account) }))
        return account.show(page)
    }

    private func item(_ passkey: PasskeyAccounts.Passkey, _ account: AccountScene) -> PageBlock.Item {
        let words = account.words
        var item = item(passkey.factor, account)
        item.details.insert(
            words(
                "passkeyMade",
                [
                    "date": account.ago(passkey.factor.createdAt),
                    "agent": .chosen(BrowserName.text(of: passkey.userAgent, words)),
                ]), at: 0)
        item.details.remove(at: 1)
        if let product = passkey.productName {
            item.details.append(
                words(passkey.isAttested ? "passkeyModel" : "passkeyClaimedModel", ["model": .words(product)]))
        }
        if passkey.isBackedUp { item.details.append(words("passkeySynced")) }
        if passkey.isSuspicious { item.details.append(words("passkeySuspicious")) }
        return item
    }

    private func item(_ factor: FactorRecord, _ account: AccountScene) -> PageBlock.Item {
        let words = account.words
        var details = [words("factorAdded", ["date": account.ago(factor.createdAt)])]
        details.append(
            factor.lastUsedAt.map { words("passkeyUsed", ["date": account.ago($0)]) } ?? words("factorUnused"))
        return PageBlock.Item(
            FactorPage.name(of: factor, words), mark: .init(words(FactorPage.kind(of: factor.kind))), details: details,
            links: [.init(words("factorManage"), to: FactorPage.path(of: factor.id))])
    }
}

/// `/account/factor?id=…`: one of the things that the account can be signed in with. It is renamed, or removed.
struct FactorPage: Sendable {
    static let purpose = "factor"

    static func path(of id: FactorID) -> String { PagePath("/account/factor", [("id", id.rawValue)]).text }

    static func name(of factor: FactorRecord, _ words: Words) -> PageText {
        factor.name.isEmpty ? words(kind(of: factor.kind)) : PageText(chosen: factor.name)
    }

    /// The key of what a kind is called.
    static func kind(of kind: FactorKind) -> String {
        switch kind {
        case .passkey: "kindPasskey"
        case .totp: "kindTOTP"
        case .push: "kindPush"
        case .password: "kindPassword"
        case .recoveryCode: "kindRecovery"
        default: "kindOther"
        }
    }

    func show(_ account: inout AccountScene) async throws -> Response { try await page(account) }

    private func page(
        _ account: AccountScene, problem: PageText? = nil, isOfName: Bool = false
    ) async throws -> Response {
        let words = account.words
        let factors = try await account.realm.accounts.dossier(account.user.id)?.factors.map(\.record) ?? []
        guard let factor = factors.first(where: { $0.id.rawValue == account.field("id") }),
            [.passkey, .totp, .push].contains(factor.kind)
        else { return account.redirect(to: AccountSection.security.path) }
        var page = account.page(
            "account-factor", in: .security, Self.name(of: factor, words), words(Self.kind(of: factor.kind)),
            problem: problem)
        page.problemField = isOfName ? "name" : nil
        let id = [("id", factor.id.rawValue)]
        page.blocks = [
            .facts([
                .init(words.plain("factAdded"), words.moment(factor.createdAt, now: account.now)),
                .init(
                    words.plain("factUsed"),
                    factor.lastUsedAt.map { words.moment($0, now: account.now) } ?? words("factorUnused")),
            ]),
            .heading(words.plain("factorRename")),
            .form(
                PageForm(
                    action: "/account/factor", hidden: account.hidden(Self.purpose, id),
                    fields: [
                        PageField(
                            name: "name", label: words.plain("factorName"), value: PageText.harmless(factor.name),
                            autocomplete: "off", maximumLength: 64, isFirst: false, isInvalid: isOfName)
                    ],
                    buttons: [.init(words.plain("save"), name: "decision", value: "rename", isSecondary: true)])),
            .heading(words.plain("factorRemove")),
            .text(words(factors.count { $0.kind != .recoveryCode } > 1 ? "factorRemoveText" : "factorRemoveLast")),
            .form(
                PageForm(
                    action: "/account/factor", hidden: account.hidden(Self.purpose, id),
                    buttons: [
                        .init(words.plain("factorRemoveButton"), name: "decision", value: "remove", isSecondary: true)
                    ])),
            .links([.init(words("accountBackToSecurity"), to: AccountSection.security.path)]),
        ]
        return account.show(page)
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        guard let id = account.field("id").map(FactorID.init(rawValue:)) else {
            return account.redirect(to: AccountSection.security.path)
        }
        switch account.field("decision") {
        case "rename":
            guard let name = account.field("name")?.trimmingCharacters(in: .whitespacesAndNewlines), !name.isEmpty,
                name.count <= 64
            else { return try await page(account, problem: account.words("factorNameProblem"), isOfName: true) }
            _ = try await account.realm.enrolments.rename(id, of: account.user.id, to: name, by: account.client)
            return account.redirect(to: AccountSection.security.path, done: "renamed")
        case "remove":
            let outcome = try await account.realm.enrolments.removeOwn(
                (id: id, onlyCodes: false), of: account.own, by: account.client)
            switch outcome {
            case .removed, .unknownFactor:
                return account.redirect(to: AccountSection.security.path, done: "factor-removed")
            case .lastWayIn: return try await page(account, problem: account.words("passkeyLast"))
            case .refused: return try await page(account, problem: account.words("passkeyTooOld"))
            }
        default: return try await page(account, problem: account.words("accountUnanswered"))
        }
    }
}
