import CountersignCore

extension Requirement {
    /// NIST SP 800-63B-4 in its final text of July 2025: what its assurance levels ask of a verifier, in section 2 and in the sections
    /// that it refers to.
    static let nist: [Requirement] =
        levelOne + levelTwo + levelThree + organisations + passwordVerifiers + otherAuthenticators + general + binding
        + recovery + events + sessionBindings

    private static let federal =
        "Federal agencies need modules that are validated by FIPS 140; those who build and run the server decide."
    private static let organisation = "The organisation that runs the server decides."

    /// Section 2.1
    private static let levelOne: [Requirement] = [
        .nist(
            "2.1", 1, should: true, "More than one factor is offered.",
            .settings { situation in
                let factors = situation.settings.secondFactors
                return .met(
                    if: factors.state != .disabled
                        && (factors.offersPasskeys || factors.offersTOTP || factors.offersPush),
                    "No second factor is offered.", .setting("secondFactors.state", "ENABLED"))
            }, "SignInTests: A user with TOTP gets a session only for the password and a code"),
        .nist(
            "2.1.1", 1, "A sign-in takes at least one factor of the listed kinds.", .settings(namedUsers),
            "SignInTests: A wrong password is refused and logged, without the password"),
        .nist(
            "2.1.2a", 1, "Cryptography is of approved kinds.", .construction,
            "KeyringTests: What a key signed verifies, with both algorithms, and elsewhere by the JWKS alone",
            "TLSProbeTests: Only forward secret authenticated encryption is negotiated"),
        .nist(
            "2.1.2b", 1, "What users type goes through an encrypted channel to a server that has shown who it is.",
            .settings(\.encryption),
            "ServerConfigurationTests: Plain HTTP is for loopback only unless configured otherwise",
            "TLSProbeTests: Only forward secret authenticated encryption is negotiated"),
        .nist("2.1.2c", 1, "Cryptographic modules are validated.", .elsewhere(federal)),
        .nist(
            "2.1.3a", 1, "A session ends, and its user signs in again.", .construction,
            "BrowserSessionTests: The presets have the limits of NIST SP 800-63B-4",
            "SessionTests: A session ends after the days that the settings say, however often it was refreshed"),
        .nist(
            "2.1.3b", 1, should: true, "It ends after 30 days at most.", .settings { lifetime($0, days: 30) },
            "StayingTests: One factor stays for 30 days where the user asks for it, used or not"),
    ]

    @Sendable private static func namedUsers(_ situation: Situation) -> Finding {
        .unless([
            situation.settings.signUp.allowsAnonymous
                ? Shortcoming(
                    "Users may sign in without proving anything.", .setting("signUp.allowsAnonymous", "false"))
                : nil, situation.deployment?.development,
        ])
    }

    /// Sessions of apps, which refresh tokens hold; those of browsers are shorter by construction.
    private static func lifetime(_ situation: Situation, days: Int) -> Finding {
        .met(
            if: situation.settings.tokens.sessionDays <= days,
            "An app stays signed in for \(situation.settings.tokens.sessionDays) days.",
            .setting("tokens.sessionDays", "\(situation.assurance > 1 ? 1 : days)"))
    }

