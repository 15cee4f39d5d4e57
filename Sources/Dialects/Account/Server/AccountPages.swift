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
        /// What a program reads at `/` where a browser sees a page; nil: the page too.
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
        let pages = router.group().add(middleware: PageMiddleware(options.site))
        let home = HomePage(pages: self)
        pages.get("/") { request, _ in try home.show(request) }
        let links = router.group().add(middleware: PageMiddleware(options.site, forms: .withSecret))
        links.get("auth/action") { request, _ in try await mailedLink.show(request) }
        links.post("auth/action") { request, context in try await mailedLink.submit(request, context) }
    }
}
