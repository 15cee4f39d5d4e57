import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import PasskeyTestSupport
import Testing

/// A form of a page at the point where it counts: a person has come to it, and what is typed into it is right.
struct LiveForm: Sendable, CustomTestStringConvertible {
    /// What keeps strangers from sending it.
    enum Lock: Sendable {
        /// The field `csrf`, and a header of the browser.
        case token
        /// A field with the code of a link, and a header of the browser where it sends one.
        case secret(field: String)
    }

    /// A browser that shows the form, and what to type.
    struct Scene: Sendable {
        var browser: TestBrowser
        var page: TestPage
        var typed: [String: String]
        /// Names by which the form is found on its page, beside those that are typed.
        var names: Set<String> = []
        /// Whether a script fills it in.
        var isOfScript = false
        /// Where the form is sent, where that tells it from others.
        var action: String?

        func form(sourceLocation: SourceLocation = #_sourceLocation) throws -> TestPage.Form {
            let names = isOfScript ? names : names.union(typed.keys)
            return try #require(
                (isOfScript ? page.formsOfScripts : page.forms).first {
                    names.isSubset(of: $0.names) && (action == nil || action == $0.action)
                }, "\(page.html)",
                sourceLocation: sourceLocation)
        }

        init(
            browser: TestBrowser, page: TestPage, typed: [String: String], names: Set<String> = [],
            action: String? = nil
        ) {
            (self.browser, self.page, self.typed, self.names) = (browser, page, typed, names)
            self.action = action
        }

        /// A form that a script fills in: it may have other fields than those that it brings.
        init(browser: TestBrowser, page: TestPage, filledIn: [String: String]) {
            (self.browser, self.page, typed, names) = (browser, page, filledIn, ["csrf"])
            isOfScript = true
        }

        /// The form as it is sent.
        func fields() throws -> [String: String] { try form().values.merging(typed) { $1 } }
    }

    let path: String
    let name: String
    var lock = Lock.token
    /// Leads a new browser to the form, for an address that nothing was done with before.
    let reach: @Sendable (TestServer, String) async throws -> Scene
    /// Whether that follows which the right form leads to.
    let leads: @Sendable (Landing) -> Bool

    var testDescription: String { "\(path) (\(name))" }
}

extension LiveForm {
    private static let newPassword = "four separate long words"

    /// Every form of every page.
    static let all: [LiveForm] =
        ofSignIn + ofSecondFactors + ofPasskeys + ofApplications + ofSignUp + ofAccount + ofLinks

    private static func answersApplication(_ landing: Landing) -> Bool {
        landing.away?.hasPrefix("\(PageStepTests.callback)?code=") == true
    }

    // MARK: Signing in