    /// Section 2.2
    private static let levelTwo: [Requirement] = [
        .nist(
            "2.2.1", 2, "A sign-in takes two factors, or one authenticator that is two.", .settings(\.twoFactors),
            "RequiredFactorTests: Who has none gets tokens for enrolling one",
            "PasskeyFactorTests: A passkey is enrolled after a sign-in, and signs in without a name as two factors"),
        .nist(
            "2.2.2a", 2, "At least one of them withstands replay.", .construction,
            "TOTPFactorTests: A code counts once, and after it no earlier one",
            "PasskeyFactorTests: One assertion sent twenty times at once to two servers is one session",
            "DeviceTests: A recovery code is good once and brings the next"),
        .nist(
            "2.2.2b", 2, should: true, "Signing in takes a deliberate act.", .construction,
            "PasskeyFactorTests: A registration with one thing wrong makes no passkey: CVE-2026-8830",
            "ApprovalTests: What the device did not sign for this request decides nothing"),
        .nist(
            "2.2.2c", 2, "What users type goes through an encrypted channel.", .settings(\.encryption),
            "ServerConfigurationTests: Public URLs are encrypted or on loopback"),
        .nist(
            "2.2.2d", 2, "A way to sign in is offered that cannot be phished.",
            .settings { situation in
                .met(
                    if: situation.settings.secondFactors.offersPasskeys, "Passkeys are switched off.",
                    .setting("secondFactors.offersPasskeys", "true"))
            }, "PasskeyFactorTests: An assertion of another origin opens no session",
            "PasskeyPageTests: A passkey is added on the account page, and signs in from the first page without a name"),
        .nist("2.2.2e", 2, "Cryptographic modules are validated.", .elsewhere(federal)),
        .nist(
            "2.2.2f", 2, should: true, "Users are led to ways that cannot be phished.",
            .settings { situation in
                .met(
                    if: situation.settings.secondFactors.offersPasskeys, "Passkeys are switched off.",
                    .setting("secondFactors.offersPasskeys", "true"))
            },
            "PasskeyPageTests: Beside an authenticator app the passkey is asked for first, and the app is another way"
        ),
        .nist(
            "2.2.3a", 2, "A session ends, and its user signs in again.", .construction,
            "BrowserSessionTests: A session is over a day after its first proof, however often it is used"),
        .nist(
            "2.2.3b", 2, should: true, "It ends after 24 hours at most, and after one without use.",
            .settings { lifetime($0, days: 1) }, "StayingTests: Two factors are an hour idle at most, and a day in all",
            "BrowserSessionTests: The presets have the limits of NIST SP 800-63B-4"),
    ]

    /// Section 2.3
    private static let levelThree: [Requirement] = [
        .nist(
            "2.3.1", 3,
            "A sign-in takes a key that cannot leave its hardware, beside a password or with its user verified.",
            .settings { situation in
                let (factors, passkeys) = (situation.settings.secondFactors, situation.settings.passkeys)
                return .unless([
                    factors.isRequired
                        ? nil
                        : Shortcoming(
                            "Users sign in with one factor.", .setting("secondFactors.state", "MANDATORY")),
                    factors.isSkippable(at: situation.now)
                        ? Shortcoming(
                            "Users may put off setting up a second factor.",
                            .setting("secondFactors.skippableTimes", "0")) : nil,
                    (passkeys.allowedAAGUIDs ?? []).isEmpty
                        ? Shortcoming(
                            "No model of authenticator is named that is trusted: passkeys.allowedAAGUIDs takes the AAGUIDs of yours, and has to be set before passkeys.attestation."
                        ) : nil,
                    (passkeys.attestationRoots ?? []).isEmpty
                        ? Shortcoming(
                            "No certificate of a maker of authenticators is trusted: passkeys.attestationRoots takes theirs, and has to be set before passkeys.attestation."
                        ) : nil,
                    passkeys.attestation == .enforced
                        ? nil
                        : Shortcoming(
                            "Passkeys of any authenticator are taken.",
                            passkeys.namesTrustedModels ? .setting("passkeys.attestation", "enforced") : nil),
                    situation.hasPasskeyDomain
                        ? nil
                        : Shortcoming(
                            "The servers have no domain for passkeys: without one no passkey can be set up.",
                            .start("publicURL", "an https URL with a domain")),
                    passkeys.allowsSynced
                        ? Shortcoming(
                            "Passkeys that leave their device are taken.", .setting("passkeys.allowsSynced", "false"))
                        : nil,
                    factors.offersTOTP
                        ? Shortcoming(
                            "Codes are taken as a second factor.", .setting("secondFactors.totp.state", "DISABLED"))
                        : nil,
                    factors.offersPush
                        ? Shortcoming(
                            "Apps are taken as a second factor.", .setting("secondFactors.offersPush", "false"))
                        : nil,
                ])
            },
            "PasskeyFactorTests: Where a second factor is asked for, a passkey is one, with the list of what the user has"
        ),
        .nist(
            "2.3.2a", 3, "It withstands phishing and replay, and takes a deliberate act.",
            .settings { situation in
                .unless([
                    situation.settings.secondFactors.offersPasskeys
                        ? nil
                        : Shortcoming("Passkeys are switched off.", .setting("secondFactors.offersPasskeys", "true")),
                    situation.settings.passkeys.userVerification == .required
                        ? nil
                        : Shortcoming(
                            "A sign-in is possible with a passkey that has not verified its user.",
                            .setting("passkeys.userVerification", "required")),
                ])
            }, "PasskeyFactorTests: An assertion of another origin opens no session",
            "PasskeyFactorTests: An assertion with one thing wrong opens no session, and its challenge is used up: CVE-2022-42731, CVE-2026-126952"
        ),
        .nist("2.3.2b", 3, "Authenticators and modules are validated.", .elsewhere(federal)),
        .nist(
            "2.3.2c", 3, should: true, "Time and power that a computation takes tell nothing of keys.",
            .elsewhere("Those who choose authenticators and machines decide.")),
        .nist(
            "2.3.3a", 3, "A session ends after 12 hours.", .settings(presetThree),
            "StayingTests: A stricter preset holds for every session, and offers no staying"),
        .nist(
            "2.3.3b", 3, should: true, "It ends after a quarter of an hour without use.", .settings(presetThree),
            "BrowserSessionTests: The presets have the limits of NIST SP 800-63B-4"),
    ]

