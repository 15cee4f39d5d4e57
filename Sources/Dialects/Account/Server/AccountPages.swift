import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// The pages of the users who sign in: those of mailed links.
public struct AccountPages: Sendable {
    let realm: Realm
    let options: Options
    let mailedLinkTemplate: PageTemplate

    /// How the server that shows the pages is set up.
    public struct Options: Sendable {
        /// Under `--dev`, limits per source do not apply to loopback, and pages lead on to it.
        public var isDevelopment: Bool
        /// The addresses that the server is reached at; pages lead on to their hosts.
        public var publicURLs: @Sendable () -> [String]
        /// What these pages share with others.
        public var site: PageSite
        /// What a program reads at `/` where a browser sees a page; nil: that there is no such endpoint.
        public var programGreeting: JSONValue?

        public init(
            isDevelopment: Bool, publicURLs: @escaping @Sendable () -> [String], site: PageSite,
            programGreeting: JSONValue? = nil
        ) {
            self.isDevelopment = isDevelopment
            self.publicURLs = publicURLs
            self.site = site
            self.programGreeting = programGreeting
        }
    }

    public init(realm: Realm, options: Options) throws {
        self.realm = realm
        self.options = options
        mailedLinkTemplate = try PageTemplate(PackageResources.mailed_link_mustache)
    }

    /// Every page, one line each.
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let mailedLink = MailedLinkPage(pages: self)
        let links = router.group().add(middleware: PageMiddleware(options.site, forms: .withSecret))
        links.get("auth/action") { request, _ in try await mailedLink.show(request) }
        links.post("auth/action") { request, context in try await mailedLink.submit(request, context) }

        let home = HomePage(pages: self)
        let routes = router.group().add(middleware: PageMiddleware(options.site))
        routes.get("/") { request, _ in try home.show(request) }
        let pages = PageRoutes(pages: self, router: routes)
        let identify = IdentifyPage(pages: self)
        pages.on("sign-in", show: identify.show, take: identify.submit)
        addSignIn(to: pages)
        addSignUp(to: pages)
        let activate = ActivatePage()
        pages.on("activate", show: activate.show, take: activate.submit)
        pages.get("activate/done", activate.done)
        let account = AccountPage()
        pages.get("account", account.show)
        pages.postOfSession("account/applications", for: "revoke", account.revoke)
        pages.postOfSession("account/sessions", for: "end", account.end)
        let passkeys = AccountPasskeys()
        pages.postOfSession("account/passkeys", for: "passkeys", passkeys.submit)
        pages.postOfSession("account/passkeys/options", for: "passkeys", passkeys.options)
        pages.get("sign-out", account.askToSignOut)
        pages.postOfSession("sign-out", for: "sign-out", account.signOut)
        pages.get("signed-out", account.signedOut)
    }

    private func addSignIn(to pages: PageRoutes<some RouterMethods<CountersignRequestContext>>) {
        let password = PasswordPage()
        pages.step("sign-in/password", for: "password", show: password.show, take: password.submit)
        let mail = MailedCodePage.signIn
        pages.step("sign-in/mail", for: "mail", show: mail.show, take: mail.submit)
        let code = CodePage()
        pages.step("sign-in/code", for: "code", show: code.show, take: code.submit)
        let push = PushPage()
        pages.step("sign-in/push", for: "push", show: push.show, take: push.submit)
        pages.get("sign-in/push/wait", push.wait)
        let passkey = PasskeyPage()
        pages.on("sign-in/passkey", show: passkey.show, take: passkey.submit)
        pages.post("sign-in/passkey/options", for: "sign-in/passkey", passkey.options)
        pages.get("sign-in/recovery", RecoveryCodePage().show)
        let address = MailedCodePage.address
        pages.step("sign-in/verify", for: "mail", show: address.show, take: address.submit)
        let enrol = EnrolPage()
        pages.step("sign-in/enrol", for: "enrol", show: enrol.show, take: enrol.submit)
        let consent = ConsentPage()
        pages.get("sign-in/consent", consent.show)
        pages.post("sign-in/consent", for: "consent", consent.submit)
    }

    private func addSignUp(to pages: PageRoutes<some RouterMethods<CountersignRequestContext>>) {
        let signUp = SignUpPage()
        pages.on("sign-up", show: signUp.show, take: signUp.submit)
        let verify = MailedCodePage.signUp
        pages.get("sign-up/known", signUp.showKnown)
        pages.step("sign-up/verify", for: "mail", show: verify.show, take: verify.submit)
        let newPassword = NewPasswordPage.signUp
        pages.step("sign-up/new-password", for: "new-password", show: newPassword.show, take: newPassword.submit)
        let profile = ProfilePage()
        pages.step("sign-up/profile", for: "profile", show: profile.show, take: profile.submit)
        let forgot = ForgotPage()
        pages.on("forgot", show: forgot.show, take: forgot.submit)
        let resetCode = MailedCodePage.reset
        pages.step("forgot/verify", for: "mail", show: resetCode.show, take: resetCode.submit)
        let reset = NewPasswordPage.reset
        pages.step("reset", for: "new-password", show: reset.show, take: reset.submit)
    }
}

/// Adds pages with what each needs before it is shown.
private struct PageRoutes<Router: RouterMethods<CountersignRequestContext>> {
    let pages: AccountPages
    let router: Router

    /// A page with a form whose `csrf` is for the path.
    func on(_ path: String, show: @escaping AccountPages.Show, take: @escaping AccountPages.Show) {
        get(path, show)
        post(path, for: path, take)
    }

    /// A page of an attempt in progress.
    func step(
        _ path: String, for purpose: String, show: @escaping AccountPages.Show, take: @escaping AccountPages.Show
    ) {
        router.get(RouterPath(path)) { [pages] request, context in
            try await pages.read(request, context, needsAttempt: true, show)
        }
        router.post(RouterPath(path)) { [pages] request, context in
            try await pages.take(request, context, for: purpose, needsAttempt: true, take)
        }
    }

    func get(_ path: String, _ show: @escaping AccountPages.Show) {
        router.get(RouterPath(path)) { [pages] request, context in try await pages.read(request, context, show) }
    }

    func post(_ path: String, for purpose: String, _ take: @escaping AccountPages.Show) {
        router.post(RouterPath(path)) { [pages] request, context in
            try await pages.take(request, context, for: purpose, take)
        }
    }

    /// A form of a signed-in user, whose `csrf` is of the session.
    func postOfSession(_ path: String, for purpose: String, _ take: @escaping AccountPages.Show) {
        router.post(RouterPath(path)) { [pages] request, context in
            try await pages.take(request, context, for: purpose, ofSession: true, take)
        }
    }
}
