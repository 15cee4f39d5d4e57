import CountersignCore

extension Requirement {
    /// NIST SP 800-63B-4: what its assurance levels ask of a verifier, in section 2 and in the sections that it refers to.
    static let nist: [Requirement] =
        levelOne + levelTwo + levelThree + passwordVerifiers + otherAuthenticators + events
        + sessionBindings

    private static let federal =
        "Federal agencies need modules that are validated by FIPS 140; those who build and run the server decide."

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
            "2.3.1", 3, "A sign-in takes a key in hardware, beside a password or with its user verified.",
            .settings { situation in
                let (factors, passkeys) = (situation.settings.secondFactors, situation.settings.passkeys)
                return .unless([
                    factors.isRequired
                        ? nil
                        : Shortcoming(
                            "Users sign in with one factor.", .setting("secondFactors.state", "MANDATORY")),
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
            "3.1.1.2g", 1, "The whole password counts.", .construction,
            "Argon2idHasherTests: Bytes after a zero byte count",
            "Argon2idHasherTests: A password of 4096 bytes works and a longer one is refused"),
        .nist(
            "3.1.1.2h", 1, "Passwords that are common, expected or known are refused, and the reason is told.",
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
            "3.1.1.2j", 1, "Password managers work.", .construction,
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
    ]

    /// Sections 3.1.2 to 3.2
    private static let otherAuthenticators: [Requirement] = [
        .nist(
            "3.1.2.2", 1, "A recovery code counts once, and is kept as a digest.", .construction,
            "DeviceTests: A recovery code is good once and brings the next",
            "AuditTests: No secret that passed through the core is in the log or in the clear in the store"),
        .nist(
            "3.1.3.1", 1, "No mail is an authenticator.",
            .lacking("Users without a password sign in with a code that is mailed.")),
        .nist(
            "3.1.3.2a", 1, "What is sent to a device counts once, for ten minutes at most.", .construction,
            "ApprovalTests: A request ends with its sign-in",
            "ApprovalTests: One yes, fetched twenty times at once, is one session"),
        .nist(
            "3.1.3.2b", 1, should: true, "Requests to a device are limited.", .construction,
            "ApprovalTests: Five requests a minute to one user"),
        .nist(
            "3.1.4.2", 1, "A code of an authenticator counts once, and wrong ones are limited.", .construction,
            "TOTPFactorTests: A code counts once, and after it no earlier one",
            "RaceTests: Fifty wrong codes sent at once over ten flows are looked at five times"),
        .nist(
            "3.2.2a", 1, "After a hundred wrong codes in a row an authenticator is closed.", .construction,
            "LimitTests: A factor that was answered wrongly a hundred times in a row is disabled until it is reset"),
        .nist(
            "3.2.2b", 1, "After a hundred wrong passwords in a row so is the password.",
            .lacking(
                "A password is only slowed down, to a try in a quarter of an hour: closing it would let anyone lock any user out."
            )),
        .nist(
            "3.2.5", 2, "What withstands phishing is bound to the name of this server.", .construction,
            "PasskeyFactorTests: An assertion of another origin opens no session",
            "PasskeyFactorTests: A registration with one thing wrong makes no passkey: CVE-2026-8830"),
        .nist(
            "3.2.12", 1, "Random values come from an approved generator.", .construction,
            "BytesTests: The system's generator gives as many bytes as asked for, and others each time"),
    ]

    /// Section 4
    private static let events: [Requirement] = [
        .nist(
            "4.1.2.1", 2, "A new authenticator takes a sign-in as strong as the account has.", .construction,
            "OfferTests: A signed-in user adds a device: with the present second factor, shown recently",
            "PasskeyFactorTests: A session by password alone enrols the first passkey, and neither another one nor a second factor"
        ),
        .nist(
            "4.2.1.1", 1, "Recovery codes have 64 random bits or more, and a used one is replaced.", .construction,
            "DeviceTests: A recovery code is good once and brings the next"),
        .nist(
            "4.2.1.2", 1, "A code for a new password that is mailed counts for 24 hours at most.", .construction,
            "LinkTests: A link lives an hour, one that verifies an address three days"),
        .nist(
            "4.6", 1, "Users are told when an authenticator is added or an account is recovered.", .settings(\.notices),
            "AccountNoticeTests: Each change is told once, to the address of the account"),
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
            "5.1.1a", 1, "Cookies of sessions are for encrypted connections and for this host.",
            .settings(\.encryption),
            "SignInPageTests: A password leads to the account, and cookies are as browsers have to keep them"),
        .nist(
            "5.1.1b", 1, should: true, "No script reads them, and they hold nothing but a random text.", .construction,
            "SignInPageTests: A password leads to the account, and cookies are as browsers have to keep them",
            "BrowserKeyTests: A cookie's value is read back, and nothing else is a key"),
    ]
}
