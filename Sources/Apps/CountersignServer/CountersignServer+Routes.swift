import AccountServer
import AdminServer
import ConsoleServer
import CountersignCore
import GuardianServer
import HTTPTypes
import Hummingbird
import IdentityToolkitServer
import NativeAuthServer
import OAuthServer
import PrometheusMetrics
import SecurityChecks
import SecurityChecksServer
import ServerHTTP
import WebPages

/// The routes, in parts that are put together when the first request for one of theirs comes (``RouteParts``).
extension CountersignServer {
    private typealias Part = RoutePart

    /// Every route of every dialect, after what requests of all pass.
    public func responder() throws -> ServerResponder {
        let routes = try routes()
        // Where it is all there is, the developer's own routes are in it, and what is wrong with them.
        try routes.prepareFirst()
        return ServerResponder(routes, ready: ready)
    }

    /// Method and path of every endpoint, for tests that go through all of them. Parts of a path that vary stand in braces.
    package func endpoints() throws -> [(method: HTTPRequest.Method, path: String)] {
        try routes().list().map { ($0.method, $0.path.description) }
    }

    private func routes() throws -> RouteParts {
        let site = try site.get()
        let parts = programParts(site) + pageParts(site) + developmentParts(site)
        return RouteParts(
            options.resources == nil ? parts : [Part(joining: parts)],
            rules: [IdentityToolkit.normalize, NativeAuth.normalize]
        ) { methods in passage(methods, site) }
    }

    // MARK: Parts

    /// What programs call. What is asked for while a server starts is the first.
    private func programParts(_ site: PageSite) -> [Part] {
        [
            Part(["health", "metrics"]) { router in
                HealthRoutes(readiness: watch.readiness).add(to: router)
                metrics.add(to: router)
            },
            Part([".well-known"]) { router in WellKnownRoutes(realm: opened.realm).add(to: router) },
            Part(["v1", "v2", "admin/v2", "identitytoolkit", "emulator", "robot", "service_accounts"]) { router in
                identityToolkit.addRoutes(to: router)
            },
            Part(["api", "appliance-mfa", "rich-consents", "guardian", "mfa"]) { router in
                try guardian.addRoutes(to: router, site: site)
            },
            Part(
                [
                    "authorize", "start-again", "oauth", "bc-authorize", "userinfo", "oidc", "passkey", "me",
                    "v2/logout", ".well-known/openid-configuration", ".well-known/oauth-authorization-server",
                ]
            ) { router in
                let oauth = oauth(site)
                oauth.addRoutes(to: router)
                oauth.addPages(to: router)
            },
            Part(["native-auth"]) { router in nativeAuth.addRoutes(to: router) },
            Part(["mfp"]) { router in try addSecurityChecks(to: router) },
            Part(["admin/v1"]) { router in
                AdministrationRoutes(
                    realm: opened.realm, publicURLs: knownURLs, isAdministrator: opened.adminToken.matches
                ).addRoutes(to: router)
            },
            Part(["account/v1"]) { router in
                AccountAPI(
                    realm: opened.realm,
                    options: AccountAPI.Options(
                        publicURLs: knownURLs, name: site.name, deviceLink: guardian.deviceLink)
                ).addRoutes(to: router)
            },
            Part(["openapi.json"]) { [publicURL] router in OpenAPIRoute { publicURL.value }.add(to: router) },
        ]
    }

    /// What people's browsers show.
    private func pageParts(_ site: PageSite) -> [Part] {
        [
            Part(
                [
                    "", "auth", "assets/logos", "sign-in", "sign-up", "sign-out", "signed-out", "forgot", "reset",
                    "activate", "owner", "account",
                ]
            ) { router in try accountPages(site).addRoutes(to: router) },
            Part(["console"]) { router in
                Console(
                    realm: opened.realm,
                    options: Console.Options(
                        site: site, startedAt: startedAt, certificateEnds: { [certificate] in certificate?.expiresAt })
                ).addRoutes(to: router)
            },
            Part(["assets"]) { router in site.assets.addRoutes(to: router) },
        ]
    }

    /// What is there under `--dev` alone.
    private func developmentParts(_ site: PageSite) -> [Part] {
        guard options.isDevelopment, let clock = opened.movableClock else { return [] }
        return [
            Part(["dev"]) { router in
                try DevelopmentRoutes(
                    realm: opened.realm, clock: clock, publicURL: { [publicURL] in publicURL.value },
                    composer: try composer.get(), pushPayload: guardian.pushPayload, site: site
                ).add(to: router)
                DevelopmentRoutes.addList(of: { try endpoints() }, to: router)
            }
        ]
    }

    // MARK: What requests pass

