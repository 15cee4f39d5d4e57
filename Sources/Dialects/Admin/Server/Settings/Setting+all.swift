import CountersignCore
import SecurityChecks

extension Setting {
    /// Every setting that has one name. What is in ``RealmSettings`` and not here cannot be set; a test sees to it that
    /// nothing is forgotten.
    static let all: [Setting] = [
        .preset,
        .integer(
            "passwords.minimumLength", \.passwords.minimumLength, in: 6...64, "minimum length of a password",
            weakerWhen: (.smaller, "Shorter passwords are accepted from now on; short ones are guessed first.")),
        .minimumLengthAlone,
        .maximumLength,
        .requiredKinds,
        .bool(
            "passwords.refusesCommon", \.passwords.refusesCommon, "refuse the most common passwords",
            weaker: (false, "The most common passwords are accepted from now on.")),
        .integer(
            "passwords.remembered", \.passwords.remembered, in: 0...PasswordPolicy.mostRemembered,
            "recent passwords that a user cannot choose again, including the present one",
            weakerWhen: (.smaller, "Users can return to possibly leaked passwords sooner from now on.")),
        .bool("signUp.isOpen", \.signUp.isOpen, "users may create their own accounts"),
        .bool(
            "signUp.takesInvitations", \.signUp.takesInvitations,
            "people whom an administrator invites may create an account, also where sign-up is not open"),
        .word(
            "browserSessions.otherDevice", \.browserSessions.otherDevice,
            "whether another device that is signed in signs a browser in: not at all, in the same network, or anywhere",
            weakness: { before, after in
                after.browserSessions.otherDevice == .anywhere && before.browserSessions.otherDevice != .anywhere
                    ? "Users can be led to sign in the browser of an attacker who is far away from now on." : nil
            }),
        .text(
            "terms.version", \.terms.version, TermsSettings.isVersion, accepts: "1 to 64 printable characters",
            "the version of the terms of use that users agree to on pages; another one asks each user again"),
        .text(
            "terms.url", \.terms.url, TermsSettings.isAddress, accepts: "an https URL",
            "where the terms of use are read"),
        .toolkitFlag(
            "identityToolkit.allowsEmail", "allowsEmail", default: true,
            "Identity Toolkit's clients sign in and up with an address"),
        .toolkitFlag(
            "identityToolkit.allowsEmailLinks", "allowsEmailLinks", default: true,
            "Identity Toolkit's clients sign in by a mailed link",
            weaker: (true, "A reader of the mailbox can sign in by a link from now on, without the password.")),
        .toolkitFlag(
            "identityToolkit.allowsDeletion", "allowsDeletion", default: true,
            "users delete their own accounts through Identity Toolkit"),
        .bool(
            "signUp.allowsAnonymous", \.signUp.allowsAnonymous, "accounts without address or password",
            weaker: (true, "Any client can create accounts without an address from now on, within the limits.")),
        .bool(
            "privacy.hidesAddresses", \.privacy.hidesAddresses,
            "answers do not disclose whether an address has an account",
            weaker: (
                false,
                "Answers disclose from now on which addresses have an account: an attacker can collect them to "
                    + "try passwords on."
            )),
        .word(
            "secondFactors.state", \.secondFactors.state, "whether second factors are disabled, enabled or mandatory",
            weakness: { before, after in
                before.secondFactors.state == .mandatory && after.secondFactors.state != .mandatory
                    ? "Not every user needs a second factor any more." : nil
            }),
        .list(
            "secondFactors.requiredGroups", \.secondFactors.requiredGroups, { GroupName($0) != nil }, most: 32,
            accepts: "names of groups",
            "groups whose members need a second factor, also where not every user does",
            weakness: { namedWarning($0, $1, \.requiredGroups) }),
        .list(
            "secondFactors.requiredRoles", \.secondFactors.requiredRoles, { AdministratorRole(rawValue: $0) != nil },
            most: AdministratorRole.allCases.count,
            accepts: "owner, operator, support, auditor",
            "roles of administrators who need a second factor at every sign-in, and not only for the console",
            weakness: { namedWarning($0, $1, \.requiredRoles) }),
        .skippableTimes,
        .text(
            "secondFactors.skippableUntil", \.secondFactors.skippableUntil, SecondFactorSettings.isDay,
            accepts: "a day, for instance 2026-12-03",
            "the last day (UTC) on which users may put off setting up a second factor that is required",
            weakness: { before, after in
                let (former, latter) = (before.secondFactors, after.secondFactors)
                let isLonger =
                    switch (former.skippableUntil, latter.skippableUntil) {
                    case (let former?, let latter?): former < latter
                    // Without a day there is no end, where times are counted; else nothing is put off.
                    case (nil, .some): former.skippableTimes == nil
                    case (.some, nil): latter.skippableTimes != nil
                    case (nil, nil): false
                    }
                return isLonger && latter.skippableTimes != 0 ? putOffWarning : nil
            }),
        .toolkitFlag(
            "secondFactors.listsPhone", "listsPhone", default: false,
            "shown to Identity Toolkit; there is no such factor"),
        .totpState,
        .adjacentIntervals,
        .offersPush,
        .bool(
            "secondFactors.offersPasskeys", \.secondFactors.offersPasskeys, "passkeys are enrolled and taken",
            weaker: (
                false,
                "Passkeys are not taken any more: users sign in by their other means, which can be phished."
            )),
        .text(
            "passkeys.rpID", \.passkeys.rpID, PasskeySettings.isDomain, accepts: "a domain",
            "the domain that passkeys belong to, instead of the host of the public URL",
            weakness: { before, after in
                before.passkeys.rpID == after.passkeys.rpID
                    ? nil
                    : "Passkeys that were made for another domain cannot be used from now on: their users need another way to sign in."
            }),
        .text(
            "passkeys.rpName", \.passkeys.rpName, { (1...64).contains($0.count) }, accepts: "1 to 64 characters",
            "what browsers call the site that passkeys are for"),
        .list(
            "passkeys.origins", \.passkeys.origins, PasskeySettings.isOrigin, most: 32,
            accepts: "origins to the letter, https://host or https://host:port, or android:apk-key-hash:…",
            "origins that may ask for passkeys, instead of the public URLs"),
        .list(
            "passkeys.relatedOrigins", \.passkeys.relatedOrigins, PasskeySettings.isOrigin, most: 32,
            accepts: "origins to the letter",
            "origins of other domains that may ask for passkeys; published at /.well-known/webauthn",
            weakness: { before, after in
                let former = Set(before.passkeys.relatedOrigins ?? [])
                let added = (after.passkeys.relatedOrigins ?? []).filter { !former.contains($0) }
                return added.isEmpty
                    ? nil
                    : "Pages of \(added.joined(separator: ", ")) can ask for passkeys of this site from now on."
            }),
        .list(
            "passkeys.framingOrigins", \.passkeys.framingOrigins, PasskeySettings.isOrigin, most: 32,
            accepts: "origins to the letter",
            "origins whose pages may show this server in a frame that asks for passkeys",
            weakness: { before, after in
                let former = Set(before.passkeys.framingOrigins ?? [])
                return (after.passkeys.framingOrigins ?? []).contains { !former.contains($0) }
                    ? "Pages of other sites can lead users to use their passkeys in a frame from now on." : nil
            }),
        .word(
            "passkeys.userVerification", \.passkeys.userVerification,
            "whether a sign-in that begins with a passkey requires that the authenticator verifies its user",
            weakness: { before, after in
                before.passkeys.userVerification == .required && after.passkeys.userVerification != .required
                    ? "A device that is not locked opens its owner's account from now on: such a passkey is one factor."
                    : nil
            }),
        .list(
            "passkeys.algorithms", \.passkeys.algorithms, PasskeySettings.isAlgorithm, most: 5,
            accepts: "EdDSA, ES256, ES384, ES512, RS256, the best first", "algorithms that new passkeys may have"),
        .word(
            "passkeys.attestation", \.passkeys.attestation,
            "statements about authenticators: not looked at, verified, or only those of allowed models"),
        .list(
            "passkeys.allowedAAGUIDs", \.passkeys.allowedAAGUIDs, PasskeySettings.isAAGUID, most: 256,
            accepts: "AAGUIDs", "models of authenticators that attestation: enforced admits"),
        .list(
            "passkeys.attestationRoots", \.passkeys.attestationRoots, PasskeySettings.isCertificate, most: 32,
            accepts: "certificates in DER, as base64", "makers of authenticators that are trusted"),
        .bool(
            "passkeys.allowsSynced", \.passkeys.allowsSynced,
            "attestation: enforced admits passkeys that leave their device",
            weaker: (true, "Passkeys that are copied between devices are admitted from now on.")),
        .word(
            "passkeys.counter", \.passkeys.counter,
            "what becomes of a passkey's answer whose counter did not grow: refused, or accepted with a warning",
            weakness: { before, after in
                before.passkeys.counter == .refuse && after.passkeys.counter != .refuse
                    ? "A copy of a passkey is accepted from now on, with a note in the log." : nil
            }),
        .list(
            "passkeys.appleApps", \.passkeys.appleApps, PasskeySettings.isAppleApp, most: 32,
            accepts: "TEAMID.bundle", "apps on Apple's systems that use passkeys of this site"),
        .list(
            "passkeys.androidApps", \.passkeys.androidApps, PasskeySettings.isAndroidApp, most: 32,
            accepts: "package=AA:BB:… (SHA-256 of the signing certificate)",
            "apps for Android that use passkeys of this site"),
        .word("tokens.algorithm", \.tokens.algorithm, "signing algorithm of dialects without their own setting"),
        .word(
            "tokens.publishedKeys", \.tokens.publishedKeys,
            "keys in a JWKS: all, or only those that sign tokens for its readers"),
        .integer(
            "tokens.idTokenLifetime", \.tokens.idTokenLifetime, in: 300...86_400, unit: " seconds",
            "lifetime of an ID token",
            weakerWhen: (.larger, "A stolen ID token is valid for longer from now on.")),
        .integer(
            "tokens.sessionDays", \.tokens.sessionDays, in: 1...3650, unit: " days",
            "maximum lifetime of a session, regardless of refreshes",
            weakerWhen: (.larger, "A stolen refresh token is valid for longer from now on.")),
        .word(
            "browserSessions.preset", \.browserSessions.preset,
            "how long browsers stay signed in, by NIST SP 800-63B: aal1 (30 days with one factor where users ask for it), aal2 (1 hour "
                + "idle, 1 day in all), aal3 (15 minutes idle, 12 hours in all)",
            weakness: { before, after in
                after.browserSessions.preset.rawValue < before.browserSessions.preset.rawValue
                    ? "Browsers stay signed in for longer from now on." : nil
            }),
        .word(
            "oauth.dpopNonce", \.oauth.dpopNonce,
            "who puts a nonce of the server into proofs of keys: never, public (applications without credentials), always"
        ),
        .word(
            "oauth.registration", \.oauth.registration,
            "whether applications may register themselves: off, token (those that show one of an administrator's), open",
            weakness: { before, after in
                after.oauth.registration == .open && before.oauth.registration != .open
                    ? "Any application can register itself from now on and ask users for consent, without an administrator having looked at it."
                    : nil
            }),
        .list(
            "oauth.registrationResources", \.oauth.registrationResources, Resource.isIdentifier, most: 100,
            accepts: "identifiers of APIs",
            "APIs that applications may ask users for which no administrator made",
            weakness: { before, after in
                let former = Set(before.oauth.registrationResources ?? [])
                let added = (after.oauth.registrationResources ?? []).filter { !former.contains($0) }
                return added.isEmpty
                    ? nil
                    : "Applications that no administrator looked at can ask users for \(added.joined(separator: ", ")) from now on."
            }),
        .text(
            "oauth.policyURI", \.oauth.policyURI, OAuthSettings.isDocument, accepts: "an https address",
            "your policy for applications, which the metadata names (op_policy_uri)"),
        .text(
            "oauth.termsURI", \.oauth.termsURI, OAuthSettings.isDocument, accepts: "an https address",
            "your terms for applications, which the metadata names (op_tos_uri)"),
        .text(
            "oauth.documentationURI", \.oauth.documentationURI, OAuthSettings.isDocument, accepts: "an https address",
            "what developers may read, which the metadata names (service_documentation)"),
        .word(
            "oauth.clientDocuments", \.oauth.clientDocuments,
            "whether applications are known by a document at their client id: not at all, at listed addresses, or at any",
            weakness: { before, after in
                after.oauth.clientDocuments == .any && before.oauth.clientDocuments != .any
                    ? "Applications that no administrator has seen can ask users to sign in from now on." : nil
            }),
        .list(
            "oauth.listedDocuments", \.oauth.listedDocuments, OAuthSettings.isDocumentPattern,
            most: OAuthSettings.mostDocumentPatterns,
            accepts: "https addresses, beginnings of some that end with a slash, or hosts",
            "documents of applications that are taken, and may name redirect URIs at other sites",
            weakness: { before, after in
                let added = Set(after.oauth.listedDocuments ?? []).subtracting(before.oauth.listedDocuments ?? [])
                return added.isEmpty
                    ? nil
                    : "Documents at \(added.sorted().joined(separator: ", ")) say from now on where users are sent with answers."
            }),
        .list(
            "oauth.blockedDocuments", \.oauth.blockedDocuments, OAuthSettings.isDocumentPattern,
            most: OAuthSettings.mostDocumentPatterns,
            accepts: "https addresses, beginnings of some that end with a slash, or hosts",
            "documents of applications that are never taken",
            weakness: { before, after in
                let removed = Set(before.oauth.blockedDocuments ?? []).subtracting(after.oauth.blockedDocuments ?? [])
                return removed.isEmpty
                    ? nil : "Documents at \(removed.sorted().joined(separator: ", ")) are taken again from now on."
            }),
        .word("push.provider", \.push.provider, "how devices learn about requests; guardian: they poll"),
        .text(
            "push.apns.keyID", \.push.apns.keyID, APNsSettings.isIdentifier, accepts: "the id that Apple gave the key",
            "the key for APNs"),
        .text(
            "push.apns.teamID", \.push.apns.teamID, APNsSettings.isIdentifier, accepts: "the id of the developer team",
            "the team for APNs"),
        .text(
            "push.apns.bundleID", \.push.apns.bundleID, APNsSettings.isBundleIdentifier,
            accepts: "a bundle identifier", "the app that gets pushes"),
        .bool("push.apns.isSandbox", \.push.apns.isSandbox, "the app was installed by Xcode"),
        .list(
            "links.authorizedDomains", \.links.authorizedDomains, LinkSettings.isDomain, most: LinkSettings.mostDomains,
            accepts: "host names, or *.example.com for all below one",
            "hosts that mailed links may redirect to, besides the server's own",
            weakness: { before, after in
                let former = Set(before.links.authorizedDomains ?? [])
                let added = (after.links.authorizedDomains ?? []).filter { $0.hasPrefix("*.") && !former.contains($0) }
                return added.isEmpty
                    ? nil
                    : "Pages of this server redirect to every host below \(added.joined(separator: ", ")) from now on: "
                        + "an attacker who controls one of them can receive your users there."
            }),
        .integer(
            "audit.retentionDays", \.audit.retentionDays, in: 1...36_500, unit: " days",
            "how long the audit log keeps events",
            weakerWhen: (.smaller, "Older events are removed from the audit log within a minute.")),
        .integer(
            "accounts.deletionGraceDays", \.accounts.deletionGraceDays, in: 0...365, unit: " days",
            "how long an account stays, as disabled, whose user wants it removed",
            weakerWhen: (.smaller, "Users have less time from now on to withdraw a removal that they did not ask for.")),
        .list(
            "accounts.editableAttributes", \.accounts.editableAttributes, OwnProfile.isAttributeName,
            most: AccountSettings.mostAttributes, accepts: "names of attributes, of 1 to 64 characters without spaces",
            "attributes that users change themselves",
            weakness: { before, after in
                let added = Set(after.accounts.editableAttributes ?? []).subtracting(
                    before.accounts.editableAttributes ?? [])
                return added.isEmpty
                    ? nil
                    : "Users set \(added.sorted().joined(separator: ", ")) themselves from now on: applications must not "
                        + "take what these say as checked."
            }),
        .bool(
            "accounts.takesPictures", \.accounts.takesPictures,
            "users set the address of their picture themselves",
            weaker: (true, "Hosts that users choose learn from now on when applications show a user's picture.")),
        .bool(
            "securityChecks.acceptsSharedSecrets", \.securityChecks.acceptsSharedSecrets,
            "clients may sign with a secret that they send in the request (web SDKs of 2016 and 2017)",
            weaker: (true, "An eavesdropper on one request of such a client can sign in its name from now on.")),
        .bool(
            "securityChecks.acceptsSmallKeys", \.securityChecks.acceptsSmallKeys,
            "clients may register RSA keys from 1024 bits",
            weaker: (true, "Keys that a determined attacker can break are accepted from now on.")),
    ]

