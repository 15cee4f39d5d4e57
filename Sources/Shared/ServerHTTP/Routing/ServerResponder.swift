import Hummingbird

/// Answers each request of a server by its ``RouteParts``.
///
/// **How the files of this folder meet.** Protocols add their routes to ``ServerRoutes``, by functions (``RouteHandler``), part by part
/// (``RoutePart``). A request for one that has no parameters is found among the `KnownRoutes` as a whole; every other goes through
/// ``HeadResponder`` and ``PathNormalizer`` to the part that its path leads to, and to that one's router. Either way it passes the
/// ``RequestPassage``.
public struct ServerResponder: HTTPResponder {
    public typealias Context = CountersignRequestContext

    private let recorder: ReadyAnswerRecorder<RoutedResponder>

    /// - Parameter ready: keeps what can be answered without any of this; nil keeps nothing.
    public init(_ routes: RouteParts, ready: ReadyAnswers? = nil) {
        recorder = ReadyAnswerRecorder(
            ready,
            RoutedResponder(known: routes.known, others: HeadResponder(PathNormalizer(routes, rules: routes.rules))))
    }

    public func respond(to request: Request, context: CountersignRequestContext) async throws -> Response {
        try await recorder.respond(to: request, context: context)
    }
}

private struct RoutedResponder: HTTPResponder {
    let known: KnownRoutes
    let others: HeadResponder<PathNormalizer<RouteParts>>

    func respond(to request: Request, context: CountersignRequestContext) async throws -> Response {
        guard let route = known.route(of: request.head) else {
            return try await others.respond(to: request, context: context)
        }
        return try await route.respond(to: request, context: context)
    }
}