    private func passage(_ methods: PathMethods, _ site: PageSite) -> RequestPassage {
        let source = RequestSource(
            trustsProxy: options.tlsEndedByProxy, header: options.proxy.header,
            isTrusted: { [proxy = options.proxy] in proxy.trusts($0) })
        let crossOrigin = PublicCORSMiddleware([
            PublicCORSRule(appliesTo: { IdentityToolkit.owns(path: $0) && !OAuth.isOfBrowsers(path: $0) }),
            PublicCORSRule(
                exposing: Guardian.exposedHeaders,
                appliesTo: { Guardian.owns(path: $0) && !OAuth.isPublic(path: $0) }),
            PublicCORSRule(
                exposing: OAuth.exposedHeaders,
                appliesTo: { OAuth.isPublic(path: $0) || AccountAPI.owns(path: $0) },
                isAlikeForAll: OAuth.isDocument),
            PublicCORSRule(exposing: NativeAuth.exposedHeaders, appliesTo: NativeAuth.owns),
        ])
        let failures = FailureMiddleware { [nativeAuth] failure, request, reference in
            try Self.format(failure, request) ?? nativeAuth.format(failure, request)
                ?? site.format(failure, request, reference: reference)
        }
        return RequestPassage(
            RequestSourceMiddleware(source, exemptsLoopback: options.isDevelopment), requests,
            RequestLogMiddleware(logsAccess: options.logsAccess, tracer: opened.tracer),
            SecurityHeadersMiddleware(isOverTLS: options.tls != nil || options.tlsEndedByProxy), crossOrigin, failures,
            RequestTargetMiddleware(
                methods, typedPages: ["/console", "/account", "/sign-in", "/sign-up", "/activate"],
                discardingPaths: SecurityChecks.discardingPaths))
    }

    /// Each dialect's words for failures that no endpoint translated; nil where the path is no dialect's.
    private static func format(_ failure: ServerFailure, _ request: Request) throws -> Response? {
        try AdministrationRoutes.format(failure, request) ?? AccountAPI.format(failure, request)
            ?? IdentityToolkit.format(failure, request)
            ?? Guardian.format(failure, request) ?? SecurityChecks.format(failure, request)
            ?? OAuth.format(failure, request)
    }

    // MARK: Dialects

    /// The addresses that clients of our own resources may know.
    private var knownURLs: @Sendable () -> [String] {
        { [publicURL, isDevelopment = options.isDevelopment] in isDevelopment ? publicURL.ofDevelopment : publicURL.all
        }
    }

    var metrics: MetricsRoute {
        MetricsRoute(
            opened: opened, certificate: certificate, deliveries: deliveries, hooks: hooks, connections: connections,
            watch: watch, registry: .ofProcess)
    }

    private var identityToolkit: IdentityToolkit {
        IdentityToolkit(
            realm: opened.realm,
            options: IdentityToolkit.Options(
                projectID: options.projectID, isDevelopment: options.isDevelopment,
                isAdministrator: opened.adminToken.matches, publicURL: { [publicURL] in publicURL.value },
                publicURLs: { [publicURL] in publicURL.published }))
    }

    var guardian: Guardian {
        Guardian(
            realm: opened.realm,
            options: Guardian.Options(
                isAdministrator: opened.adminToken.matches,
                baseURLs: { [publicURL] in publicURL.all }))
    }

    func oauth(_ site: PageSite) -> OAuth {
        OAuth(
            realm: opened.realm,
            options: OAuth.Options(
                publicURLs: knownURLs, isDevelopment: options.isDevelopment, site: site, grants: guardian.grants,
                shared: guardian.sharedEndpoints, userScopes: [AccountAPI.scope, AdministrationRoutes.scope]))
    }

    private var nativeAuth: NativeAuth {
        NativeAuth(
            realm: opened.realm, options: NativeAuth.Options(publicURL: { [publicURL] in publicURL.value }))
    }

    private func accountPages(_ site: PageSite) throws -> AccountPages {
        try AccountPages(
            realm: opened.realm,
            options: AccountPages.Options(
                isDevelopment: options.isDevelopment, publicURLs: { [publicURL] in publicURL.published }, site: site,
                deviceLink: guardian.deviceLink,
                dataDocument: { try UserData.document($0, log: $1, logDays: $2) },
                programGreeting: options.isDevelopment ? IdentityToolkit.emulatorGreeting : nil))
    }

    private func addSecurityChecks(to router: ServerRoutes) throws {
        let checks = try SecurityChecks(
            realm: opened.realm, options: SecurityChecks.Options(checks: self.checks.get()))
        checks.addRoutes(to: router)
        if options.showsSampleChecks {
            SampleResources(realm: opened.realm, validator: checks.validator).add(to: router)
        }
        try options.resources?(router, checks)
    }
}