    /// Several settings of passwords at once.
    private static let preset = Setting(
        "passwords", accepts: "standard, nist", "a preset of all password rules",
        read: { settings in
            switch settings.passwords {
            case .standard: .string("standard")
            case .nist: .string("nist")
            default: .string("custom")
            }
        },
        write: { settings, value in
            switch value.stringValue?.lowercased() {
            case "standard": settings.passwords = .standard
            case "nist": settings.passwords = .nist
            default: throw refusal("passwords", value, accepts: "standard, nist")
            }
        },
        weakness: { before, after in
            let (before, after) = (before.passwords, after.passwords)
            let isWeaker =
                after.minimumLength < before.minimumLength
                || (after.minimumLengthAlone ?? after.minimumLength)
                    < (before.minimumLengthAlone ?? before.minimumLength)
                || (before.refusesCommon && !after.refusesCommon) || after.remembered < before.remembered
                || !after.required.isSuperset(of: before.required)
            return isWeaker ? "Weaker passwords are accepted from now on." : nil
        })

    private static let minimumLengthAlone = Setting(
        "passwords.minimumLengthAlone", accepts: "6 to 64, or none",
        "minimum length where only the password is asked for",
        read: { $0.passwords.minimumLengthAlone.map { .integer(Int64($0)) } ?? .null },
        write: { settings, value in
            if value.isNone {
                settings.passwords.minimumLengthAlone = nil
                return
            }
            guard let number = value.asInteger, (6...64).contains(number) else {
                throw refusal("passwords.minimumLengthAlone", value, accepts: "6 to 64, or none")
            }
            settings.passwords.minimumLengthAlone = number
        },
        weakness: { before, after in
            (after.passwords.minimumLengthAlone ?? 0) < (before.passwords.minimumLengthAlone ?? 0)
                ? "Shorter passwords are accepted from now on where no second factor follows." : nil
        })

