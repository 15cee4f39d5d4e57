import CountersignCore

extension Requirement {
    /// OWASP ASVS 5.0, chapter V6.
    static let authentication: [Requirement] =
        documentation + passwords + general + lifecycle + multipleFactors
        + outOfBand + cryptographic + federated

    /// V6.1
    private static let documentation: [Requirement] = [
        .asvs(
            "6.1.1", 1,
            "It is written down how guessing is limited, and how an attacker is kept from locking users out.",
            .documented(page: "docs/threat-model.md")),
        .asvs(
            "6.1.2", 2, "Words of the organisation and its products that no password may be are listed.",
            .lacking("There is no such list: of what is particular to a user, the address alone is refused.")),
        .asvs(
            "6.1.3", 2, "Every way to sign in is written down, with what protects it.",
            .documented(page: "docs/threat-model.md")),
    ]

    /// V6.2
    private static let passwords: [Requirement] = [
        .asvs(
            "6.2.1", 1, "A password has 8 characters or more.",
            .settings {
                .met(
                    if: $0.settings.passwords.minimumLength >= 8,
                    "Passwords of \($0.settings.passwords.minimumLength) characters are taken.",
                    .setting("passwords.minimumLength", "8"))
            }, "PasswordPolicyTests: Length counts in scalars of the composed text"),
        .asvs(
            "6.2.2", 1, "Users can change their passwords.", .construction,
            "AccountsTests: A new password revokes tokens; the session that asked for it goes on with fresh ones"),
        .asvs(
            "6.2.3", 1, "A change of a password takes the present one.",
            .lacking(
                "It takes a sign-in of the last minutes, with whatever the user signs in with, and not the present password as such."
            )),
        .asvs(
            "6.2.4", 1, "The passwords that are used most are refused.",
            .settings {
                .met(
                    if: $0.settings.passwords.refusesCommon, "The most common passwords are accepted.",
                    .setting("passwords.refusesCommon", "true"))
            }, "PasswordPolicyTests: The commonest passwords are refused, also decorated"),
        .asvs(
            "6.2.5", 1, "A password may consist of whatever characters its user likes.",
            .settings(noKinds), "PasswordPolicyTests: Passwords that are good enough are taken"),
        .asvs(
            "6.2.6", 1, "A password is hidden while it is typed, unless its user wants to see it.", .construction,
            "SignInPageTests: A password can be shown while it is typed, and the end of an attempt is announced"),
        .asvs(
            "6.2.7", 1, "Password managers and pasting work.", .construction,
            "PageTemplateTests: A refused field refers to the problem (WCAG 2.2, success criterion 3.3.1), another does not",
            "PageStoryTests: People find their way through every page, in their language, window and with their tools"),
        .asvs(
            "6.2.8", 1, "A password counts as it was typed: nothing is cut off, no letter is changed.", .construction,
            "Argon2idHasherTests: Bytes after a zero byte count",
            "Argon2idHasherTests: A password of 4096 bytes works and a longer one is refused"),
        .asvs(
            "6.2.9", 2, "Passwords of 64 characters are taken.", .settings(longPasswords),
            "PasswordPolicyTests: A policy may allow less and more than the standard's 1,024 characters"),
        .asvs(
            "6.2.10", 2, "A password holds until its user changes it.", .construction,
            "DoctorTests: A password of ten years ago signs in"),
        .asvs(
            "6.2.11", 2, "Passwords that are such a word of the organisation are refused.",
            .lacking("There is no such list: of what is particular to a user, the address alone is refused.")),
        .asvs(
            "6.2.12", 2, "Passwords that are known from breaches are refused.",
            .lacking("The list has the most common passwords, and not those of breaches at large.")),
    ]

    @Sendable static func noKinds(_ situation: Situation) -> Finding {
        .met(
            if: situation.settings.passwords.required.isEmpty,
            "Passwords need characters of certain kinds.", .setting("passwords.required", "none"))
    }

    @Sendable static func longPasswords(_ situation: Situation) -> Finding {
        .met(
            if: situation.settings.passwords.maximumLength.map { $0 >= 64 } ?? true,
            "Longer passwords than \(situation.settings.passwords.maximumLength ?? 0) characters are refused.",
            .setting("passwords.maximumLength", "none"))
    }

