import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/data`: what is kept about the user, as a page and as a file, and the way to have it removed.
struct DataPages: Sendable {
    private static let file = "/account/data.json"
    /// Entries of a list that the page shows; the file has all.
    private static let shown = 20
    /// Events of the log in the file.
    private static let longestLog = 1000

    /// The keys of what roles are called.
    private static let roles: [AdministratorRole: String] = [
        .owner: "roleOwner", .operator: "roleOperator", .support: "roleSupport", .auditor: "roleAuditor",
    ]

    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let data: PersonalData
        switch try await account.realm.ownAccount.data(of: account.own, by: account.client) {
        case .success(let found): data = found
        case .failure(.proofTooOld): return try account.confirm(backTo: AccountSection.data.path)
        case .failure(let refusal): return account.unavailable(refusal, .data)
        }
        let days = try await account.realm.settings().audit.retentionDays
        let user = data.user
        var page = account.page("account-data", in: .data, words("accountData"), words("dataText"))
        page.blocks.append(
            .links([
                .init(
                    words("dataFile"), to: Self.file, isButton: true, isSecondary: true,
                    download: "account.json")
            ]))
        page.blocks.append(.heading(words.plain("dataAccount")))
        var facts: [PageBlock.Fact] = [
            .init(words.plain("dataID"), PageText(chosen: user.id.rawValue)),
            .init(
                words.plain("profileAddressLabel"),
                user.email.map { PageText(address: $0.canonical) } ?? words("profileNoAddress"),
                mark: user.email.map { _ in
                    user.profile.emailVerified
                        ? .init(words("profileVerified"), .good) : .init(words("profileUnverified"), .alarming)
                }),
        ]
        if let name = user.profile.displayName {
            facts.append(.init(words.plain("profileName"), PageText(chosen: name)))
        }
        if let number = user.profile.phoneNumber {
            facts.append(.init(words.plain("dataPhone"), PageText(chosen: number)))
        }
        if let locale = user.profile.locale {
            let name = PageLanguage(tag: locale).map { PageText($0.ownName) } ?? PageText(chosen: locale)
            facts.append(.init(words.plain("profileLanguage"), name))
        }
        if let picture = user.profile.photoURL {
            facts.append(.init(words.plain("dataPicture"), PageText(chosen: picture)))
        }
        facts.append(.init(words.plain("dataSince"), words.instant(user.createdAt)))
        if let last = user.lastSignInAt { facts.append(.init(words.plain("dataLast"), words.instant(last))) }
        if !data.groups.isEmpty {
            let groups = data.groups.map(\.rawValue).joined(separator: words.plain("listSeparator"))
            facts.append(.init(words.plain("dataGroups"), PageText(chosen: groups)))
        }
        if let role = data.administrator?.role {
            facts.append(.init(words.plain("dataRole"), words(Self.roles[role] ?? "unknown")))
        }
        for terms in user.profile.acceptedTerms {
            facts.append(
                .init(
                    words.plain("dataTerms"),
                    words("dataTermsVersion", ["date": account.ago(terms.at), "version": .chosen(terms.version)])))
        }
        let kept = user.profile.attributes.merging(user.profile.customClaims) { $1 }
        for (name, value) in kept.sorted(by: { $0.key < $1.key }) {
            facts.append(.init(PageText.harmless(name), PageText(chosen: AccountProfilePage.text(value))))
        }
        page.blocks.append(.facts(facts))

        page.blocks.append(.heading(words.plain("dataFactors")))
        page.blocks += list(
            data.factors.map { factor in
                .init(
                    FactorPage.name(of: factor.record, words),
                    details: [words("factorAdded", ["date": account.ago(factor.record.createdAt)])])
            }, words)
        page.blocks.append(.heading(words.plain("dataSessions")))
        page.blocks += list(
            data.sessions.map { listing in
                .init(
                    PageText(chosen: BrowserName.text(of: listing.session.origin.userAgent, words)),
                    details: [
                        words(
                            "activityFrom",
                            ["address": .chosen(listing.session.origin.address ?? words.plain("unknown"))]),
                        words("sessionSince", ["date": account.ago(listing.session.createdAt)]),
                    ])
            }, words)
        if case .success(let applications) = try await account.realm.ownAccount.applications(of: account.own) {
            page.blocks.append(.heading(words.plain("accountApplications")))
            page.blocks += list(
                applications.map { application in
                    .init(
                        PageText(chosen: application.name ?? application.id.rawValue),
                        details: [words("accountSince", ["date": account.ago(application.since)])])
                }, words)
        }
        page.blocks.append(.heading(words.plain("dataMessages")))
        page.blocks += list(
            data.messages.map { opened in
                .init(
                    words.name(ofMessage: opened.content.template),
                    details: [
                        words(
                            "dataMessage",
                            [
                                "address": .chosen(opened.message.recipient),
                                "date": account.ago(opened.message.createdAt),
                            ])
                    ])
            }, words)
        page.blocks.append(.heading(words.plain("dataMore")))
        page.blocks.append(
            .facts([
                .init(
                    words.plain("dataAttempts"),
                    PageText(String(data.flows.count + data.clientRecords.count))),
                .init(words.plain("dataCounters"), PageText(String(data.limits.count))),
                .init(words.plain("dataLog"), words("dataLogDays", ["days": .number(days)])),
            ]))
        page.blocks.append(.heading(words.plain("deleteTitle")))
        page.blocks.append(.text(words("deleteLead")))
        page.blocks.append(
            .links([.init(words("deleteLink"), to: DeletionPage.path, isButton: true, isSecondary: true)]))
        return account.show(page)
    }

    private func list(_ items: [PageBlock.Item], _ words: Words) -> [PageBlock] {
        if items.isEmpty { return [.text(words("dataNothing"))] }
        let rest = items.count - Self.shown
        return [.items(Array(items.prefix(Self.shown)))]
            + (rest > 0 ? [.text(words("dataRest", ["count": .number(rest)]))] : [])
    }

    func file(_ account: inout AccountScene) async throws -> Response {
        guard let document = account.scene.pages.options.dataDocument else {
            return account.redirect(to: AccountSection.data.path)
        }
        switch try await account.realm.ownAccount.data(of: account.own, by: account.client) {
        case .success(let data):
            let events = try await account.realm.auditLog.events(
                of: account.user.id, before: nil, limit: Self.longestLog)
            let text = try document(data, events, try await account.realm.settings().audit.retentionDays)
            return .file(text, type: "application/json", name: "account.json")
        case .failure(.proofTooOld): return try account.confirm(backTo: AccountSection.data.path)
        case .failure(let refusal): return account.unavailable(refusal, .data)
        }
    }
}

/// `/account/delete`: the account is removed after a while in which that can be taken back.
struct DeletionPage: Sendable {
    static let path = "/account/delete"
    static let purpose = "delete"

    func show(_ account: inout AccountScene) async throws -> Response { try await page(account) }

    private func page(_ account: AccountScene, problem: PageText? = nil) async throws -> Response {
        let words = account.words
        let days = try await account.realm.settings().accounts.deletionGraceDays
        var button = PageForm.Button(words.plain("deleteButton"))
        button.isDangerous = true
        var page = account.page(
            "account-delete", in: .data, words("deleteTitle"),
            days > 0 ? words("deleteText", ["days": .number(days)]) : words("deleteAtOnce"), problem: problem,
            [
                .heading(words.plain("deleteGoes")),
                .items([.init(words("deleteGoesAccount")), .init(words("deleteGoesAccess"))]),
                .heading(words.plain("deleteStays")), .text(words("deleteStaysText")),
                .form(
                    PageForm(
                        action: Self.path, hidden: account.hidden(Self.purpose),
                        fields: [
                            PageField(
                                name: "typed", label: words.plain("deleteType", ["name": .chosen(account.address)]),
                                value: account.field("typed"),
                                autocomplete: "off", maximumLength: 254, isFirst: false, isInvalid: problem != nil)
                        ], buttons: [button])),
                .links([.init(words("confirmNot"), to: AccountSection.data.path)]),
            ])
        page.problemField = problem == nil ? nil : "typed"
        return account.show(page)
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        switch try await account.realm.ownAccount.requestDeletion(
            typedName: account.field("typed") ?? "", of: account.own, by: account.client)
        {
        case .success(let notice):
            account.scene.visit.signOut()
            let due = notice.dueAt > account.now ? String(Int(notice.dueAt.timeIntervalSince1970)) : ""
            var response = try account.scene.redirect(
                to: "\(Self.path)/done",
                saying: [Said.due: due, Said.mailed: notice.undoMailed ? "1" : ""])
            response.headers[.clearSiteData] = "\"cache\", \"storage\""
            return response
        case .failure(let refusal):
            let account = account
            return try await account.refused(refusal, backTo: Self.path) { try await page(account, problem: $0) }
        }
    }

    /// The names of what was done.
    private enum Said {
        /// In seconds since 1970; empty where the account is gone.
        static let due = "due"
        static let mailed = "mailed"
    }

    /// The page after it, which no session is left for.
    func done(_ scene: inout PageScene) async throws -> Response {
        guard let said = scene.outcome else { return scene.withoutOutcome() }
        let words = scene.words
        var page = Page("account-deleted", words("deletedTitle"))
        if let due = said[Said.due].flatMap(TimeInterval.init) {
            let date = Date(timeIntervalSince1970: due)
            page.text = words("deletedText", ["date": .text(words.instant(date))])
            if said[Said.mailed] == "1" { page.blocks.append(.text(words("deletedUndo"))) }
        } else {
            page.text = words("deletedNow")
        }
        page.blocks.append(.links([.init(words("homeLink"), to: "/")]))
        return scene.show(page)
    }
}
