import AdminServer
import CPageFiles
import CountersignCore
import Delivery
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// What exists under `--dev` alone: the inbox in which all mail ends up, and the clock that tests can move.
struct DevelopmentRoutes: Sendable {
    let realm: Realm
    let clock: MovableClock
    let publicURL: @Sendable () -> String
    let composer: MailComposer
    /// What a push carries; nil for what is none.
    let pushPayload: @Sendable (OpenedMessage) async throws -> Data?
    let site: PageSite
    private let template: PageTemplate
    private let mails = RememberedMails()

    init(
        realm: Realm, clock: MovableClock, publicURL: @escaping @Sendable () -> String, composer: MailComposer,
        pushPayload: @escaping @Sendable (OpenedMessage) async throws -> Data?, site: PageSite
    ) throws {
        self.realm = realm
        self.clock = clock
        self.publicURL = publicURL
        self.composer = composer
        self.pushPayload = pushPayload
        self.site = site
        template = try PageTemplate(PageFile.inboxTemplate.bytes)
    }

    func add(to router: some RouterMethods<CountersignRequestContext>) {
        router.get("dev/inbox.json") { _, _ in try Response.json(Inbox(messages: try await messages())) }
        router.group().add(middleware: PageMiddleware(site))
            .get("dev/inbox") { request, _ in try await page(site.visit(request)) }
        router.post("dev/clock") { request, _ in try await moveClock(request) }
    }

    // MARK: The routes

    /// What `GET /dev/routes.json` lists.
    private struct ListedRoute: Encodable, Sendable {
        let method: String
        /// Parts that vary stand in braces.
        let path: String
    }

    /// `GET /dev/routes.json`: every other route, for programs that try all of them.
    static func addList(
        of endpoints: @escaping @Sendable () throws -> [(method: HTTPRequest.Method, path: String)],
        to router: some RouterMethods<CountersignRequestContext>
    ) {
        let own = "/dev/routes.json"
        router.get(RouterPath(own)) { _, _ in
            let routes = try endpoints().map { method, path in
                ListedRoute(method: method.rawValue, path: "/" + path.split(separator: "/").joined(separator: "/"))
            }
            return try Response.json(["routes": routes.filter { $0.path != own }])
        }
    }

    // MARK: The inbox

    struct Inbox: Encodable, Sendable {
        let messages: [Message]

        struct Message: Encodable, Sendable {
            let id: String
            let kind: String
            let to: String
            let subject: String
            let text: String
            let payload: JSONValue
            /// RFC 3339.
            let at: String
        }
    }

    private func messages() async throws -> [Inbox.Message] {
        var messages: [Inbox.Message] = []
        for opened in try await realm.outbox.messages() where opened.message.channel != .logout {
            let mail = mails.mail(of: opened, by: composer, publicURL: publicURL())
            var payload = opened.content.values
            if let link = mail?.link { payload["link"] = link }
            payload["template"] = opened.content.template
            let push = try await pushPayload(opened).map { try JSONDecoder().decode(JSONValue.self, from: $0) }
            let alert = push?["aps"]?["alert"]
            messages.append(
                Inbox.Message(
                    id: opened.message.id, kind: kind(of: opened.message), to: opened.message.recipient,
                    subject: mail?.subject ?? alert?["title"]?.stringValue ?? opened.content.template,
                    text: mail?.text ?? alert?["body"]?.stringValue ?? "",
                    payload: push ?? .object(payload.mapValues { .string($0) }),
                    at: opened.message.createdAt.formatted(.iso8601)))
        }
        return messages
    }

    /// Programs that wait for a code see it as a mail, whichever sender delivers it.
    private func kind(of message: OutboxMessage) -> String {
        message.channel == .otp ? OutboxMessage.Channel.email.rawValue : message.channel.rawValue
    }

    /// What the template of the inbox shows.
    private struct PageView: Sendable {
        /// By the names that the template has for what one says.
        let messages: [[String: String]]
        let words: Labels

        struct Labels: Sendable {
            let empty: String
            let open: String
            let program: String

            init(_ words: Words) {
                empty = words.plain("inboxEmpty")
                open = words.plain("inboxOpen")
                program = words.plain("inboxJSON")
            }
        }
    }

    private func page(_ visit: PageVisit) async throws -> Response {
        let items = try await messages().reversed().map { message -> [String: String] in
            var item = ["to": message.to, "subject": message.subject, "text": message.text, "at": message.at]
            item["link"] = message.payload["link"]?.stringValue
            return item
        }
        var page = Page("inbox", visit.words("inboxTitle"), visit.words("inboxText"))
        // A page that loads itself again takes the reader's place away (WCAG 2.2, success criterion 2.2.1).
        page.blocks = [.links([.init(visit.words("inboxAgain"), to: "/dev/inbox", isButton: true)])]
        page.isWide = true
        let view = PageView(messages: items, words: .init(visit.words))
        return template.response(page, content: view, in: visit)
    }

    // MARK: The clock

    private struct Move: Decodable, Sendable {
        let advanceSeconds: Double
    }

    private func moveClock(_ request: Request) async throws -> Response {
        let move = try await request.decodeBody(as: Move.self)
        guard try await clock.advance(seconds: move.advanceSeconds, in: realm.store) else {
            return try .json(["error": "advanceSeconds goes further than a hundred years."], status: .badRequest)
        }
        return try .json(["now": clock.now.formatted(.iso8601)])
    }
}