    @Sendable private static func presetThree(_ situation: Situation) -> Finding {
        .unless([
            situation.settings.browserSessions.preset == .aal3
                ? nil
                : Shortcoming(
                    "A browser stays signed in for a day or longer.", .setting("browserSessions.preset", "aal3")),
            // An app's session lives for a day at least.
            Shortcoming(
                "An app stays signed in for \(situation.settings.tokens.sessionDays) days, and for one at least."),
        ])
    }

    /// Section 2.4
    private static let organisations: [Requirement] = [
        .nist(
            "2.4.1", 1,
            "Security controls of the moderate baseline of NIST SP 800-53, or of a like standard, are in place.",
            .elsewhere(organisation)),
        .nist(
            "2.4.2", 1, "Records are kept as long as laws and a risk assessment say, and users are told how long.",
            .elsewhere(organisation)),
        .nist(
            "2.4.3", 1,
            "Privacy is assessed, and what is known of users serves their sign-in, unless they agree to more.",
            .elsewhere(organisation)),
        .nist("2.4.4", 1, "Users find easily where to complain, and are helped.", .elsewhere(organisation)),
    ]

    /// Section 3.1.1.2
    private static let passwordVerifiers: [Requirement] = [
        .nist(
            "3.1.1.2a", 1, "A password that is asked for alone has 15 characters or more, another one 8.",
            .settings { situation in
                let passwords = situation.settings.passwords
                let alone = passwords.minimumLengthAlone ?? passwords.minimumLength
                return .unless([
                    passwords.minimumLength >= 8
                        ? nil
                        : Shortcoming(
                            "Passwords of \(passwords.minimumLength) characters are taken.",
                            .setting("passwords.minimumLength", "8")),
                    alone >= 15 || situation.settings.secondFactors.isRequired
                        ? nil
                        : Shortcoming(
                            "Passwords of \(alone) characters are taken where nothing else is asked for.",
                            .setting("passwords.minimumLengthAlone", "15")),
                ])
            }, "PasswordPolicyTests: The preset of NIST asks for fifteen characters where no second factor follows"),
        .nist(
            "3.1.1.2b", 1, should: true, "Passwords of 64 characters are taken.", .settings(longPasswords),
            "PasswordPolicyTests: A policy may allow less and more than the standard's 1,024 characters"),
        .nist(
            "3.1.1.2c", 1, should: true, "Characters of every script are taken, and each counts as one.", .construction,
            "PasswordPolicyTests: Length counts in scalars of the composed text",
            "Argon2idHasherTests: Composed and decomposed characters are the same"),
        .nist(
            "3.1.1.2d", 1, "No kinds of characters are asked for.", .settings(noKinds),
            "PasswordPolicyTests: Passwords that are good enough are taken"),
        .nist(
            "3.1.1.2e", 1, "Passwords are not changed by the calendar.", .construction,
            "DoctorTests: A password of ten years ago signs in"),
        .nist(
            "3.1.1.2f", 1, "There are no hints and no questions.", .construction,
            "DoctorTests: No means of proof is a hint or a question"),
        .nist(
            "3.1.1.2g", 1, "The whole password is asked for, and all of it counts.", .construction,
            "Argon2idHasherTests: Bytes after a zero byte count",
            "Argon2idHasherTests: A password of 4096 bytes works and a longer one is refused"),
        .nist(
            "3.1.1.2h", 1, "Passwords that are common, expected or compromised are refused, and the reason is told.",
            .settings { situation in
                .met(
                    if: situation.settings.passwords.refusesCommon, "The most common passwords are accepted.",
                    .setting("passwords.refusesCommon", "true"))
            }, "PasswordPolicyTests: The commonest passwords are refused, also decorated",
            "PageWordsTests: A new password that was refused is told why in every language"),
        .nist(
            "3.1.1.2i", 1, "Guesses are limited.", .construction,
            "RaceTests: Fifty wrong passwords sent at once are looked at ten times",
            "LockoutPolicyTests: Passwords: ten wrong ones, then thirty seconds doubling to a quarter of an hour, never disabled"
        ),
        .nist(
            "3.1.1.2j", 1, "Password managers, filling in and pasting work.", .construction,
            "PageTemplateTests: A refused field refers to the problem (WCAG 2.2, success criterion 3.3.1), another does not",
            "PasskeyDocumentTests: Each document is there where its setting is"),
        .nist(
            "3.1.1.2k", 1, should: true, "A password can be shown while it is typed.", .construction,
            "SignInPageTests: A password can be shown while it is typed, and the end of an attempt is announced"),
        .nist(
            "3.1.1.2l", 1, "Passwords are kept as hashes with a salt, at a cost.", .settings(\.hashing),
            "Argon2idHasherTests: Every hash has its own salt", "Argon2idHasherTests: The defaults are those of OWASP",
            "ServerConfigurationTests: Cheap password hashes are warned of"),
        .nist(
            "3.1.1.2m", 1, "Passwords are asked for through an encrypted channel.", .settings(\.encryption),
            "ServerConfigurationTests: Plain HTTP is for loopback only unless configured otherwise"),
        .nist(
            "3.1.1.2n", 1, "A password that is compromised has to be replaced.", .construction,
            "OwnFactorTests: A frozen password is a wrong one until it is set anew",
            "OwnSessionsTests: What was not the user's ends sessions, freezes what proved it and mails a reset"),
        .nist(
            "3.1.1.2o", 1, should: true, "Passwords are hashed in the normal form NFC.", .construction,
            "Argon2idHasherTests: Composed and decomposed characters are the same"),
        .nist(
            "3.1.1.2p", 1, should: true, "Users are told that some devices type characters beyond ASCII differently.",
            .lacking("Pages do not say so.")),
        .nist(
            "3.1.1.2q", 1, "The whole password is looked up, and not words in it.", .construction,
            "PasswordPolicyTests: Passwords that are good enough are taken"),
        .nist(
            "3.1.1.2r", 1, "Users get advice on a strong password, also where one was refused.", .construction,
            "AccountPageTests: A new password is chosen with advice on a strong one, also where one was refused"),
        .nist(
            "3.1.1.2s", 1, should: true, "Hashes are encrypted with a key that is kept apart from them.", .construction,
            "AuditTests: No secret that passed through the core is in the log or in the clear in the store"),
    ]

