import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account`: how well the account is protected, what is missing, the applications that can be opened, and the last sign-ins.
struct OverviewPage: Sendable {
    private static let shownSignIns = 3

    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let overview: OwnOverview
        switch try await account.realm.ownAccount.overview(of: account.own) {
        case .success(let found): overview = found
        case .failure(let refusal): return account.unavailable(refusal, .overview)
        }
        var page = account.page(
            "account", in: .overview, words("accountTitle"),
            words("accountWho", ["address": .text(PageText(address: account.address))]))
        page.blocks.append(.standing(standing(of: overview, words)))
        // A passkey that has verified its user is two factors by itself.
        let isStrong = account.realm.proofs.contextClass(of: account.session.proofs) >= .aal2
        page.blocks.append(.text(words(isStrong ? "accountTwoSteps" : "accountOneStep")))
        if overview.gaps.contains(.noPasskey), account.scene.passkeyPlace != nil {
            page.blocks.append(.heading(words.plain("passkeyOfferTitle")))
            page.blocks.append(.text(words("passkeyOfferText")))
            AccountPasskeys().offer(on: &page, account)
        }

        page.blocks.append(.heading(words.plain("accountLaunch")))
        let links = try await launcher(account)
        page.blocks.append(links.isEmpty ? .text(words("accountNoLaunch")) : .links(links))

        page.blocks.append(.heading(words.plain("accountSignIns")))
        let events = Array(overview.signIns.prefix(Self.shownSignIns))
        let names = try await ActivityNames(of: events, among: overview.factors, account)
        page.blocks.append(
            events.isEmpty
                ? .text(words("activityNone"))
                : .items(events.map { ActivityPages.item($0, names, account, asksBack: false) }))
        page.blocks.append(.links([.init(words("activityAll"), to: AccountSection.activity.path)]))
        return account.show(page)
    }

    /// Allowed applications that say where they begin.
    private func launcher(_ account: AccountScene) async throws -> [PageBlock.Link] {
        guard case .success(let applications) = try await account.realm.ownAccount.applications(of: account.own) else {
            return []
        }
        let base = account.scene.pages.options.publicURLs().first ?? ""
        var links: [PageBlock.Link] = []
        for allowed in applications {
            guard let application = try await account.realm.applications.application(allowed.id),
                let start = application.start(from: base)
            else { continue }
            links.append(.init(PageText(chosen: application.shownName), to: start, leavesSite: true))
        }
        return links
    }

    private func standing(of overview: OwnOverview, _ words: Words) -> PageBlock.Standing {
        let kinds = Set(overview.factors.filter { !$0.isFrozen }.map(\.record.kind))
        let isGood = overview.contextClass >= .aal2
        let title =
            kinds.contains(.passkey)
            ? "protectedByPasskey"
            : isGood ? "protectedByTwo" : kinds.contains(.password) ? "protectedByPassword" : "protectedByMail"
        let missing = overview.gaps.compactMap { gap -> String? in
            switch gap {
            case .unverifiedEmail: "missingVerified"
            case .noSecondFactor: "missingSecondFactor"
            // It is offered below.
            case .noPasskey: nil
            case .noRecoveryCodes: "missingRecovery"
            case .fewRecoveryCodes: "missingFewCodes"
            case .frozenFactor: "missingFrozen"
            case .suspiciousPasskey: "missingSuspicious"
            }
        }
        let isAlarming = !isGood || overview.gaps.contains { [.frozenFactor, .suspiciousPasskey].contains($0) }
        return .init(
            isAlarming ? .alarming : .good, words(title), missing.map { words($0) },
            link: missing.isEmpty
                ? nil
                : overview.gaps.first == .unverifiedEmail
                    ? .init(words("addressConfirm"), to: AddressPages.path)
                    : .init(words("accountImprove"), to: AccountSection.security.path))
    }
}
