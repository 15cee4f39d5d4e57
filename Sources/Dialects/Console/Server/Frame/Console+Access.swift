import AdminServer
import CountersignCore
import HTTPTypes
import Hummingbird
import JSON
import ServerHTTP
import WebPages

extension Console {
    /// Answers a request: finds who asks, in what role, and whether the page is for that role.
    ///
    /// The session, the role and its rights are judged anew for each request, so that a right that was taken ends what is open at its next
    /// step. A user who has to prove more is led to the sign-in, and nothing is done.
    func answer(
        _ request: Request, _ context: CountersignRequestContext, _ route: ConsoleRoute, isForm: Bool
    ) async throws -> Response {
        var visit = options.site.visit(request)
        guard let token = visit.sessionToken, let present = try await realm.sessions.session(ofBrowser: token) else {
            return signIn(for: request, route, isForm: isForm, visit)
        }
        let role: AdministratorRole
        switch try await realm.consoleSessions.judge(present.session, of: present.user, mark: visit.consoleMark) {
        case .closed: return closed(visit)
        case .demanding: return signIn(for: request, route, isForm: isForm, visit)
        case .open(let own, let mark):
            role = own
            if let mark { visit.hold(consoleMark: mark) }
        }
        if let renewed = try await realm.sessions.renewed(browser: token) { visit.hold(session: renewed) }
        var form: MultipartForm?
        var fault: RequestBodyFault?
        let isPermitted = route.right.map(role.rights.contains) ?? true
        // Nothing is read of whom may not send it.
        if isForm, isPermitted {
            do { form = try await Self.form(of: request, route) } catch let error as RequestBodyFault { fault = error }
        }
        var scene = ConsoleScene(
            console: self, context: context, route: route, visit: visit, user: present.user, role: role,
            path: request.uri.path, fields: isForm ? form?.fields ?? [:] : request.queryItems,
            files: form?.files ?? [:], isForm: isForm)
        guard isPermitted else { return Self.withoutRight(scene) }
        if isForm {
            if case .tooLarge(let limit)? = fault { return Self.tooLarge(scene, limit) }
            guard fault == nil else { return Self.stale(scene, status: .badRequest) }
            guard scene.isOfOwnPage() else { return Self.stale(scene, status: .forbidden) }
        }
        do {
            guard isForm, let take = route.take else { return try await route.show(&scene) }
            return try await take(&scene)
        } catch let error as AdministrationError {
            return Self.failed(error, scene)
        } catch let problem as ConsoleProblem {
            let said = scene.problem(ofForm: problem) ?? problem.text
            return scene.answer(scene.error(said), status: .badRequest)
        }
    }

    /// What a page says once, of a change that led to it.
    private static let saidOnce: Set<String> = ["done", "lang", "mark", "once", "result"]

    /// Leads to where proving more begins, and from there back to the page that was asked for. What a form said is not kept: where it was about
    /// one thing, the way leads back to the page of the form. A file is no page, and a browser that fetches one stays where it is: the way leads
    /// to the overview.
    private func signIn(
        for request: Request, _ route: ConsoleRoute, isForm: Bool, _ visit: PageVisit
    ) -> Response {
        var visit = visit
        var items: [(String, String?)] = [("to", "console")]
        let path = request.uri.path
        if path.hasPrefix("/console/"), !route.isFile, !isForm || route.isOfObject {
            let said = isForm ? [:] : request.queryItems.filter { !Self.saidOnce.contains($0.key) }
            let page = PagePath(path, said.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).text
            let back = ReturnPath(to: page, for: .console, in: visit.browserKey(realm.random))
            items.append((ReturnPath.item, back?.sealed))
        }
        return visit.redirect(to: PagePath("/sign-in", items).text)
    }

    /// What a form says. Forms of pages that take a file are read in either form: a browser without files sends the plain one.
    /// - Throws: `RequestBodyFault`, `CancellationError`.
    private static func form(of request: Request, _ route: ConsoleRoute) async throws -> MultipartForm {
        if route.takesFiles, MultipartForm.isMeant(by: request.headers[.contentType]) {
            return try await request.multipartForm(limit: route.bodyLimit)
        }
        let body = try await request.bodyObject(accepting: .form, limit: route.plainLimit)
        guard case .object(let members) = body else { return MultipartForm(fields: [:]) }
        return MultipartForm(fields: members.compactMapValues { $0.stringValue })
    }

    // MARK: What went wrong

    private func closed(_ visit: PageVisit) -> Response {
        var visit = visit
        visit.linkItems = [:]
        return visit.response(
            Page(
                "forbidden", visit.words("consoleClosedTitle"), visit.words("consoleClosed"),
                [.links([.init(visit.words("homeAccount"), to: "/account", isButton: true)])]),
            status: .forbidden)
    }

    private static func withoutRight(_ scene: ConsoleScene) -> Response {
        scene.route.isOfObject
            ? scene.answer(scene.notFound(), status: .notFound)
            : scene.answer(scene.forbidden(), status: .forbidden)
    }

    /// A form that is not of a page that this session was given. Nothing was done.
    private static func stale(_ scene: ConsoleScene, status: HTTPResponse.Status) -> Response {
        scene.answer(scene.error(scene.words("staleForm")), status: status)
    }

    private static func tooLarge(_ scene: ConsoleScene, _ limit: Int) -> Response {
        let text = scene.words("consoleTooLarge", ["count": .words(ConsoleScene.mebibytes(limit))])
        return scene.answer(scene.error(text), status: .contentTooLarge)
    }

    private static func failed(_ error: AdministrationError, _ scene: ConsoleScene) -> Response {
        switch error.code {
        case .forbidden: return withoutRight(scene)
        case .notFound: return scene.answer(scene.notFound(), status: .notFound)
        default:
            let status: HTTPResponse.Status = error.isAboutForm ? .badRequest : .serviceUnavailable
            return scene.answer(scene.error(scene.problem(error)), status: status)
        }
    }
}
