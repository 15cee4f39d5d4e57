import HTTPTypes
import Hummingbird

/// Rewrites a request's path before the router sees it.
///
/// Clients write `accounts%3AsignUp` for `accounts:signUp`, and dialects have prefixes that mean nothing here (a host
/// name, any tenant). The escape of the colon is undone first, once; nothing else is decoded and nothing is collapsed.
/// Then each dialect's rule sees the path, without the query, in the order of the list. The query stays as it is. A path with an
/// empty segment, and a target that is no path, are left to ``RequestTargetMiddleware``, which refuses them.
///
/// A target in the absolute form becomes a path, and its host takes the place of the header's (``AbsoluteTarget``).
///
/// Wrap it around the router's responder:
/// `Application(responder: PathNormalizer(router.buildResponder(), rules: …))`.
public struct PathNormalizer<Inner: HTTPResponder>: HTTPResponder {
    public typealias Context = Inner.Context
    /// Gives the path for the router, or the one that it was given. It is called with strangers' paths.
    public typealias Rule = @Sendable (_ path: String) -> String

    private let inner: Inner
    private let rules: [Rule]

    public init(_ inner: Inner, rules: [Rule]) {
        self.inner = inner
        self.rules = rules
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        let original = request.head.path ?? ""
        let path = normalize(original)
        if path == original { return try await inner.respond(to: request, context: context) }
        var head = request.head
        head.path = path
        if let absolute = AbsoluteTarget(original) { head.authority = String(absolute.authority) }
        return try await inner.respond(to: Request(head: head, body: request.body), context: context)
    }

    /// What becomes of a request's target, query included.
    func normalize(_ target: String) -> String {
        if target.isEmpty { return "/" }
        // The absolute form, as it is sent to proxies, becomes the usual one: rules see paths only.
        guard target.utf8.first != UInt8(ascii: "/") else { return normalize(path: target[...]) }
        guard let absolute = AbsoluteTarget(target) else { return target }
        return normalize(path: absolute.origin)
    }

    private func normalize(path relative: Substring) -> String {
        let query = relative.utf8.firstIndex(of: UInt8(ascii: "?")) ?? relative.endIndex
        var path = Self.unescapingColons(relative[..<query])
        if !path.hasEmptySegment {
            for rule in rules { path = rule(path) }
        }
        return query == relative.endIndex ? path : path + relative[query...]
    }

    /// `%253A` is an escaped `%3A` and stays one.
    private static func unescapingColons(_ path: Substring) -> String {
        guard path.utf8.contains(UInt8(ascii: "%")) else { return String(path) }
        return String(path.replacing("%3A", with: ":").replacing("%3a", with: ":"))
    }
}