    /// Section 3.1.2 to 3.1.7
    private static let otherAuthenticators: [Requirement] = [
        .nist(
            "3.1.2.1", 1, "Recovery codes are random, and are shown to users who have just proven who they are.",
            .construction, "OwnAccountTests: A change takes the proof that it needs, of the last five minutes",
            "AccountPageTests: Recovery codes are shown once, as a page and as a file, and each lets its owner in"),
        .nist(
            "3.1.2.2", 1, "A recovery code counts once, and is kept as a digest.", .construction,
            "DeviceTests: A recovery code is good once and brings the next",
            "AuditTests: No secret that passed through the core is in the log or in the clear in the store"),
        .nist(
            "3.1.3.1", 1, "No mail is an authenticator.",
            .lacking("Users without a password sign in with a code that is mailed.")),
        .nist(
            "3.1.3.1b", 1, "A device's yes brings a number from the screen that asks.",
            .settings { situation in
                .met(
                    if: !situation.settings.secondFactors.offersPush,
                    "A number is asked for where an application or a page wants one; else a yes of the device is enough.",
                    .setting("secondFactors.offersPush", "false"))
            }, "ApprovalTests: Where a number is asked for, a yes without the right one is no yes, and a no needs none",
            "SignInPageTests: A device is asked with a number, and its answer signs in"),
        .nist(
            "3.1.3.2a", 1, "What is sent to a device counts once, for ten minutes at most.", .construction,
            "ApprovalTests: A request ends with its sign-in",
            "ApprovalTests: One yes, fetched twenty times at once, is one session"),
        .nist(
            "3.1.3.2b", 1, should: true, "Requests to a device are limited.", .construction,
            "ApprovalTests: Five requests a minute to one user"),
        .nist(
            "3.1.3.2c", 1, "What is sent has six random digits or more.", .construction,
            "MailedCodeTests: A code of eight digits signs in, once, also where white space was copied along",
            "SignInPageTests: A device is asked with a number, and its answer signs in"),
        .nist(
            "3.1.3.3", 1, "Codes by phone are offered beside others, with a warning.",
            .inapplicable("Nothing is sent by phone.")),
        .nist(
            "3.1.4.1", 1,
            "The secret of an authenticator has 112 bits or more, and its code changes within two minutes.",
            .construction, "EnrolmentTests: An offer has a secret of twenty bytes and lives a quarter of an hour",
            "TOTPFactorTests: A code counts as many steps away as the settings say"),
        .nist(
            "3.1.4.2", 1, "A code of an authenticator counts once, and wrong ones are limited.", .construction,
            "TOTPFactorTests: A code counts once, and after it no earlier one",
            "RaceTests: Fifty wrong codes sent at once over ten flows are looked at five times"),
        .nist(
            "3.1.6.2", 1,
            "A challenge has 64 random bits or more and comes once, and keys cannot be changed unnoticed.",
            .construction, "PasskeyFactorTests: The challenge is the handle, in enrolling and in a sign-in",
            "SealerTests: Every altered, missing or added byte is noticed"),
        .nist(
            "3.1.7.2", 2, "A passkey that has not verified its user is one factor.", .construction,
            "PasskeyFactorTests: Without user verification a passkey is one factor, and the authenticator app is asked for",
            "PasskeyFactorTests: A passkey that has never verified its user does not sign in alone without that: GHSA-h4fw-6r7f-w494"
        ),
        .nist(
            "3.1.7.4", 2, "User verification is asked for, also of passkeys that leave their device.", .construction,
            "PasskeyFactorTests: Options name the site and the user, exclude what is there, and list nothing before the user is known"
        ),
    ]

