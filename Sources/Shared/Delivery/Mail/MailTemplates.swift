/// The sentences of mails. Text templates: three braces, as nothing is to be escaped for HTML.
enum MailTemplates {
    static let all: [String: (subject: String, text: String)] = [
        "verify-email": (
            subject: "Confirm your e-mail address",
            text: """
            Somebody, most likely you, made an account with {{{email}}}.

            Confirm the address by opening this link:

            {{{link}}}

            If it was not you, there is nothing to do: without this link the account cannot be protected with a \
            second factor, and the address stays unconfirmed.
            """
        ),
        "reset-password": (
            subject: "Choose a new password",
            text: """
            Somebody asked for a new password for {{{email}}}.

            Choose it here, within an hour:

            {{{link}}}

            If it was not you, ignore this mail. Your password stays as it is.
            """
        ),
        "sign-in": (
            subject: "Your sign-in link",
            text: """
            Sign in as {{{email}}} by opening this link, within an hour. It works once:

            {{{link}}}

            If you did not ask for it, ignore this mail, and pass the link on to nobody.
            """
        ),
        "change-email": (
            subject: "Confirm your new e-mail address",
            text: """
            Somebody, most likely you, wants to sign in with {{{email}}} from now on.

            Confirm the new address by opening this link, within an hour:

            {{{link}}}

            If it was not you, ignore this mail, and nothing changes.
            """
        ),
        "email-changed": (
            subject: "Your e-mail address was changed",
            text: """
            Your account with {{{email}}} signs in with {{{newEmail}}} from now on. This is the last mail to this \
            address.

            If it was not you, tell whoever runs the service at once: somebody else has your account.
            """
        ),
        "enrollment-invitation": (
            subject: "Protect your account with a second step",
            text: """
            You are invited to add a second step to the sign-in of {{{email}}}.

            Open this link on any screen and have your phone at hand. It works once, within five days:

            {{{link}}}

            Pass the link on to nobody: whoever uses it holds the second key to your account.
            """
        ),
        "code": (
            subject: "{{{code}}} is your code",
            text: """
            Your code is {{{code}}}. It works once, within ten minutes.

            Nobody of ours will ever ask you for it.
            """
        ),
    ]
}