    private static let maximumLength: Setting = {
        let key = "passwords.maximumLength"
        let accepts = "6 to \(PasswordPolicy.longestMaximum), or none for \(PasswordPolicy.maximumLength)"
        return Setting(
            key, accepts: accepts, "characters that a password may contain",
            read: { $0.passwords.maximumLength.map { .integer(Int64($0)) } ?? .null },
            write: { settings, value in
                if value.isNone {
                    settings.passwords.maximumLength = nil
                    return
                }
                guard let number = value.asInteger, (6...PasswordPolicy.longestMaximum).contains(number) else {
                    throw refusal(key, value, accepts: accepts)
                }
                settings.passwords.maximumLength = number
            })
    }()

    private static let requiredKinds: Setting = {
        let key = "passwords.required"
        let accepts = "\(words(of: CharacterKind.self)) with commas between, or none"
        return Setting(
            key, accepts: accepts, "kinds of characters that a password needs",
            read: { settings in
                let kinds = CharacterKind.allCases.filter(settings.passwords.required.contains)
                return kinds.isEmpty ? .null : .string(kinds.map(\.rawValue).joined(separator: ","))
            },
            write: { settings, value in
                if value.isNone {
                    settings.passwords.required = []
                    return
                }
                guard let text = value.stringValue else { throw refusal(key, value, accepts: accepts) }
                settings.passwords.required = Set(
                    try text.split(separator: ",").map { part in
                        guard let kind = CharacterKind(rawValue: part.filter { $0 != " " }.lowercased()) else {
                            throw refusal(key, value, accepts: accepts)
                        }
                        return kind
                    })
            },
            weakness: { before, after in
                after.passwords.required.isSuperset(of: before.passwords.required)
                    ? nil : "Passwords of fewer kinds of characters are accepted from now on."
            })
    }()