    private static let ofSignIn: [LiveForm] = [
        LiveForm(
            path: "/sign-in/passkey", name: "a passkey signs in without a name",
            reach: { server, address in
                _ = try await server.account(address)
                let owner = PasskeyBrowser(TestBrowser(server))
                var authenticator = SoftwareAuthenticator(origin: PasskeyPageTests.site)
                _ = try await owner.create(
                    on: SignInPageTests.password(owner.browser, address), &authenticator, name: "Laptop")
                let passkeys = PasskeyBrowser(TestBrowser(server))
                let page = try await passkeys.browser.open("/sign-in")
                return Scene(
                    browser: passkeys.browser, page: page,
                    filledIn: try await passkeys.answer(on: page, "get") { try authenticator.get(optionsJSON: $0) })
            }, leads: { $0.kind == "account" }),
        LiveForm(
            path: "/sign-in", name: "an address",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                return Scene(browser: browser, page: try await browser.open("/sign-in"), typed: ["username": address])
            }, leads: { $0.kind == "password" }),
        LiveForm(
            path: "/sign-in", name: "an address, for an application",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                let page = try #require(try await browser.land(PageStepTests.request()).page)
                return Scene(browser: browser, page: page, typed: ["username": address])
            }, leads: { $0.kind == "password" }),
        LiveForm(
            path: "/sign-in", name: "the account that is signed in",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                _ = try await SignInPageTests.password(browser, address)
                // A sign-in of this very instant would be a choice already.
                try await server.advance(1)
                let page = try #require(
                    try await browser.land(PageStepTests.request("dev-native", ["prompt": "select_account"])).page)
                return Scene(browser: browser, page: page, typed: ["account": "present"])
            }, leads: answersApplication),
        LiveForm(
            path: "/sign-in", name: "the accounts of the browser are forgotten",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                _ = try await StayingTests.staying(browser, address)
                _ = try await browser.submit(try await browser.open("/sign-out"), ["decision": "this"])
                return Scene(browser: browser, page: try await browser.open("/sign-in"), typed: ["account": "forget"])
            }, leads: { $0.kind == "sign-in" && $0.page?.html.contains("@example.com") == false }),
        LiveForm(
            path: "/sign-in/password", name: "a password",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                let page = try await browser.submit(try await browser.open("/sign-in"), ["username": address])
                return Scene(browser: browser, page: page, typed: ["password": NativeClient.password])
            }, leads: { $0.kind == "account" }),
        LiveForm(
            path: "/sign-in/mail", name: "a mailed code",
            reach: { server, address in
                let (browser, page) = try await mailed(server, address)
                return Scene(
                    browser: browser, page: page, typed: ["code": try await server.code(mailedTo: address)])
            }, leads: { $0.kind == "account" }),
        LiveForm(
            path: "/sign-in/mail", name: "another mailed code",
            reach: { server, address in
                let (browser, page) = try await mailed(server, address)
                try await server.advance(Journeys.pauseBetweenMails)
                return Scene(browser: browser, page: page, typed: ["again": "1"])
            }, leads: { $0.kind == "mail" && $0.page?.notice?.hasPrefix("Another code is on its way.") == true }),
    ]

    private static func mailed(_ server: TestServer, _ address: String) async throws -> (TestBrowser, TestPage) {
        _ = try await server.account(address, password: nil)
        let browser = TestBrowser(server)
        return (browser, try await browser.submit(try await browser.open("/sign-in"), ["username": address]))
    }

    // MARK: Second factors

    private static let ofSecondFactors: [LiveForm] = [
        LiveForm(
            path: "/sign-in/code", name: "a code of an authenticator",
            reach: { server, address in
                let totp = try await server.authenticator(of: try await server.account(address))
                let browser = TestBrowser(server)
                let page = try await SignInPageTests.password(browser, address)
                return Scene(browser: browser, page: page, typed: ["code": totp.code(at: server.now).stringCode])
            }, leads: { $0.kind == "account" }),
        LiveForm(
            path: "/sign-in/code", name: "a recovery code",
            reach: { server, address in
                let (browser, enrol) = try await enrolling(server, address)
                let shown = try #require(
                    try await browser.sendForm(of: enrol, ["code": try code(of: enrol, server)]).page)
                let recovery = try #require(shown.recoveryCodes.first)
                let elsewhere = TestBrowser(server)
                let page = try await SignInPageTests.password(elsewhere, address)
                return Scene(browser: elsewhere, page: page, typed: ["recovery_code": recovery])
            }, leads: { $0.kind == "account" }),
        LiveForm(
            path: "/sign-in/push", name: "a device is asked again",
            reach: { server, address in
                let user = try await server.account(address)
                _ = try await server.enrolled(of: "auth0|\(user.id)")
                let browser = TestBrowser(server)
                let asked = try await SignInPageTests.password(browser, address)
                #expect(asked.kind == "push", "\(asked.html)")
                try await server.advance(301)
                return Scene(browser: browser, page: try await browser.open(asked.path), typed: [:], names: ["csrf"])
            }, leads: { $0.kind == "push" && $0.page?.html.contains("class=\"secret\"") == true }),
        LiveForm(
            path: "/sign-in/verify", name: "the code of an address that was not proven yet",
            reach: { server, address in
                let (browser, page) = try await enrolling(server, address, verified: false)
                return Scene(
                    browser: browser, page: page, typed: ["code": try await server.code(mailedTo: address)])
            }, leads: { $0.kind == "enrol" }),
        LiveForm(
            path: "/sign-in/enrol", name: "the first code of an authenticator",
            reach: { server, address in
                let (browser, page) = try await enrolling(server, address)
                return Scene(browser: browser, page: page, typed: ["code": try code(of: page, server)])
            },
            leads: {
                $0.page?.path.hasPrefix("/sign-in/recovery") == true && $0.kind == "recovery"
                    && $0.page?.recoveryCodes.count == 10
            }),
        LiveForm(
            path: "/sign-in/enrol", name: "a passkey that completes a sign-in",
            reach: { server, address in
                let (browser, page) = try await enrolling(server, address)
                var authenticator = SoftwareAuthenticator(origin: PasskeyPageTests.site)
                return Scene(
                    browser: browser, page: page,
                    filledIn: try await PasskeyBrowser(browser).answer(on: page, "create") {
                        try authenticator.create(optionsJSON: $0)
                    })
            }, leads: answersApplication),
        LiveForm(
            path: "/sign-in/enrol", name: "no authenticator for now",
            reach: { server, address in
                let (browser, page) = try await enrolling(server, address)
                return Scene(browser: browser, page: page, typed: ["decision": "deny"])
            }, leads: answersApplication),
        LiveForm(
            path: "/sign-in/enrol", name: "a second step that is required, later",
            reach: { server, address in
                _ = try await server.account(address)
                try await server.realm.changeSettings(by: .testAdministrator) {
                    $0.secondFactors.state = .mandatory
                    $0.secondFactors.skippableTimes = 3
                }
                let browser = TestBrowser(server)
                let page = try await SignInPageTests.password(browser, address)
                #expect(page.kind == "enrol", "\(page.html)")
                return Scene(browser: browser, page: page, typed: ["decision": "later"])
            }, leads: { $0.kind == "account" }),
    ]

    /// Up to the page that has an authenticator set up, in the middle of a sign-in to an application.
    private static func enrolling(
        _ server: TestServer, _ address: String, verified: Bool = true
    ) async throws -> (TestBrowser, TestPage) {
        _ = try await server.account(address, verified: verified)
        let browser = TestBrowser(server)
        _ = try await SignInPageTests.password(browser, address)
        let request = PageStepTests.request("dev-native", ["acr_values": "aal2"])
        return (browser, try #require(try await browser.land(request).page))
    }

    /// The code that an authenticator with the page's secret shows now.
    private static func code(of page: TestPage, _ server: TestServer) throws -> String {
        let secret = try #require(page.html.firstMatch(of: /secret=([A-Z2-7]+)/)).1
        return try TOTP(secret: Base32.decode(String(secret))).code(at: server.now).stringCode
    }

    // MARK: Passkeys

    /// What scripts ask with the fields of their form, before they fill it in.
    private static let ofPasskeys: [LiveForm] = [
        LiveForm(
            path: "/sign-in/passkey/options", name: "what a passkey is asked",
            reach: { server, _ in
                let browser = TestBrowser(server)
                return Scene(browser: browser, page: try await browser.open("/sign-in/passkey"), filledIn: [:])
            }, leads: { $0.answered == 200 && $0.page?.html.contains("\"challenge\"") == true }),
        LiveForm(
            path: "/sign-in/enrol/options", name: "what a passkey that completes a sign-in is to be",
            reach: { server, address in
                let (browser, page) = try await enrolling(server, address)
                return Scene(browser: browser, page: page, filledIn: [:])
            }, leads: { $0.answered == 200 && $0.page?.html.contains("\"challenge\"") == true }),
        LiveForm(
            path: "/account/passkeys/options", name: "what another passkey is to be",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                let page = try await SignInPageTests.password(browser, address)
                return Scene(browser: browser, page: page, filledIn: [:])
            }, leads: { $0.answered == 200 && $0.page?.html.contains("\"challenge\"") == true }),
    ]

    // MARK: Applications and devices

    private static let ofApplications: [LiveForm] = [
        LiveForm(
            path: "/sign-in/consent", name: "an application is allowed",
            reach: { server, address in
                let (browser, page) = try await asked(server, address)
                return Scene(browser: browser, page: page, typed: ["decision": "allow"])
            }, leads: answersApplication),
        LiveForm(
            path: "/sign-in/consent", name: "an application is denied",
            reach: { server, address in
                let (browser, page) = try await asked(server, address)
                return Scene(browser: browser, page: page, typed: ["decision": "deny"])
            },
            leads: {
                $0.away?.hasPrefix(PageStepTests.callback) == true && $0.away?.contains("error=access_denied") == true
            }),
        LiveForm(
            path: "/sign-in/terms", name: "the terms of use",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                _ = try await SignInPageTests.password(browser, address)
                try await server.realm.changeSettings(by: .testAdministrator) { $0.terms.version = "1" }
                let page = try #require(try await browser.land(PageStepTests.request("dev-native")).page)
                return Scene(browser: browser, page: page, typed: ["decision": "allow"])
            }, leads: answersApplication),
        LiveForm(
            path: "/sign-in/other-device", name: "a code for another device",
            reach: { server, _ in
                let browser = TestBrowser(server)
                return Scene(
                    browser: browser, page: try await browser.open("/sign-in/other-device"), typed: [:],
                    names: ["csrf"])
            }, leads: { $0.kind == "other-device" && $0.page?.html.contains("class=\"secret\"") == true }),
        LiveForm(
            path: "/sign-in/other-device/confirm", name: "the code of a browser",
            reach: { server, address in
                let (phone, shown) = try await beside(server, address)
                return Scene(
                    browser: phone, page: try await phone.open("/sign-in/other-device/confirm"),
                    typed: ["user_code": shown.code])
            }, leads: { $0.kind == "device-confirm" && $0.page?.path.contains("user_code") == true }),
        LiveForm(
            path: "/sign-in/other-device/confirm", name: "a browser is signed in",
            reach: { server, address in
                let (phone, shown) = try await beside(server, address)
                return Scene(
                    browser: phone,
                    page: try await phone.open("/sign-in/other-device/confirm?user_code=\(shown.code)"),
                    typed: ["number": shown.number, "decision": "allow"])
            }, leads: { $0.page?.html.contains("The browser is signed in") == true }),
        LiveForm(
            path: "/activate", name: "the code of a device",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                _ = try await SignInPageTests.password(browser, address)
                return Scene(
                    browser: browser, page: try await browser.open("/activate"),
                    typed: ["user_code": try await deviceCode(server)])
            }, leads: { $0.kind == "device-confirm" && $0.page?.path.contains("user_code") == true }),
        LiveForm(
            path: "/activate", name: "a device is allowed",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                _ = try await SignInPageTests.password(browser, address)
                let page = try await browser.open("/activate?user_code=\(try await deviceCode(server))")
                return Scene(browser: browser, page: page, typed: ["decision": "allow"])
            }, leads: { $0.page?.html.contains("Your device is connected") == true }),
        LiveForm(
            path: "/owner", name: "the first owner comes",
            reach: { server, address in
                let browser = try await OwnerPageTests.signedIn(server, address)
                let link = try await OwnerPageTests.invitation(server)
                return Scene(browser: browser, page: try await browser.open(link), typed: [:], names: ["user_code"])
            }, leads: { $0.page?.path == "/owner/done" }),
    ]

    /// A device that has signed in beside a browser that waits for it.
    private static func beside(
        _ server: TestServer, _ address: String
    ) async throws -> (TestBrowser, OtherDeviceTests.Shown) {
        _ = try await server.account(address)
        let network = TestServer.freshAddress()
        let shown = try await OtherDeviceTests.waiting(server, at: network)
        let phone = TestBrowser(server, at: network)
        _ = try await SignInPageTests.password(phone, address)
        return (phone, shown)
    }

    private static func asked(_ server: TestServer, _ address: String) async throws -> (TestBrowser, TestPage) {
        _ = try await server.account(address)
        let browser = TestBrowser(server)
        _ = try await SignInPageTests.password(browser, address)
        return (browser, try #require(try await browser.land(PageStepTests.request()).page))
    }

    private static func deviceCode(_ server: TestServer) async throws -> String {
        let reply = try await server.send(
            .post, "/oauth/device/code", headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Array("client_id=dev-native&scope=openid".utf8))
        return try #require(reply.json["user_code"].text, "\(reply.text)")
    }

    // MARK: Signing up, and forgotten passwords

    private static let ofSignUp: [LiveForm] = [
        LiveForm(
            path: "/sign-up", name: "an address",
            reach: { server, address in
                let browser = TestBrowser(server)
                return Scene(browser: browser, page: try await browser.open("/sign-up"), typed: ["email": address])
            }, leads: { $0.kind == "verify" }),
        LiveForm(
            path: "/sign-up", name: "an invitation",
            reach: { server, address in
                let browser = TestBrowser(server)
                let page = try await browser.open(try await InvitationTests.invite(address, server))
                return Scene(browser: browser, page: page, typed: [:], names: ["invitation"])
            }, leads: { $0.kind == "verify" }),
        LiveForm(
            path: "/sign-up/verify", name: "the address's code",
            reach: { server, address in
                let (browser, page) = try await begun("/sign-up", server, address)
                return Scene(
                    browser: browser, page: page, typed: ["code": try await server.code(mailedTo: address)])
            }, leads: { $0.kind == "new-password" }),
        LiveForm(
            path: "/sign-up/new-password", name: "the first password",
            reach: { server, address in
                let (browser, page) = try await begun("/sign-up", server, address)
                let choose = try await browser.submit(page, ["code": try await server.code(mailedTo: address)])
                return Scene(browser: browser, page: choose, typed: ["new_password": newPassword])
            }, leads: { $0.kind == "account" }),
        LiveForm(
            path: "/sign-up/new-password", name: "a passkey instead of the first password",
            reach: { server, address in
                let (browser, page) = try await begun("/sign-up", server, address)
                let choose = try await browser.submit(page, ["code": try await server.code(mailedTo: address)])
                return Scene(browser: browser, page: choose, filledIn: ["decision": "passkey"])
            }, leads: { $0.kind == "enrol" }),
        LiveForm(
            path: "/sign-up/profile", name: "what an application asks",
            reach: { server, address in
                var registration = ApplicationRegistration(
                    redirectURIs: ["http://127.0.0.1/callback"], scopes: ["openid"],
                    attributes: [.init(name: "city", type: "string", isRequired: true)])
                registration.oauth.kind = .native
                registration.oauth.isFirstParty = true
                let client = ClientID(rawValue: "asks-\(address.prefix { $0 != "@" })")
                _ = try await server.realm.applications.add(id: client, registration, by: .testAdministrator)
                let browser = TestBrowser(server)
                let request = PageStepTests.request(client.rawValue, scope: "openid", ["prompt": "create"])
                let first = try #require(try await browser.land(request).page)
                let verify = try await browser.submit(first, ["email": address])
                let choose = try await browser.submit(verify, ["code": try await server.code(mailedTo: address)])
                let profile = try await browser.submit(choose, ["new_password": newPassword])
                return Scene(browser: browser, page: profile, typed: ["attribute_city": "Berlin"])
            }, leads: answersApplication),
        LiveForm(
            path: "/forgot", name: "an address",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                return Scene(browser: browser, page: try await browser.open("/forgot"), typed: ["email": address])
            }, leads: { $0.kind == "verify" }),
        LiveForm(
            path: "/forgot/verify", name: "the address's code",
            reach: { server, address in
                _ = try await server.account(address)
                let (browser, page) = try await begun("/forgot", server, address)
                return Scene(
                    browser: browser, page: page, typed: ["code": try await server.code(mailedTo: address)])
            }, leads: { $0.kind == "reset" }),
        LiveForm(
            path: "/reset", name: "another password",
            reach: { server, address in
                _ = try await server.account(address)
                let (browser, page) = try await begun("/forgot", server, address)
                let reset = try await browser.submit(page, ["code": try await server.code(mailedTo: address)])
                return Scene(browser: browser, page: reset, typed: ["new_password": newPassword])
            }, leads: { $0.kind == "account" }),
    ]

    private static func begun(
        _ path: String, _ server: TestServer, _ address: String
    ) async throws -> (TestBrowser, TestPage) {
        let browser = TestBrowser(server)
        return (browser, try await browser.submit(try await browser.open(path), ["email": address]))
    }

    // MARK: The account

    private static let ofAccount: [LiveForm] = [
        LiveForm(
            path: "/account/passkeys", name: "a passkey is added",
            reach: { server, address in
                _ = try await server.account(address)
                let passkeys = PasskeyBrowser(TestBrowser(server))
                let page = try await SignInPageTests.password(passkeys.browser, address)
                var authenticator = SoftwareAuthenticator(origin: PasskeyPageTests.site)
                return Scene(
                    browser: passkeys.browser, page: page,
                    filledIn: try await passkeys.answer(on: page, "create") {
                        try authenticator.create(optionsJSON: $0)
                    })
            }, leads: { $0.page?.path == "/account/security" && $0.page?.notice == "The passkey was added." }),
        LiveForm(
            path: "/account/applications", name: "what an application was allowed is taken back",
            reach: { server, address in
                let (browser, page) = try await asked(server, address)
                #expect(answersApplication(try await browser.sendForm(of: page, ["decision": "allow"])))
                return Scene(
                    browser: browser, page: try await browser.open("/account/applications"),
                    typed: ["client": "dev-web"])
            },
            leads: {
                $0.page?.notice == "The permission was taken back." && $0.page?.form(with: ["client": ""]) == nil
            }),
        LiveForm(
            path: "/account/sessions", name: "a session elsewhere is ended",
            reach: { server, address in
                _ = try await server.account(address)
                _ = try await SignInPageTests.password(TestBrowser(server), address)
                let browser = TestBrowser(server)
                _ = try await SignInPageTests.password(browser, address)
                return Scene(
                    browser: browser, page: try await browser.open("/account/sessions"), typed: [:], names: ["session"])
            },
            leads: {
                $0.page?.notice == "The session was ended." && $0.page?.form(with: ["session": ""]) == nil
            }),
        LiveForm(
            path: "/account/profile", name: "a name is changed",
            reach: { server, address in
                let browser = try await fresh(server, address)
                return Scene(
                    browser: browser, page: try await browser.open("/account/profile"),
                    typed: ["display_name": "Ada Lovelace"])
            },
            leads: {
                $0.page?.notice == "Your profile was saved." && $0.page?.html.contains("Ada Lovelace") == true
            }),
        LiveForm(
            path: "/account/address", name: "another address",
            reach: { server, address in
                let browser = try await fresh(server, address)
                return Scene(
                    browser: browser, page: try await browser.open("/account/address"),
                    typed: ["email": "new-\(address)"])
            }, leads: { $0.kind == "account-address-code" }),
        LiveForm(
            path: "/account/address/verify", name: "the code of another address",
            reach: { server, address in
                let browser = try await fresh(server, address)
                let page = try await browser.submit(browser.open("/account/address"), ["email": "new-\(address)"])
                return Scene(
                    browser: browser, page: page,
                    typed: ["code": try await server.code(mailedTo: "new-\(address)")])
            }, leads: { $0.page?.path == "/account/profile" && $0.page?.notice == "Your email address was changed." }),
        LiveForm(
            path: "/account/authenticator", name: "an authenticator is begun",
            reach: { server, address in
                let browser = try await fresh(server, address)
                return Scene(
                    browser: browser, page: try await browser.open("/account/authenticator"), typed: [:],
                    names: ["csrf"], action: "/account/authenticator")
            }, leads: { $0.kind == "account-authenticator" && $0.page?.html.contains("otpauth://") == true }),
        LiveForm(
            path: "/account/authenticator", name: "the first code of an authenticator of the account",
            reach: { server, address in
                let browser = try await fresh(server, address)
                let begun = try await browser.open("/account/authenticator")
                let form = try #require(begun.forms.first { $0.action == "/account/authenticator" })
                let page = try #require(try await browser.sendForm(form, [:]).page)
                return Scene(browser: browser, page: page, typed: ["code": try code(of: page, server)])
            }, leads: { $0.page?.path == "/account/security" && $0.page?.notice == "The authenticator app was added." }),
        LiveForm(
            path: "/account/device", name: "a device is begun",
            reach: { server, address in
                let browser = try await fresh(server, address)
                return Scene(
                    browser: browser, page: try await browser.open("/account/device"), typed: [:], names: ["csrf"],
                    action: "/account/device")
            }, leads: { $0.kind == "account-device" && $0.page?.html.contains("data-wait=") == true }),
        LiveForm(
            path: "/account/recovery-codes", name: "new recovery codes",
            reach: { server, address in
                let (browser, _) = try await factor(server, address)
                return Scene(
                    browser: browser, page: try await browser.open("/account/recovery-codes"), typed: [:],
                    names: ["csrf"], action: "/account/recovery-codes")
            },
            leads: {
                $0.kind == "account-recovery" && $0.page?.html.matches(of: /<li class="secret">/).count == 10
            }),
        LiveForm(
            path: "/account/password", name: "another password",
            reach: { server, address in
                let browser = try await fresh(server, address)
                return Scene(
                    browser: browser, page: try await browser.open("/account/password"),
                    typed: ["new_password": newPassword])
            }, leads: { $0.page?.notice?.hasPrefix("The password was changed.") == true }),
        LiveForm(
            path: "/account/activity/not-me", name: "a sign-in that was not the user's",
            reach: { server, address in
                let browser = try await fresh(server, address)
                let link = try await browser.open("/account/activity").links.values.first {
                    $0.hasPrefix("/account/activity/not-me?event=")
                }
                return Scene(
                    browser: browser, page: try await browser.open(#require(link)), typed: [:], names: ["event"])
            }, leads: { $0.page?.path == "/account/activity/not-me/done" }),
        LiveForm(
            path: "/account/delete", name: "the account is to be removed",
            reach: { server, address in
                let browser = try await fresh(server, address)
                return Scene(
                    browser: browser, page: try await browser.open("/account/delete"), typed: ["typed": address])
            }, leads: { $0.kind == "account-deleted" }),
        LiveForm(
            path: "/account/factor", name: "an authenticator is reported lost",
            reach: { server, address in
                let (browser, page) = try await factor(server, address)
                return Scene(
                    browser: browser, page: page, typed: ["decision": "lost"], names: ["id"], action: "/account/factor")
            }, leads: { $0.page?.notice?.hasPrefix("It is reported lost") == true }),
        LiveForm(
            path: "/account/factor", name: "an authenticator is renamed",
            reach: { server, address in
                let (browser, page) = try await factor(server, address)
                return Scene(browser: browser, page: page, typed: ["decision": "rename", "name": "Old phone"])
            },
            leads: {
                $0.page?.notice == "The name was changed." && $0.page?.html.contains("Old phone") == true
            }),
        LiveForm(
            path: "/account/factor", name: "an authenticator is removed",
            reach: { server, address in
                let (browser, page) = try await factor(server, address)
                return Scene(
                    browser: browser, page: page, typed: ["decision": "remove"], names: ["id"],
                    action: "/account/factor")
            },
            leads: { $0.page?.notice == "It was removed. One step is now enough to sign in." }),
        LiveForm(
            path: "/sign-in/confirm", name: "a password once more",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                _ = try await SignInPageTests.password(browser, address)
                try await server.advance(301)
                return Scene(
                    browser: browser, page: try await browser.open("/account/passkey"),
                    typed: ["password": NativeClient.password])
            }, leads: { $0.page?.path == "/account/passkey" }),
        LiveForm(
            path: "/sign-out", name: "signing out",
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                _ = try await SignInPageTests.password(browser, address)
                return Scene(
                    browser: browser, page: try await browser.open("/sign-out"), typed: ["decision": "all"])
            }, leads: { $0.kind == "signed-out" }),
    ]

    /// A browser that has just signed in with a password.
    private static func fresh(_ server: TestServer, _ address: String) async throws -> TestBrowser {
        _ = try await server.account(address)
        let browser = TestBrowser(server)
        #expect(try await SignInPageTests.password(browser, address).kind == "account")
        return browser
    }

    /// Up to the page of an authenticator app, in a session that was proven with it.
    private static func factor(_ server: TestServer, _ address: String) async throws -> (TestBrowser, TestPage) {
        let totp = try await server.authenticator(of: try await server.account(address))
        let browser = TestBrowser(server)
        let asked = try await SignInPageTests.password(browser, address)
        let account = try await browser.submit(asked, ["code": totp.code(at: server.now).stringCode])
        #expect(account.kind == "account", "\(account.html)")
        let link = try await browser.open("/account/security").links.values.first {
            $0.hasPrefix("/account/factor?id=")
        }
        return (browser, try await browser.open(#require(link)))
    }

    // MARK: Links with a code

    private static let ofLinks: [LiveForm] = [
        LiveForm(
            path: "/auth/action", name: "a mailed link", lock: .secret(field: "oobCode"),
            reach: { server, address in
                _ = try await server.account(address, verified: false)
                let browser = TestBrowser(server)
                let link = try await mailedLink(server, "VERIFY_EMAIL", address)
                return Scene(browser: browser, page: try await browser.open(link), typed: [:], names: ["oobCode"])
            }, leads: { $0.page?.html.contains("Address confirmed") == true }),
        LiveForm(
            path: "/auth/action", name: "a mailed link for a password", lock: .secret(field: "oobCode"),
            reach: { server, address in
                _ = try await server.account(address)
                let browser = TestBrowser(server)
                let link = try await mailedLink(server, "PASSWORD_RESET", address)
                return Scene(
                    browser: browser, page: try await browser.open(link), typed: ["new_password": newPassword])
            }, leads: { $0.page?.html.contains("Password set") == true }),
        LiveForm(
            path: "/guardian/enroll", name: "an invitation", lock: .secret(field: "ticket"),
            reach: { server, address in
                let user = try await server.account(address)
                let ticket = try await server.ticket(for: "auth0|\(user.id)")
                let browser = TestBrowser(server)
                return Scene(
                    browser: browser, page: try await browser.open("/guardian/enroll?ticket=\(ticket)"),
                    typed: ["method": "push"])
            }, leads: { $0.kind == "enrol" && $0.page?.path.contains("enrollment=") == true }),
    ]

    private static func mailedLink(_ server: TestServer, _ kind: JSON, _ address: String) async throws -> String {
        let reply = try await server.send(
            .post, "/identitytoolkit.googleapis.com/v1/projects/countersign/accounts:sendOobCode",
            headers: [.authorization: "Bearer owner", .contentType: "application/json"],
            body: JSON.object(["requestType": kind, "email": .string(address), "returnOobLink": true]).bytes)
        let link = try #require(reply.json["oobLink"].text, "\(reply.text)")
        let parts = try #require(URLComponents(string: link))
        return "\(parts.percentEncodedPath)?\(parts.percentEncodedQuery ?? "")"
    }
}