    /// Section 3.2
    private static let general: [Requirement] = [
        .nist(
            "3.2.1a", 1, "A factor that its user reports lost is closed at once.", .construction,
            "AccountPageTests: A factor that is reported lost signs in no more, and stays in the list",
            "OwnFactorTests: A factor that is lost answers nothing, and is asked for all the same"),
        .nist(
            "3.2.1b", 1, "Users are told how to guard their authenticators against theft and loss.",
            .elsewhere(organisation)),
        .nist(
            "3.2.2a", 1, "After a hundred wrong codes in a row an authenticator is closed.", .construction,
            "LimitTests: A factor that was answered wrongly a hundred times in a row is disabled until it is reset"),
        .nist(
            "3.2.2b", 1, "After a hundred wrong passwords in a row so is the password.",
            .lacking(
                "A password is only slowed down, to a try in a quarter of an hour: closing it would let anyone lock any user out."
            )),
        .nist(
            "3.2.2c", 1, should: true, "A right answer ends the count of wrong ones.", .construction,
            "LimitTests: Five wrong codes block the factor for thirty seconds; the fifth right one after that resets the count",
            "LimitTests: Ten wrong passwords block for thirty seconds, and a right one afterwards resets the count"),
        .nist(
            "3.2.5", 2, "What withstands phishing is bound to the name of this server.", .construction,
            "PasskeyFactorTests: An assertion of another origin opens no session",
            "PasskeyFactorTests: A registration with one thing wrong makes no passkey: CVE-2026-8830",
            "PasskeyTests: A public suffix is no domain for passkeys"),
        .nist(
            "3.2.12", 1, "Random values come from an approved generator.", .construction,
            "BytesTests: The system's generator gives as many bytes as asked for, and others each time"),
    ]

