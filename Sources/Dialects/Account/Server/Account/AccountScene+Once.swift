import CountersignCore
import HTTPTypes
import Hummingbird
import WebPages

/// Forms of the account that act once, however often a browser sends them (docs/decisions/0582).
extension AccountScene {
    /// Does what a form says, unless it was sent before.
    ///
    /// The form is noted first, so that nothing happens twice. What a form did leads to another page; one that is shown again has done nothing,
    /// and is good again. After a failure it is not known what was done, and the form stays noted.
    /// - Parameters:
    ///   - purpose: what its `csrf` is for.
    ///   - page: where its page is, which shows what there is now.
    static func once(
        _ account: inout AccountScene, for purpose: String, page: String,
        _ take: (inout AccountScene) async throws -> Response
    ) async throws -> Response {
        guard
            let form = FormID(
                account.fields[FormID.field], for: purpose, session: account.token, at: account.now)
        else {
            let words = account.words
            let stale = account.page(
                "error", in: .overview, words("errorTitle"), problem: words("staleForm"), [see(page, words)])
            return account.scene.show(stale, status: .forbidden)
        }
        let forms = account.realm.sentForms
        guard try await forms.note(form.text, of: account.user.id, until: form.expiresAt) else {
            return account.sentBefore(page: page)
        }
        let answer = try await take(&account)
        if answer.status != .seeOther { try await forms.giveBack(form.text, of: account.user.id) }
        return answer
    }

    /// What a form that was sent before is answered. It says nothing of what came of it then.
    private func sentBefore(page path: String) -> Response {
        let page = page(
            "form-sent", in: .overview, words("formSentTitle"), words("formSentText"), [Self.see(path, words)])
        return scene.show(page, status: .conflict)
    }

    private static func see(_ path: String, _ words: Words) -> PageBlock {
        .links([.init(words("formSentSee"), to: path, isButton: true)])
    }
}
