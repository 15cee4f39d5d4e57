import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// `/`: says what this server is, and leads to the sign-in.
struct HomePage: Sendable {
    let pages: AccountPages

    func show(_ request: Request) throws -> Response {
        let acceptsPages = request.headers[.accept]?.lowercased().contains("text/html") ?? false
        if let greeting = pages.options.programGreeting, !acceptsPages { return try .json(greeting) }
        let visit = pages.options.site.visit(request)
        let words = visit.words
        return visit.response(
            Page(
                "home", words("homeTitle", ["site": .words(visit.site.name)]), words("homeText"),
                [
                    .links([
                        .init(words("homeSignIn"), to: "/sign-in", isButton: true),
                        .init(words("homeAccount"), to: "/account"),
                    ])
                ]))
    }
}