    /// Section 4.1
    private static let binding: [Requirement] = [
        .nist(
            "4.1a", 1, "It is on record which factors each account has, and what was done with them when.",
            .construction,
            "OwnFactorTests: Factors are listed with where they were used, renamed, and removed with what follows",
            "AuditTests: An event says who, through what, from where and why; ids sort by time"),
        .nist(
            "4.1b", 1, should: true, "The record says from where.", .construction,
            "AuditTests: An event says who, through what, from where and why; ids sort by time"),
        .nist(
            "4.1.2.1", 2, "A new authenticator takes a sign-in as strong as the account has.", .construction,
            "OfferTests: A signed-in user adds a device: with the present second factor, shown recently",
            "PasskeyFactorTests: A session by password alone enrols the first passkey, and neither another one nor a second factor"
        ),
        .nist(
            "4.1.2.1b", 1, "An account can have several factors.", .construction,
            "PasskeyFactorTests: A user has twenty passkeys at most",
            "PasskeyPageTests: Beside an authenticator app the passkey is asked for first, and the app is another way"),
        .nist(
            "4.1.2.2", 1,
            "A device is bound by a random code that counts once, for ten minutes at most, and is not mailed.",
            .lacking(
                "An invitation to set up a device is mailed, and counts for five days; a code on a page for minutes.")),
    ]

    /// Section 4.2
    private static let recovery: [Requirement] = [
        .nist(
            "4.2.1.1", 1, "Recovery codes have 64 random bits or more, count once, and wrong ones are limited.",
            .construction, "DeviceTests: A recovery code is good once and brings the next",
            "OwnFactorTests: Each recovery code of a list is good once, and the last is replaced by another",
            "LimitTests: Ten answers exhaust a flow, and a new flow does not forgive the factor"),
        .nist(
            "4.2.1.1b", 1, "A recovery code that was used is replaced by a new one.",
            .lacking("A list has ten codes; the last one that is used is replaced, and earlier ones are not.")),
        .nist(
            "4.2.1.2", 1, "A code for a new password that is mailed counts for 24 hours at most.", .construction,
            "LinkTests: A link lives an hour, one that verifies an address three days"),
        .nist(
            "4.2.1.2b", 1, "Users can name two or more addresses for recovery.", .lacking("An account has one address.")
        ),
        .nist(
            "4.2.1.3", 1, "Recovery contacts are looked after by the user.",
            .inapplicable("There are no recovery contacts.")),
        .nist(
            "4.2.2.1", 1, "An account is recovered with a recovery code that was kept or sent.", .construction,
            "SignInPageTests: A forgotten password is replaced by a mailed code, and the second factor is asked all the same",
            "SignInPageTests: A code of an authenticator is asked for, counts once, and a recovery code stands in for it"
        ),
        .nist(
            "4.2.2.2", 2, "An account of two factors is recovered with a code and a factor, or with two kinds of code.",
            .construction, "LinkTests: A reset leaves the second factor, which is asked for afterwards"),
    ]

    /// Section 4.3 to 4.6
    private static let events: [Requirement] = [
        .nist(
            "4.3", 1, "A compromised authenticator is closed at once.", .construction,
            "OwnSessionsTests: What was not the user's ends sessions, freezes what proved it and mails a reset",
            "AccountPageTests: A factor that is reported lost signs in no more, and stays in the list"),
        .nist(
            "4.4", 1, "An authenticator that has expired is not taken.",
            .inapplicable("No factor of this server expires.")),
        .nist(
            "4.5", 1, "An authenticator ends with its account, and when its user says so.", .construction,
            "PasskeyPageTests: A passkey is removed by its owner, and a session by password alone neither removes nor adds one",
            "OwnSessionsTests: An account goes when its grace period is over, and stays where its user thinks otherwise"
        ),
        .nist(
            "4.6", 1, "Users are told when an authenticator is added or an account is recovered.", .settings(\.notices),
            "AccountNoticeTests: Each change is told once, to the address of the account"),
        .nist(
            "4.6b", 1, "Users can have notices sent to two or more addresses.", .lacking("An account has one address.")),
        .nist(
            "4.6c", 1, "A notice says what to do where it was not the user, and whom to turn to.",
            .elsewhere("It says what to do; whom to turn to is for the operator's own mail templates to say."),
            "MailMessageTests: Each notice of a change is there in every language, with and without the name of a factor"
        ),
    ]

