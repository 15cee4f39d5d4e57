import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/activity`: what happened to the account, in words.
struct ActivityPage: Sendable {
    private static let shown = 50
    /// Days that are shown.
    private static let days = 90

    /// What a reader looks for.
    enum Filter: String, CaseIterable {
        case all
        case signIns = "sign-ins"
        case security
        case applications
        case account

        var title: String {
            switch self {
            case .all: "activityEverything"
            case .signIns: "activitySignIns"
            case .security: "activitySecurity"
            case .applications: "activityApplications"
            case .account: "activityAccount"
            }
        }
    }

    /// How an event is told: the key of its sentence, and where it belongs. What is not here is not told to people: it is of an
    /// administrator's interest alone, or says the same once more.
    private static let sentences: [AuditEvent.Kind: (key: String, filter: Filter)] = [
        .signedIn: ("didSignIn", .signIns), .answerRefused: ("didRefuse", .signIns),
        .signedOut: ("didSignOut", .signIns), .sessionEnded: ("didEndSession", .signIns),
        .approvalAsked: ("didAsk", .signIns), .approvalAllowed: ("didAllow", .signIns),
        .approvalRejected: ("didReject", .signIns), .signInDisowned: ("didDisown", .signIns),
        .refreshTokenReused: ("didReuse", .signIns), .tokensRevoked: ("didRevokeTokens", .signIns),
        .passwordChanged: ("didChangePassword", .security), .passwordReset: ("didResetPassword", .security),
        .factorEnrolled: ("didEnrol", .security), .factorWithdrawn: ("didWithdraw", .security),
        .factorsReset: ("didResetFactors", .security), .recoveryCodeMade: ("didMakeCodes", .security),
        .deviceInvited: ("didInvite", .security), .deviceChanged: ("didChangeDevice", .security),
        .passkeyCounter: ("didCopyPasskey", .security),
        .consentGiven: ("didConsent", .applications), .consentRevoked: ("didRevokeConsent", .applications),
        .deviceDecided: ("didDecideDevice", .applications), .grantEnded: ("didEndGrant", .applications),
        .signedUp: ("didSignUp", .account), .userCreated: ("didCreate", .account),
        .userImported: ("didCreate", .account), .userChanged: ("didChange", .account),
        .emailChanged: ("didChangeAddress", .account), .emailVerified: ("didVerifyAddress", .account),
        .userDisabled: ("didDisable", .account), .userEnabled: ("didEnable", .account),
        .userDataShown: ("didShowData", .account),
    ]

    /// The newest events that are told.
    static func events(
        of account: AccountScene, in filter: Filter = .all, before id: String? = nil, limit: Int
    ) async throws -> [AuditEvent] {
        let oldest = account.now - TimeInterval(days * 86_400)
        var found: [AuditEvent] = []
        var last = id
        // What is not told must not make the page empty; and a long log must not make it slow.
        for _ in 0..<4 where found.count <= limit {
            let events = try await account.realm.auditLog.events(of: account.user.id, before: last, limit: 200)
            found += events.filter { event in
                guard event.at > oldest, let sentence = sentences[event.kind] else { return false }
                return filter == .all || sentence.filter == filter
            }
            guard let end = events.last, events.count == 200, end.at > oldest else { break }
            last = end.id
        }
        return Array(found.prefix(limit))
    }

    static func item(_ event: AuditEvent, _ account: AccountScene) -> PageBlock.Item {
        let words = account.words
        var details = [words.moment(event.at, now: account.now)]
        if let source = event.source { details.append(words("activityFrom", ["address": .chosen(source)])) }
        if let by = event.details["by"]?.stringValue {
            details.append(words("activityBy", ["name": .chosen(by)]))
        }
        let isRefusal = [.answerRefused, .approvalRejected, .signInDisowned, .refreshTokenReused, .passkeyCounter]
            .contains(event.kind)
        return PageBlock.Item(
            words(sentences[event.kind]?.key ?? "kindOther"),
            mark: isRefusal ? .init(words("activityRefused"), .alarming) : nil, details: details)
    }

    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let filter = account.field("kind").flatMap(Filter.init(rawValue:)) ?? .all
        let events = try await Self.events(
            of: account, in: filter, before: account.field("before"), limit: Self.shown + 1)
        var page = account.page(
            "account-activity", in: .activity, words("accountActivity"),
            words("activityText", ["days": .number(Self.days)]))
        page.blocks.append(
            .tabs(
                .init(
                    words.plain("activityFilter"),
                    Filter.allCases.map {
                        .init(
                            words.plain($0.title),
                            to: PagePath(
                                AccountSection.activity.path, [("kind", $0 == .all ? nil : $0.rawValue)]
                            ).text, isPresent: $0 == filter)
                    })))
        page.blocks.append(
            events.isEmpty
                ? .text(words("activityNone"))
                : .items(events.prefix(Self.shown).map { Self.item($0, account) }))
        if events.count > Self.shown {
            let path = PagePath(
                AccountSection.activity.path,
                [("kind", filter == .all ? nil : filter.rawValue), ("before", events[Self.shown - 1].id)])
            page.blocks.append(.links([.init(words("activityOlder"), to: path.text)]))
        }
        return account.show(page)
    }
}
