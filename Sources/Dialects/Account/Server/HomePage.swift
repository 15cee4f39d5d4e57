import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// `/`: shows browsers what this server is, and leads to the sign-in. A program that does not ask for HTML reads the greeting where there
/// is one, and otherwise that there is no such endpoint.
struct HomePage: Sendable {
    let pages: AccountPages

    func show(_ request: Request) throws -> Response {
        let acceptsPages = request.headers[.accept]?.lowercased().contains("text/html") ?? false
        guard acceptsPages else {
            guard let greeting = pages.options.programGreeting else { throw HTTPError(.notFound) }
            return try .json(greeting)
        }
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
