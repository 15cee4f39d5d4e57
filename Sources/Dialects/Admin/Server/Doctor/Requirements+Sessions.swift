import CountersignCore

extension Requirement {
    /// OWASP ASVS 5.0, chapter V7.
    static let sessions: [Requirement] = [
        .asvs(
            "7.1.1", 2, "It is written down how long a session lives, used and unused, and why.",
            .documented(page: "docs/decisions/0231-how-long-browsers-stay-signed-in.md")),
        .asvs(
            "7.1.2", 2, "It is written down how many sessions a user may have at once.",
            .documented(page: "docs/doctor.md")),
        .asvs(
            "7.1.3", 2, "It is written down how sessions of applications hang together with the one here.",
            .documented(page: "docs/openid.md")),
        .asvs(
            "7.2.1", 1, "A session is judged on the server.", .construction,
            "GrantTests: A cookie opens nothing where it is another's, a refresh token, garbage, or its session is over",
            "TokenVerificationTests: What no key of this server signed is no token, whatever its header says"),
        .asvs(
            "7.2.2", 1, "A session has a secret of its own, made for it.", .construction,
            "SessionTests: A refresh gives a new token, and keeps what the session was proven with",
            "GrantTests: A browser's session has no grant; its cookie's token opens it, and the sign-in's refresh token nothing"
        ),
        .asvs(
            "7.2.3", 1, "The secret of a session has 128 random bits or more.", .construction,
            "BytesTests: The system's generator gives as many bytes as asked for, and others each time",
            "BytesTests: No random value is given out twice, however many threads ask"),
        .asvs(
            "7.2.4", 1, "Signing in, also again, changes the secret of the session.", .construction,
            "BrowserSessionTests: A further sign-in raises the session: its id stays, its proofs are the new ones, its token is another"
        ),
        .asvs(
            "7.3.1", 2, "A session that is not used ends.", .construction,
            "BrowserSessionTests: A session that is not used for an hour is over, and the cookie says when it was used",
            "TokenEndpointTests: A refresh token of thirty days ago and a grant of ninety days ago are over"),
        .asvs(
            "7.3.2", 2, "A session ends however much it is used.", .construction,
            "BrowserSessionTests: A session is over a day after its first proof, however often it is used",
            "SessionTests: A session ends after the days that the settings say, however often it was refreshed"),
        .asvs(
            "7.4.1", 1, "What has ended opens nothing any more.", .construction,
            "SessionTests: Signing out ends one session",
            "TokenVerificationTests: A token ends with its session, its user's tokens and its user; where no session is asked for, not with that",
            "GrantTests: Whatever refreshes while its session ends, no token is good afterwards"),
        .asvs(
            "7.4.2", 1, "Disabling or removing a user ends the user's sessions.", .construction,
            "SessionTests: A disabled user refreshes nothing, also when enabled again; a deleted one neither",
            "BackchannelLogoutTests: All sessions of a disabled user end, each with a message, and none comes back"),
        .asvs(
            "7.4.3", 2, "A changed factor can end all other sessions.", .construction,
            "AccountsTests: A new password revokes tokens; the session that asked for it goes on with fresh ones",
            "LinkTests: A reset changes the password, proves the address, and ends sessions and other flows",
            "EnrolmentTests: Withdrawing the only factor revokes earlier tokens; the session goes on without second factor"
        ),
        .asvs(
            "7.4.4", 2, "Each page of a signed-in user has a way to sign out.", .construction,
            "PageLockTests: Signing out takes the session from the browser, asks first, and ends it everywhere on request"
        ),
        .asvs(
            "7.4.5", 2, "Administrators can end a user's sessions.", .construction,
            "AdministrationRoutesTests: Sessions are listed and ended one by one, or for one application"),
        .asvs(
            "7.5.1", 2, "What bears on how a user signs in is changed after a fresh sign-in alone.", .construction,
            "OwnSessionTests: What ends the sessions of others needs a recent sign-in; another name does not",
            "OwnSessionTests: A session without second factor removes none where there is one",
            "OfferTests: A signed-in user adds a device: with the present second factor, shown recently"),
        .asvs(
            "7.5.2", 2, "Users see their sessions and can end each.",
            .construction,
            "AccountPageTests: All other sessions are ended at once, and this one goes on"),
        .asvs(
            "7.5.3", 3, "Operations that matter most take another proof.",
            .elsewhere("Applications ask for it, with `acr_values`, `max_age` or a security check."),
            "PageStepTests: A request for aal2 asks for the second factor alone, and raises the session"),
        .asvs(
            "7.6.1", 2, "Applications can have users sign in anew after a time.", .construction,
            "CodeFlowTests: A session of minutes ago is not enough for max_age, and prompt=none says so without a page",
            "RegistrationTests: The age and the assurance of an application's registration count where a request names none"
        ),
        .asvs(
            "7.6.2", 2, "No session of an application begins without its user's doing.",
            .settings(consents),
            "CodeFlowTests: A user of a third party is asked once, and again for more or after taking it back"),
    ]

    /// An application of the operator's own gets a session without a question, as long as its user is signed in.
    @Sendable static func consents(_ situation: Situation) -> Finding {
        .unless([
            situation.shortcoming(
                of: situation.browserClients.filter(\.registration.oauth.isFirstParty),
                "Applications that signed-in users are not asked about", mend: "--no-first-party")
        ])
    }
}
