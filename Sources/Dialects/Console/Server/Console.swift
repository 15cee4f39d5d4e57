import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// The pages of the users who administer: `/console`.
///
/// A page shows what an `AdministrationOperation` answers, and each of its forms does one: what is no operation cannot be done here. The
/// operation itself checks the role of its caller.
///
/// **How the files of this folder meet.** `ConsoleRoute` is a page with what it needs and what it does; each group of pages has a list of
/// them, and ``routes`` has all. `Console+Access` decides who sees a page, `ConsoleScene` is one request for one, `ConsoleQuestion` what is
/// asked before something is changed, `ConsoleSection` the menu, `ShellCommand` the same as a command.
public struct Console: Sendable {
    let realm: Realm
    let options: Options
    let findings = RememberedFindings()

    /// How the server that shows the pages is set up.
    public struct Options: Sendable {
        /// What these pages share with others.
        public var site: PageSite
        /// When this server started.
        public var startedAt: Date
        /// When the certificate ends that this server shows; nil where another ends TLS.
        public var certificateEnds: @Sendable () -> Date?

        public init(site: PageSite, startedAt: Date, certificateEnds: @escaping @Sendable () -> Date? = { nil }) {
            self.site = site
            self.startedAt = startedAt
            self.certificateEnds = certificateEnds
        }
    }

    public init(realm: Realm, options: Options) {
        self.realm = realm
        self.options = options
    }

    /// Every page, one line for each group.
    static let routes: [ConsoleRoute] = [
        OverviewPage.routes, UserListPage.routes, UserPages.routes, UserActions.routes, BulkPages.routes,
        TransferPages.routes,
        GroupPages.routes,
        AdministratorPages.routes, TokenPages.routes, LogPages.routes, SettingPages.routes, KeyPages.routes,
        LimitPages.routes, DeliveryPages.routes, DoctorPage.routes, ApplicationPages.routes, APIPages.routes,
        RegistrationPages.routes,
        DocumentPages.routes,
        CheckPages.routes, ClientPages.routes, FiguresPage.routes, HookPages.routes, RulesPage.routes,
        ExtensionPages.routes, MailPages.routes,
    ].flatMap { $0 }

    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let pages = router.group().add(middleware: PageMiddleware(options.site))
        for route in Self.routes {
            pages.get(RouterPath(route.fullPath)) { request, context in
                try await answer(request, context, route, isForm: false)
            }
            guard route.take != nil else { continue }
            pages.post(RouterPath(route.fullPath)) { request, context in
                try await answer(request, context, route, isForm: true)
            }
        }
        pages.get("console/**") { request, context in
            try await answer(request, context, .unknown, isForm: false)
        }
    }
}
