import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account`: how well the account is protected, what is missing, the last sign-ins, and the applications that can be opened.
struct OverviewPage: Sendable {
    private static let shownSignIns = 3

    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let protection = try await AccountProtection(account)
        var page = account.page(
            "account", in: .overview, words("accountTitle"),
            words("accountWho", ["address": .chosen(account.address)]))
        page.blocks.append(.standing(protection.standing(words)))
        page.blocks.append(.text(words(protection.isStrongNow ? "accountTwoSteps" : "accountOneStep")))
        if !protection.hasPasskey, account.scene.passkeySite != nil {
            page.blocks.append(.heading(words.plain("passkeyOfferTitle")))
            page.blocks.append(.text(words("passkeyOfferText")))
            AccountPasskeys().offer(on: &page, account)
        }

        page.blocks.append(.heading(words.plain("accountLaunch")))
        let links = try await applications(account)
        page.blocks.append(links.isEmpty ? .text(words("accountNoLaunch")) : .links(links))

        page.blocks.append(.heading(words.plain("accountSignIns")))
        let events = try await ActivityPage.events(of: account, in: .signIns, limit: Self.shownSignIns)
        page.blocks.append(
            events.isEmpty ? .text(words("activityNone")) : .items(events.map { ActivityPage.item($0, account) }))
        page.blocks.append(.links([.init(words("activityAll"), to: AccountSection.activity.path)]))
        return account.show(page)
    }

    /// Allowed applications that say where they begin.
    private func applications(_ account: AccountScene) async throws -> [PageBlock.Link] {
        var links: [PageBlock.Link] = []
        let base = account.scene.pages.options.publicURLs().first ?? ""
        for consent in try await account.realm.consents.list(of: account.user.id) {
            guard let application = try await account.realm.applications.application(consent.client),
                let start = application.start(from: base)
            else { continue }
            links.append(.init(PageText(chosen: application.shownName), to: start, leavesSite: true))
        }
        return links
    }
}

/// How well an account is protected by what its owner has enrolled.
struct AccountProtection: Sendable {
    let hasPassword: Bool
    let hasPasskey: Bool
    let hasSecondFactor: Bool
    let hasRecoveryCode: Bool
    let isAddressVerified: Bool
    /// Whether the present session was proven with two factors.
    let isStrongNow: Bool

    init(_ account: AccountScene) async throws {
        let realm = account.realm
        let kinds = Set(try await realm.accounts.dossier(account.user.id)?.factors.map(\.record.kind) ?? [])
        hasPassword = kinds.contains(.password)
        hasPasskey = kinds.contains(.passkey)
        hasSecondFactor = !kinds.isDisjoint(with: [.totp, .push, .passkey])
        hasRecoveryCode = kinds.contains(.recoveryCode)
        isAddressVerified = account.user.email == nil || account.user.profile.emailVerified
        // A passkey that has verified its user is two factors by itself.
        isStrongNow = realm.proofs.contextClass(of: account.session.proofs) >= .aal2
    }

    func standing(_ words: Words) -> PageBlock.Standing {
        var missing: [PageText] = []
        if !isAddressVerified { missing.append(words("missingVerified")) }
        if !hasSecondFactor { missing.append(words("missingSecondFactor")) }
        if hasSecondFactor, !hasRecoveryCode, !hasPasskey { missing.append(words("missingRecovery")) }
        let link = PageBlock.Link(words("accountImprove"), to: AccountSection.security.path)
        if hasPasskey { return .init(.good, words("protectedByPasskey"), missing, link: missing.isEmpty ? nil : link) }
        if hasSecondFactor { return .init(.good, words("protectedByTwo"), missing, link: missing.isEmpty ? nil : link) }
        return .init(.alarming, words(hasPassword ? "protectedByPassword" : "protectedByMail"), missing, link: link)
    }
}