    private static let totpState = Setting(
        "secondFactors.totp.state", accepts: words(of: SecondFactorSettings.State.self),
        "codes of authenticator apps",
        read: { .string(($0.secondFactors.totp?.state ?? .disabled).rawValue) },
        write: { settings, value in
            let state: SecondFactorSettings.State = try word(
                "secondFactors.totp.state", value, accepts: words(of: SecondFactorSettings.State.self))
            if settings.secondFactors.totp == nil {
                settings.secondFactors.totp = TOTPSettings(state: state, adjacentIntervals: nil)
            } else {
                settings.secondFactors.totp?.state = state
            }
        },
        weakness: { before, after in
            guard before.secondFactors.offersTOTP, !after.secondFactors.offersTOTP else { return nil }
            // Where none is left although one is required, that is said (``ChangeSetting/warnings(_:_:_:hasPasskeyDomain:)``).
            let others = after.secondFactors.offersPush || after.secondFactors.offersPasskeys
            if !after.secondFactors.isRequired {
                return "Codes are no longer required: users who enrolled sign in with the password alone."
            }
            return others
                ? "Codes are not taken any more: users without another second factor have to set one up before they sign in."
                : nil
        })

    /// Where a group or a role is taken off the list, and not every user needs a second factor.
    private static func namedWarning(
        _ before: RealmSettings, _ after: RealmSettings, _ names: (SecondFactorSettings) -> [String]?
    ) -> String? {
        guard !after.secondFactors.isRequired,
            !Set(names(before.secondFactors) ?? []).isSubset(of: names(after.secondFactors) ?? [])
        else { return nil }
        return "Users of the groups or roles that are not named any more need no second factor from now on."
    }