    /// V6.3
    private static let general: [Requirement] = [
        .asvs(
            "6.3.1", 1, "Guessing is limited as it is written down.", .construction,
            "RaceTests: Fifty wrong passwords sent at once are looked at ten times",
            "LimitTests: A source may give a hundred wrong answers in ten minutes, to whomever",
            "LimitTests: A flood on one factor leaves the user's other factor and other users alone"),
        .asvs(
            "6.3.2", 1, "There are no accounts that every installation has.", .settings(\.production),
            "DevelopmentDataTests: A directory with users is not opened to every client"),
        .asvs(
            "6.3.3", 2,
            "Every user signs in with two factors. For level 3 one of them is hardware that cannot be phished.",
            .settings(\.twoFactors), "RequiredFactorTests: Who has none gets tokens for enrolling one",
            "RequiredFactorTests: Older sessions are no way around it",
            "SignInTests: An application that requires a second factor refuses users who have none"),
        .asvs(
            "6.3.4", 2, "No way to sign in is weaker than the others, and none is unknown.",
            .settings { situation in
                let backends = situation.settings.tokens.customTokenKeys.keys.sorted()
                return .unless([
                    backends.isEmpty
                        ? nil
                        : Shortcoming(
                            "Back ends sign users in without a second factor: \(backends.prefix(5).map(PlainName.of).joined(separator: ", ")).",
                            .setting("tokens.customTokenKeys.\(backends[0])", "none")),
                    situation.settings.signUp.allowsAnonymous
                        ? Shortcoming(
                            "Users may sign in without proving anything.", .setting("signUp.allowsAnonymous", "false"))
                        : nil, situation.deployment?.development,
                ])
            }, "HandleTests: A handle is good where it belongs, and everywhere else what a made-up one is",
            "SecondFactorTests: An email link asks for it too",
            "SecondFactorTests: A password reset does not get past it"),
        .asvs(
            "6.3.5", 3, "Users are told of sign-ins that are out of the ordinary.",
            .lacking("They are told of changes to their accounts, and not of sign-ins.")),
        .asvs(
            "6.3.6", 3, "No mail is a factor.",
            .lacking("Users without a password sign in with a code that is mailed, and reset a password with one.")),
        .asvs(
            "6.3.7", 3, "Users are told when what they sign in with changes.", .settings(\.notices),
            "AccountNoticeTests: Each change is told once, to the address of the account",
            "ReviewTests: The former address is told when an account moves to another"),
        .asvs(
            "6.3.8", 3, "No answer tells whether an address has an account.",
            .settings { situation in
                .unless([
                    situation.settings.privacy.hidesAddresses
                        ? nil
                        : Shortcoming(
                            "Answers disclose which addresses have an account.",
                            .setting("privacy.hidesAddresses", "true")),
                    situation.shortcoming(
                        of: situation.applications.filter(\.registration.revealsAddresses),
                        "Applications whose answers disclose it", mend: "--no-reveal-addresses"),
                ])
            },
            "SignInTests: An account without password, an unknown address and a wrong password look alike over fifteen attempts",
            "SignInPageTests: An unknown address looks like a known one",
            "MailingTests: A reset for an unknown address or a disabled user looks like any other, and no mail goes out"
        ),
    ]

    /// V6.4
    private static let lifecycle: [Requirement] = [
        .asvs(
            "6.4.1", 1,
            "A password or code that the server makes up is random, short-lived, and does not stay the password.",
            .lacking(
                "A password that an administrator has made with `user reset-password --generate` stays until the user changes it. A mailed link does what is asked for."
            )),
        .asvs(
            "6.4.2", 1, "There are no hints and no secret questions.", .construction,
            "DoctorTests: No means of proof is a hint or a question"),
        .asvs(
            "6.4.3", 2, "A forgotten password is replaced without getting past the second factor.", .construction,
            "LinkTests: A reset leaves the second factor, which is asked for afterwards",
            "SignInPageTests: A forgotten password is replaced by a mailed code, and the second factor is asked all the same"
        ),
        .asvs(
            "6.4.4", 2, "A user who lost a factor is identified as well as at the first enrolment.",
            .elsewhere("Administrators who reset second factors decide whom they believe.")),
        .asvs(
            "6.4.5", 3, "Users are reminded of factors that expire.",
            .inapplicable("No factor of this server expires.")),
        .asvs(
            "6.4.6", 3, "Administrators begin a reset, and never choose or learn a password.",
            .lacking("Owners and operators can set passwords and have them generated; support cannot.")),
    ]

