import CountersignCore

/// Links to the page of mailed links: `auth/action?mode=…&oobCode=…` (Firebase Authentication, "Create custom email action
/// handlers").
public struct ActionLinkFormat: LinkFormat {
    public init() {}

    public func path(of link: ActionLink) -> String {
        var query = [("mode", MailedLinkMode(link.action).rawValue), ("oobCode", link.code.reveal())]
        query += link.items.map { ($0.name, $0.value) }
        if let locale = link.locale { query.append(("lang", locale)) }
        return "auth/action?" + query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
    }
}

extension MailedLinkMode {
    init(_ action: ActionLink.Action) {
        self =
            switch action {
            case .verifyEmail: .verifyEmail
            case .resetPassword: .resetPassword
            case .signIn: .signIn
            case .changeEmail: .verifyAndChangeEmail
            case .restoreEmail: .recoverEmail
            case .keepAccount: .keepAccount
            }
    }
}