    private static let putOffWarning = "Users can put off longer the second factor that is required of them."

    private static let skippableTimes = Setting(
        "secondFactors.skippableTimes", accepts: "0 to 100, or none",
        "how often a user may put off setting up a second factor that is required; none leaves it to the last day",
        read: { $0.secondFactors.skippableTimes.map { .integer(Int64($0)) } ?? .null },
        write: { settings, value in
            if value.isNone {
                settings.secondFactors.skippableTimes = nil
                return
            }
            guard let number = value.asInteger, (0...100).contains(number) else {
                throw refusal("secondFactors.skippableTimes", value, accepts: "0 to 100, or none")
            }
            settings.secondFactors.skippableTimes = number
        },
        weakness: { before, after in
            // Without a number it is as often as the last day leaves time for, and never where there is none.
            func times(_ settings: SecondFactorSettings) -> Int {
                settings.skippableTimes ?? (settings.skippableUntil == nil ? 0 : .max)
            }
            return times(before.secondFactors) < times(after.secondFactors) ? putOffWarning : nil
        })

    private static let offersPush = Setting(
        "secondFactors.offersPush", accepts: "true or false", "requests to devices that answer with a signature",
        read: { .bool($0.secondFactors.offersPush) },
        write: { settings, value in
            guard let flag = value.asBool else {
                throw refusal("secondFactors.offersPush", value, accepts: "true or false")
            }
            settings.secondFactors.offersPush = flag
        },
        weakness: { before, after in
            guard before.secondFactors.offersPush, !after.secondFactors.offersPush else { return nil }
            return after.secondFactors.isRequired
                ? "Devices get no requests any more: users without another second factor have to set one up before they sign in."
                : "Devices get no requests any more: users without another factor sign in with the password alone."
        })

    private static let adjacentIntervals: Setting = {
        let range = TOTPSettings.allowedAdjacentIntervals
        let accepts = "\(range.lowerBound) to \(range.upperBound), or none"
        return Setting(
            "secondFactors.totp.adjacentIntervals", accepts: accepts,
            "steps of 30 s before and after the present one in which a code is valid",
            read: { $0.secondFactors.totp?.adjacentIntervals.map { .integer(Int64($0)) } ?? .null },
            write: { settings, value in
                let number = value.asInteger
                guard value.isNone || number.map(range.contains) == true else {
                    throw refusal("secondFactors.totp.adjacentIntervals", value, accepts: accepts)
                }
                if settings.secondFactors.totp == nil {
                    settings.secondFactors.totp = TOTPSettings(state: .disabled, adjacentIntervals: number)
                } else {
                    settings.secondFactors.totp?.adjacentIntervals = number
                }
            },
            weakness: { before, after in
                let (before, after) = (before.secondFactors.totpWindow, after.secondFactors.totpWindow)
                return after > before
                    ? "A code is valid for \((2 * after + 1) * 30) s from now on, and a guess hits one of "
                        + "\(2 * after + 1) codes." : nil
            })
    }()
}
