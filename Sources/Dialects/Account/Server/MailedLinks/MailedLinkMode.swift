import CountersignCore

/// What the page of a mailed link offers to do.
enum MailedLinkMode: String {
    case verifyEmail
    case resetPassword
    case verifyAndChangeEmail
    case signIn
    case recoverEmail
    case keepAccount

    /// A link, whichever protocol requested its mail.
    var expectation: FlowExpectation {
        switch self {
        case .verifyEmail: .mailedLink(for: [.verifyEmail])
        case .resetPassword: .mailedLink(for: [.resetPassword])
        case .verifyAndChangeEmail: .mailedLink(for: [.changeEmail])
        case .signIn: .mailedLink(for: [.signIn])
        case .recoverEmail: .mailedLink(for: [.restoreEmail])
        case .keepAccount: .mailedLink(for: [.keepAccount])
        }
    }
}
