import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/security`: everything that the account can be signed in with.
struct SecurityPage: Sendable {
    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let factors: [OwnFactor]
        switch try await account.realm.ownAccount.factors(of: account.own) {
        case .success(let found): factors = found
        case .failure(let refusal): return account.unavailable(refusal, .security)
        }
        let settings = try await account.realm.settings().secondFactors
        var page = account.page("account-security", in: .security, words("accountSecurity"), words("securityText"))
        func of(_ kind: FactorKind) -> [OwnFactor] { factors.filter { $0.record.kind == kind } }
        let passkeys = try account.realm.passkeys.list(among: of(.passkey).map(\.record))

        page.blocks.append(.heading(words.plain("securityPassword")))
        page.blocks.append(password(of(.password).first, account))
        if account.scene.passkeySite != nil || !of(.passkey).isEmpty {
            page.blocks.append(.heading(words.plain("accountPasskeys"), anchor: "passkeys"))
            page.blocks.append(list(of(.passkey), none: "accountNoPasskeys", passkeys, account))
            page.blocks.append(
                .links([.init(words("passkeyAdd"), to: AccountPasskeys.page, isButton: true, isSecondary: true)]))
            let signals = try AccountPasskeys().signals(passkeys, account)
            page.blocks += signals
            if !signals.isEmpty { page.script = .passkey }
        }
        page.blocks.append(.heading(words.plain("securityAuthenticators")))
        page.blocks.append(list(of(.totp), none: "securityNoAuthenticator", [], account))
        if settings.offersTOTP, settings.state != .disabled {
            page.blocks.append(
                .form(account.button("authenticatorAdd", AuthenticatorPage.path, for: AuthenticatorPage.purpose)))
        }
        page.blocks.append(.heading(words.plain("securityDevices")))
        page.blocks.append(list(of(.push), none: "securityNoDevice", [], account))
        if settings.offersPush, settings.state != .disabled, account.scene.pages.options.deviceLink != nil {
            page.blocks.append(.form(account.button("deviceAdd", DevicePage.path, for: DevicePage.purpose)))
        }
        // They come by applications that register one in a sign-in.
        let mailboxes = of(.email)
        if !mailboxes.isEmpty {
            page.blocks.append(.heading(words.plain("securityMailboxes")))
            page.blocks.append(.items(mailboxes.map { item($0, nil, account) }))
        }
        page.blocks += recovery(of(.recoveryCode).first, hasSecond: factors.contains(where: \.isSecondFactor), account)
        return account.show(page)
    }

    private func password(_ factor: OwnFactor?, _ account: AccountScene) -> PageBlock {
        let words = account.words
        let changed = account.user.passwordChangedAt
        var used: [PageBlock.Fact] = []
        if let factor, factor.lastUsedAt != nil { used = [FactorPage.lastUse(of: factor, account)] }
        return .facts(
            [
                .init(
                    words.plain("securityPasswordState"),
                    factor == nil
                        ? words("securityNoPassword")
                        : changed.map { words("securityPasswordAge", ["when": account.ago($0)]) }
                            ?? words("securityPasswordSet"),
                    mark: factor?.isFrozen == true ? FactorPage.frozen(words) : nil,
                    link: .init(
                        words(factor == nil ? "passwordSetLink" : "passwordChangeLink"), to: AccountPasswordPage.path))
            ] + used)
    }

    private func list(
        _ factors: [OwnFactor], none: String, _ passkeys: [PasskeyAccounts.Passkey], _ account: AccountScene
    ) -> PageBlock {
        factors.isEmpty
            ? .text(account.words(none))
            : .items(factors.map { factor in item(factor, passkeys.first { $0.id == factor.id }, account) })
    }

    private func item(
        _ factor: OwnFactor, _ passkey: PasskeyAccounts.Passkey?, _ account: AccountScene
    ) -> PageBlock.Item {
        let words = account.words
        var details = FactorPage.details(of: factor, account)
        if let passkey, let product = passkey.productName {
            details.append(
                words(passkey.isAttested ? "passkeyModel" : "passkeyClaimedModel", ["model": .words(product)]))
        }
        if factor.isBackedUp == true { details.append(words("passkeySynced")) }
        if factor.isSuspicious { details.append(words("passkeySuspicious")) }
        return PageBlock.Item(
            FactorPage.name(of: factor.record, at: factor.address, words),
            mark: factor.isFrozen ? FactorPage.frozen(words) : nil,
            details: details, links: [.init(words("factorManage"), to: FactorPage.path(of: factor.id))])
    }

    private func recovery(_ codes: OwnFactor?, hasSecond: Bool, _ account: AccountScene) -> [PageBlock] {
        guard codes != nil || hasSecond else { return [] }
        let words = account.words
        let left = codes?.codesLeft ?? 0
        let value =
            codes == nil
            ? words("recoveryNone") : words("recoveryLeft", ["count": .number(left)])
        return [
            .heading(words.plain("kindRecovery")),
            .facts([
                .init(
                    words.plain("recoveryFact"), value,
                    mark: left < 3 && (codes == nil || codes?.isList == true)
                        ? .init(words("recoveryFew"), .alarming) : nil,
                    link: hasSecond ? .init(words("recoveryNewLink"), to: RecoveryCodesPage.path) : nil)
            ]),
        ]
    }
}

/// `/account/factor?id=…`: one of the things that the account can be signed in with. It is renamed, reported lost, used again, or removed.
struct FactorPage: Sendable {
    static let purpose = "factor"

    static func path(of id: FactorID) -> String { PagePath("/account/factor", [("id", id.rawValue)]).text }

    /// - Parameter address: where the codes of a mailbox go.
    static func name(of factor: FactorRecord, at address: EmailAddress? = nil, _ words: Words) -> PageText {
        if !factor.name.isEmpty { return PageText(chosen: factor.name) }
        return address.map { PageText(address: $0.canonical) } ?? words(kind(of: factor.kind))
    }

    static func frozen(_ words: Words) -> PageBlock.Mark { .init(words("factorFrozen"), .alarming) }

    /// The key of what a kind is called.
    static func kind(of kind: FactorKind) -> String { Words.key(of: kind) }

    /// When it was added and used, and where.
    static func details(of factor: OwnFactor, _ account: AccountScene) -> [PageText] {
        let words = account.words
        let added = account.ago(factor.record.createdAt)
        return [
            factor.userAgent.map {
                words("passkeyMade", ["date": added, "agent": .chosen(BrowserName.text(of: $0, words))])
            } ?? words("factorAdded", ["date": added]), used(factor, account),
        ]
    }

    /// The same beside labels that say what each is.
    private static func facts(of factor: OwnFactor, _ account: AccountScene) -> [PageBlock.Fact] {
        let words = account.words
        let added = account.ago(factor.record.createdAt)
        return [
            .init(
                words.plain("factAdded"),
                factor.userAgent.map {
                    words("factDateWith", ["date": added, "agent": .chosen(BrowserName.text(of: $0, words))])
                } ?? words.moment(factor.record.createdAt, now: account.now)),
            lastUse(of: factor, account),
        ]
    }

    /// When it was used last, and from where.
    static func lastUse(of factor: OwnFactor, _ account: AccountScene) -> PageBlock.Fact {
        let words = account.words
        return .init(
            words.plain("factUsed"),
            factor.lastUsedAt.map { used in
                factor.lastSource.map {
                    words("factDateFrom", ["date": account.ago(used), "address": .chosen($0)])
                } ?? words.moment(used, now: account.now)
            } ?? words("factorUnused"))
    }

    private static func used(_ factor: OwnFactor, _ account: AccountScene) -> PageText {
        let words = account.words
        guard let used = factor.lastUsedAt else { return words("factorUnused") }
        guard let source = factor.lastSource else { return words("passkeyUsed", ["date": account.ago(used)]) }
        return words("factorUsedFrom", ["date": account.ago(used), "address": .chosen(source)])
    }

    func show(_ account: inout AccountScene) async throws -> Response { try await page(account) }

    private func factor(_ account: AccountScene) async throws -> OwnFactor? {
        guard case .success(let factors) = try await account.realm.ownAccount.factors(of: account.own) else {
            return nil
        }
        return factors.first {
            $0.id.rawValue == account.field("id") && [.passkey, .totp, .push, .email].contains($0.record.kind)
        }
    }

    private func page(
        _ account: AccountScene, problem: PageText? = nil, isOfName: Bool = false
    ) async throws -> Response {
        let words = account.words
        guard let factor = try await factor(account) else {
            return account.redirect(to: AccountSection.security.path)
        }
        var page = account.page(
            "account-factor", in: .security, Self.name(of: factor.record, at: factor.address, words),
            problem: problem)
        page.problemField = isOfName ? "name" : nil
        let id = [("id", factor.id.rawValue)]
        func form(_ decision: String, _ label: String) -> PageForm {
            PageForm(
                action: "/account/factor", hidden: account.hidden(Self.purpose, id),
                buttons: [.init(words.plain(label), name: "decision", value: decision, isSecondary: true)])
        }
        page.blocks += [
            .facts(
                [
                    .init(
                        words.plain("factKind"), words(Self.kind(of: factor.record.kind)),
                        mark: factor.isFrozen ? Self.frozen(words) : nil)
                ]
                    + Self.facts(of: factor, account)),
            .heading(words.plain("factorRename")),
            .form(
                PageForm(
                    action: "/account/factor", hidden: account.hidden(Self.purpose, id),
                    fields: [
                        PageField(
                            name: "name", label: words.plain("factorName"),
                            value: account.field("name") ?? factor.record.name, autocomplete: "off",
                            maximumLength: 64, isFirst: false, isInvalid: isOfName)
                    ],
                    buttons: [.init(words.plain("save"), name: "decision", value: "rename", isSecondary: true)])),
        ]
        if factor.isFrozen {
            page.blocks += [
                .heading(words.plain("factorFound")), .text(words("factorFoundText")),
                .form(form("restore", "factorFoundButton")),
            ]
        } else {
            page.blocks += [
                .heading(words.plain("factorLost")), .text(words("factorLostText")),
                .form(form("lost", "factorLostButton")),
            ]
        }
        page.blocks.append(.heading(words.plain("factorRemove")))
        if factor.isLastWayIn {
            page.blocks.append(.text(words("passkeyLast")))
        } else {
            let others = try await others(factor, account)
            page.blocks.append(.text(words(others || !factor.isSecondFactor ? "factorRemoveText" : "factorRemoveLast")))
            page.blocks.append(.form(form("remove", "factorRemoveButton")))
        }
        page.blocks.append(.links([.init(words("accountBackToSecurity"), to: AccountSection.security.path)]))
        return account.show(page)
    }

    /// Whether there is another second factor.
    private func others(_ factor: OwnFactor, _ account: AccountScene) async throws -> Bool {
        guard case .success(let all) = try await account.realm.ownAccount.factors(of: account.own) else { return false }
        return all.contains { $0.isSecondFactor && $0.id != factor.id }
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        guard let id = account.field("id").map(FactorID.init(rawValue:)) else {
            return account.redirect(to: AccountSection.security.path)
        }
        let own = account.realm.ownAccount
        let (session, client) = (account.own, account.client)
        let refusal: OwnAccount.Refusal?
        let done: String
        switch account.field("decision") {
        case "rename":
            done = "factorRenamed"
            let typed = PageField.edited(account.field("name") ?? "", from: try await factor(account)?.record.name)
            let name = typed.trimmingCharacters(in: .whitespacesAndNewlines)
            refusal = try await own.rename(id, to: name, of: session, by: client).refusal
        case "lost":
            done = "factorFrozenDone"
            refusal = try await own.reportLost(id, of: session, by: client).refusal
        case "restore":
            done = "factorRestoredDone"
            refusal = try await own.unfreeze(id, of: session, by: client).refusal
        case "remove":
            let outcome = try await own.remove(id, of: session, by: client)
            done = (try? outcome.get()) == .noSecondFactorLeft ? "factorRemovedLast" : "factorRemoved"
            refusal = outcome.refusal
        default: return try await page(account, problem: account.words("accountUnanswered"))
        }
        switch refusal {
        case nil: return try account.redirect(to: AccountSection.security.path, saying: done)
        case .unknown?: return account.redirect(to: AccountSection.security.path)
        case .invalid?:
            return try await page(account, problem: account.words("factorNameProblem"), isOfName: true)
        case let refusal?:
            let account = account
            return try await account.refused(refusal, backTo: "/account/factor", [("id", id.rawValue)]) {
                try await page(account, problem: $0)
            }
        }
    }
}

extension Result where Failure == OwnAccount.Refusal {
    var refusal: OwnAccount.Refusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
