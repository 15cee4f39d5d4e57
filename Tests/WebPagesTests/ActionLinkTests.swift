import CountersignCore
import Testing

@testable import AccountServer

@Suite("Links of mails")
struct ActionLinkTests {
    @Test(
        arguments: [
            (ActionLink.Action.verifyEmail, "verifyEmail"), (.resetPassword, "resetPassword"), (.signIn, "signIn"),
            (.changeEmail, "verifyAndChangeEmail"),
        ])
    func `Each link has the mode by which apps and the page know it, byte for byte`(
        action: ActionLink.Action, mode: String
    ) {
        let link = ActionLink(
            action, code: Secret("a-b_c"), items: [("continueUrl", "https://example.org/?a=1&b=ä#c"), ("apiKey", "k")],
            locale: "de")
        #expect(
            ActionLinkFormat().path(of: link)
                == "auth/action?mode=\(mode)&oobCode=a-b_c&continueUrl=https%3A%2F%2Fexample.org%2F%3Fa%3D1%26b%3D%C3%A4%23c"
                + "&apiKey=k&lang=de")
        #expect(
            ActionLinkFormat().path(of: ActionLink(action, code: Secret("c"))) == "auth/action?mode=\(mode)&oobCode=c")
        #expect(MailedLinkMode(rawValue: mode) == MailedLinkMode(action))
    }

    @Test func `No action is without a mode`() {
        #expect(Set(ActionLink.Action.allCases.map { MailedLinkMode($0).rawValue }).count == 6)
    }
}
