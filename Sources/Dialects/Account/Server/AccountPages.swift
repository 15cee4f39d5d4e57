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

        public init(isDevelopment: Bool, publicURLs: @escaping @Sendable () -> [String]) {
            self.isDevelopment = isDevelopment
            self.publicURLs = publicURLs
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
        router.get("auth/action") { request, _ in try await mailedLink.show(request) }
        router.post("auth/action") { request, context in try await mailedLink.submit(request, context) }
    }
}