    /// V6.5
    private static let multipleFactors: [Requirement] = [
        .asvs(
            "6.5.1", 2, "Codes and requests to devices count once.", .construction,
            "TOTPFactorTests: A code counts once, and after it no earlier one",
            "DeviceTests: A recovery code is good once and brings the next",
            "ApprovalTests: Fifty devices that answer one request at once make one decision",
            "RaceTests: One mailed code sent five times at once counts once"),
        .asvs(
            "6.5.2", 2, "Recovery codes are kept as digests that fit their length.", .construction,
            "AuditTests: No secret that passed through the core is in the log or in the clear in the store"),
        .asvs(
            "6.5.3", 2, "Codes and secrets come from a secure generator.", .construction,
            "BytesTests: The system's generator gives as many bytes as asked for, and others each time",
            "BytesTests: No random value is given out twice, however many threads ask"),
        .asvs(
            "6.5.4", 2, "Codes have 20 random bits or more.", .construction,
            "MailedCodeTests: A code of eight digits signs in, once, also where white space was copied along"),
        .asvs(
            "6.5.5", 2,
            "What is sent out of band counts for ten minutes at most, and an authenticator's code for 30 seconds.",
            .settings { situation in
                let window = situation.settings.secondFactors.totpWindow
                let links = situation.settings.toolkitDocument?["allowsEmailLinks"].map { $0 == .bool(true) } ?? true
                return .unless([
                    situation.settings.secondFactors.offersTOTP && window > 0
                        ? Shortcoming(
                            "A code of an authenticator counts for \((2 * window + 1) * 30) seconds.",
                            .setting("secondFactors.totp.adjacentIntervals", "0")) : nil,
                    links
                        ? Shortcoming(
                            "A mailed link signs in for an hour.", .setting("identityToolkit.allowsEmailLinks", "false")
                        )
                        : nil,
                ])
            }, "MailedCodeTests: A code lives ten minutes",
            "TOTPFactorTests: A code counts as many steps away as the settings say"),
        .asvs(
            "6.5.6", 3, "Every factor can be taken away.", .construction,
            "EnrolmentTests: A reset removes all second factors and ends sessions; without any it ends none",
            "DeviceTests: With the last device the recovery code and all sessions go",
            "PasskeyPageTests: A passkey is removed by its owner, and a session by password alone neither removes nor adds one"
        ),
        .asvs(
            "6.5.7", 3, "A fingerprint or a face counts beside another factor alone.", .construction,
            "PasskeyFactorTests: Without user verification a passkey is one factor, and the authenticator app is asked for"
        ),
        .asvs(
            "6.5.8", 3, "Codes are judged by a clock that no client sets.", .settings(\.production),
            "AccessTests: In production there are no routes of development"),
    ]

    /// V6.6
    private static let outOfBand: [Requirement] = [
        .asvs(
            "6.6.1", 2, "Codes by phone or text message are the exception.",
            .inapplicable("Nothing is sent by phone.")),
        .asvs(
            "6.6.2", 2, "What is sent out of band belongs to the one request that it was sent for.", .construction,
            "MailedCodeTests: A code belongs to its flow",
            "ApprovalTests: An answer to one request is none to another, and a replaced request is dead"),
        .asvs(
            "6.6.3", 2, "Codes that are sent cannot be guessed by trying.", .construction,
            "MailedCodeTests: The fifth answer may be right, the sixth may not",
            "RaceTests: Fifty wrong mailed codes sent at once are looked at five times"),
        .asvs(
            "6.6.4", 3, "Users are not flooded with requests to their devices.", .construction,
            "ApprovalTests: Five requests a minute to one user",
            "ApprovalTests: Where a number is asked for, a yes without the right one is no yes, and a no needs none"),
    ]

    /// V6.7
    private static let cryptographic: [Requirement] = [
        .asvs(
            "6.7.1", 3, "Keys and certificates that answers are verified with cannot be changed unnoticed.",
            .construction,
            "SealerTests: Every altered, missing or added byte is noticed",
            "TOTPFactorTests: The payload of a factor is sealed for that factor"),
        .asvs(
            "6.7.2", 3, "A challenge has 64 bits or more and comes once.", .construction,
            "PasskeyFactorTests: The challenge is the handle, in enrolling and in a sign-in",
            "BytesTests: No random value is given out twice, however many threads ask"),
    ]

    /// V6.8
    private static let federated: [Requirement] = [
        .asvs(
            "6.8.1", 2, "A user of one identity provider is not taken for a user of another.",
            .inapplicable("Users sign in here and at no other provider.")),
        .asvs(
            "6.8.2", 2, "What another system says of a user is signed, and the signature is verified.", .construction,
            "CustomTokenTests: The key of another kind does not verify, whatever the header says",
            "CustomTokenTests: An unsigned token, and one that our own keys signed, are refused in production"),
        .asvs("6.8.3", 2, "A SAML assertion counts once.", .inapplicable("There is no SAML.")),
        .asvs(
            "6.8.4", 2, "How a user signed in at another provider is looked at.",
            .inapplicable("Users sign in here and at no other provider.")),
    ]
}
