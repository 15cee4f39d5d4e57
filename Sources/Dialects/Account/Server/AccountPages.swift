import CPageFiles
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
        /// What the app of a device reads to take a ticket; nil where no protocol of devices is served.
        public var deviceLink: (@Sendable (DeviceTicket) -> String?)?
        /// What is kept about a user, as JSON: with the user's part of the log, and the days that the log is kept.
        public var dataDocument: (@Sendable (PersonalData, [AuditEvent], _ logDays: Int) throws -> String)?
        /// What a program reads at `/` where a browser sees a page; nil: that there is no such endpoint.
        public var programGreeting: JSONValue?

        public init(
            isDevelopment: Bool, publicURLs: @escaping @Sendable () -> [String], site: PageSite,
            deviceLink: (@Sendable (DeviceTicket) -> String?)? = nil,
            dataDocument: (@Sendable (PersonalData, [AuditEvent], _ logDays: Int) throws -> String)? = nil,
            programGreeting: JSONValue? = nil
        ) {
            self.isDevelopment = isDevelopment
            self.publicURLs = publicURLs
            self.site = site
            self.deviceLink = deviceLink
            self.dataDocument = dataDocument
            self.programGreeting = programGreeting
        }
    }

    public init(realm: Realm, options: Options) throws {
        self.realm = realm
        self.options = options
        mailedLinkTemplate = try PageTemplate(PageFile.mailedLinkTemplate.bytes)
    }

    /// Every page, one line each.
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let mailedLink = MailedLinkPage(pages: self)
        let links = router.group().add(middleware: PageMiddleware(options.site, forms: .withSecret))
        links.get("auth/action") { request, _ in try await mailedLink.show(request) }
        links.post("auth/action") { request, context in try await mailedLink.submit(request, context) }
        links.get("auth/action/done") { request, _ in try await mailedLink.done(request) }

        let logo = ApplicationLogo(realm: realm)
        router.get("assets/logos/{file}") { _, context in try await logo.show(context) }

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
        let owner = OwnerPage()
        pages.on("owner", show: owner.show, take: owner.submit)
        pages.get("owner/done", owner.done)
        addAccount(to: pages)
        let signOut = SignOutPages()
        pages.get("sign-out", signOut.askToSignOut)
        pages.postOfSession("sign-out", for: "sign-out", signOut.signOut)
        pages.get("signed-out", signOut.signedOut)
    }

    private func addAccount(to pages: PageRoutes<some RouterMethods<CountersignRequestContext>>) {
        pages.account("account", OverviewPage().show)
        let profile = AccountProfilePage()
        pages.account("account/profile", profile.show)
        pages.change(
            "account/profile", for: AccountProfilePage.purpose, typed: AccountProfilePage.typed, profile.submit)
        let address = AddressPages()
        pages.account("account/address", proof: .full, address.show)
        pages.change("account/address", for: AddressPages.purpose, typed: ["email"], address.submit)
        pages.account("account/address/verify", address.showCode)
        pages.change("account/address/verify", for: AddressPages.purpose, address.submitCode)
        addSecurity(to: pages)
        let sessions = SessionsPage()
        pages.account("account/sessions", sessions.show)
        pages.change("account/sessions", for: SessionsPage.purpose, proof: .recent, sessions.end)
        let applications = ApplicationsPage()
        pages.account("account/applications", applications.show)
        pages.change("account/applications", for: ApplicationsPage.purpose, proof: .recent, applications.revoke)
        let activity = ActivityPages()
        pages.account("account/activity", of: ["kind", "before"], activity.show)
        pages.account("account/activity/not-me", proof: .recent, of: ["event"], activity.ask)
        pages.change(
            "account/activity/not-me", for: ActivityPages.purpose, proof: .recent, of: ["event"], activity.report)
        pages.account("account/activity/not-me/done", activity.done)
        let data = DataPages()
        pages.account("account/data", proof: .full, data.show)
        pages.account("account/data.json", proof: .full, returning: "account/data", data.file)
        let deletion = DeletionPage()
        pages.account("account/delete", proof: .full, deletion.show)
        pages.change("account/delete", for: DeletionPage.purpose, deletion.submit)
        pages.get("account/delete/done", deletion.done)
    }

    private func addSecurity(to pages: PageRoutes<some RouterMethods<CountersignRequestContext>>) {
        pages.account("account/security", SecurityPage().show)
        let passkeys = AccountPasskeys()
        pages.account("account/passkey", proof: .full, passkeys.show)
        pages.change("account/passkeys", for: AccountPasskeys.purpose, returning: "account/passkey", passkeys.submit)
        pages.postOfSession("account/passkeys/options", for: AccountPasskeys.purpose, passkeys.options)
        let factor = FactorPage()
        // What is lost cannot be shown: its page, and the report, take any proof; the core judges each change.
        pages.account("account/factor", proof: .recent, of: ["id"], factor.show)
        pages.change(
            "account/factor", for: FactorPage.purpose, proof: .recent, of: ["id"], typed: ["name"], factor.submit)
        let authenticator = AuthenticatorPage()
        pages.account("account/authenticator", authenticator.show)
        // What was begun is completed after the five minutes too: it waits for the proof of its beginning.
        pages.change("account/authenticator", for: AuthenticatorPage.purpose, proof: .none, authenticator.submit)
        let device = DevicePage()
        pages.account("account/device", device.show)
        pages.change("account/device", for: DevicePage.purpose, device.submit)
        pages.get("account/device/wait", device.wait)
        let codes = RecoveryCodesPage()
        pages.account("account/recovery-codes", codes.show)
        pages.change("account/recovery-codes", for: RecoveryCodesPage.purpose, codes.submit)
        pages.account("account/recovery-codes.txt", returning: "account/recovery-codes", codes.file)
        let password = AccountPasswordPage()
        pages.account("account/password", proof: .full, password.show)
        pages.change("account/password", for: AccountPasswordPage.purpose, password.submit)
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
        let confirm = ConfirmPage()
        pages.on("sign-in/confirm", show: confirm.show, take: confirm.submit)
        pages.get("sign-in/recovery", RecoveryCodePage().show)
        let otherDevice = OtherDevicePage()
        pages.get("sign-in/other-device", otherDevice.show)
        pages.post("sign-in/other-device", for: "other-device", otherDevice.submit)
        pages.get("sign-in/other-device/wait", otherDevice.wait)
        let browser = ConfirmBrowserPage()
        pages.on("sign-in/other-device/confirm", show: browser.show, take: browser.submit)
        pages.get("sign-in/other-device/confirm/done", browser.done)
        let address = MailedCodePage.address
        pages.step("sign-in/verify", for: "mail", show: address.show, take: address.submit)
        let enrol = EnrolPage()
        pages.step("sign-in/enrol", for: "enrol", show: enrol.show, take: enrol.submit)
        pages.post("sign-in/enrol/options", for: "enrol", enrol.options)
        let terms = TermsPage()
        pages.get("sign-in/terms", terms.show)
        pages.post("sign-in/terms", for: "terms", terms.submit)
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

    // MARK: The account

    /// A page of the signed-in user's account.
    typealias ShowAccount = @Sendable (inout AccountScene) async throws -> Response

    /// - Parameters:
    ///   - proof: what the session has to be proven with; a page that is there for a change asks before its form is filled in.
    ///   - page: where a sign-in leads back to; nil: to the page itself.
    ///   - names: what its query says the page is about; whatever else it says counts for nothing.
    func account(
        _ path: String, proof: AccountScene.Proof = .none, returning page: String? = nil, of names: [String] = [],
        _ show: @escaping ShowAccount
    ) {
        get(path) { scene in
            scene.keepFields(names)
            let here = PagePath("/\(page ?? path)", names.map { ($0, scene.field($0)) }).text
            guard var account = AccountScene(scene) else {
                return scene.redirect(to: path == "account" ? "/sign-in" : scene.path("/sign-in", leadingBackTo: here))
            }
            guard account.has(proof) else {
                return scene.redirect(to: scene.path(ConfirmPage.path, leadingBackTo: here))
            }
            account.hear()
            return try await show(&account)
        }
    }

    /// A form that changes something about the account, once. A session that was proven too long ago confirms first, and comes back to the page.
    /// - Parameters:
    ///   - page: the form's page; nil: it has the form's own path.
    ///   - typed: what the names of fields begin with whose text comes back with the user.
    func change(
        _ path: String, for purpose: String, returning page: String? = nil, proof: AccountScene.Proof = .full,
        of names: [String] = [], typed: Set<String> = [], _ take: @escaping ShowAccount
    ) {
        postOfSession(path, for: purpose) { scene in
            let items = names.map { ($0, scene.field($0)) }
            guard var account = AccountScene(scene) else {
                return try scene.signInAnew(toPage: "/\(page ?? path)", items)
            }
            account.typedFields = typed
            guard account.has(proof) else {
                return try account.confirm(backTo: "/\(page ?? path)", items, ofForm: true)
            }
            let shown = PagePath("/\(page ?? path)", items).text
            return try await AccountScene.once(&account, for: purpose, page: shown, take)
        }
    }
}