    /// Section 5
    private static let sessionBindings: [Requirement] = [
        .nist(
            "5.1a", 1, "The secret of a session is random and made for the session.", .construction,
            "BytesTests: No random value is given out twice, however many threads ask",
            "BrowserSessionTests: A further sign-in raises the session: its id stays, its proofs are the new ones, its token is another"
        ),
        .nist(
            "5.1b", 1, "It is forgotten when the user signs out.", .construction,
            "PageLockTests: Signing out takes the session from the browser, asks first, and ends it everywhere on request"
        ),
        .nist(
            "5.1c", 1, "It goes through encrypted channels alone.", .settings(\.encryption),
            "SignInPageTests: A password leads to the account, and cookies are as browsers have to keep them"),
        .nist(
            "5.1d", 1, "Forms carry what only pages of this server know.", .construction,
            "PageLockTests: No form is taken without both locks",
            "PageMatrixTests: A form counts from its own page, in its own browser, with its own token, and no other way"
        ),
        .nist(
            "5.1e", 1, should: true, "A browser that is closed has no session any more.",
            .settings { situation in
                .met(
                    if: situation.settings.browserSessions.preset != .aal1,
                    "A browser stays signed in for 30 days where its user asks for it.",
                    .setting("browserSessions.preset", situation.assurance > 2 ? "aal3" : "aal2"))
            }, "StayingTests: The box is there, is empty, and a session without it is forgotten with the browser",
            "StayingTests: A stricter preset holds for every session, and offers no staying"),
        .nist(
            "5.1f", 2, "That a browser is known stands in for no factor.", .construction,
            "StayingTests: A browser shows the accounts whose users asked for it, until it is told to forget them",
            "StayingTests: Two factors are an hour idle at most, and a day in all"),
        .nist(
            "5.1g", 1, "A session is of no higher assurance than its sign-in.", .construction,
            "BrowserSessionTests: A further sign-in raises the session: its id stays, its proofs are the new ones, its token is another",
            "OtherDeviceTests: A user with a passkey uses it, and the browser's session does not count as resistant to phishing"
        ),
        .nist(
            "5.1h", 1, should: true, "Users can sign out from each page.", .construction,
            "PageLockTests: Signing out takes the session from the browser, asks first, and ends it everywhere on request"
        ),
        .nist(
            "5.1.1a", 1, "Cookies of sessions are for encrypted connections and for this host.",
            .settings(\.encryption),
            "SignInPageTests: A password leads to the account, and cookies are as browsers have to keep them"),
        .nist(
            "5.1.1b", 1, should: true, "No script reads them, and they hold nothing but a random text.", .construction,
            "SignInPageTests: A password leads to the account, and cookies are as browsers have to keep them",
            "BrowserKeyTests: A cookie's value is read back, and nothing else is a key"),
        .nist(
            "5.1.1c", 1, should: true,
            "They have the prefix `__Host-`, are not sent from other sites, and end with the session.",
            .construction,
            "SignInPageTests: A password leads to the account, and cookies are as browsers have to keep them"),
        .nist(
            "5.1.2", 1, "That there is an access token is not taken for the presence of its user.",
            .elsewhere("The application's own program does it.")),
        .nist(
            "5.2", 1, "A session ends when either time is over; its use renews the one, signing in anew both.",
            .construction,
            "BrowserSessionTests: A session that is not used for an hour is over, and the cookie says when it was used",
            "BrowserSessionTests: A further sign-in raises the session: its id stays, its proofs are the new ones, its token is another"
        ),
    ]
}
