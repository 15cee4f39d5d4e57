import Hummingbird

/// A part of a server's routes: those whose paths begin alike.
public struct RoutePart: Sendable {
    /// What adds the routes.
    public typealias Add = @Sendable (ServerRoutes) throws -> Void

    let beginnings: [String]
    let add: Add

    /// - Parameters:
    ///   - beginnings: what the paths begin with, without a slash in front: a segment (`account`), or two where other paths with the first
    ///     are another part's (`account/v1`). The empty one is the root.
    ///   - add: called when the first request for such a path comes, and once unless it throws.
    public init(_ beginnings: [String], add: @escaping Add) {
        (self.beginnings, self.add) = (beginnings, add)
    }

    /// All of them as one, for routes that may be anywhere.
    public init(joining parts: [RoutePart]) {
        self.init(parts.flatMap(\.beginnings)) { router in for part in parts { try part.add(router) } }
    }
}

/// All routes of a server, in parts, each of which is a router of its own, put together when the first request for one of its paths comes.
///
/// To put some hundred routes together takes longer than all else that a server does before its first answer, and most servers are never
/// asked for most of them. To a client it is one router: the parts share what requests pass, and a path that begins like no part's goes to the
/// first, which refuses it as each would.
///
/// Parts do not overlap: where `account/v1` is one part's, no route of another's with `account` may take `/account/v1/…`.
public final class RouteParts: HTTPResponder {
    public typealias Context = CountersignRequestContext
    /// Gives what requests pass for the routes of one part.
    /// - Parameter methods: those of the part's own paths.
    public typealias MakePassage = @Sendable (_ methods: PathMethods) -> RequestPassage

    /// Where paths with one first segment lead.
    private struct Fork: Sendable {
        /// By their second segment.
        var seconds: [(segment: Substring, part: Int)] = []
        /// Whatever their second is; nil: like a path that begins like no part's.
        var others: Int?
    }

    private let parts: [RoutePart]
    private let routers: [MadeOnce<RouterResponder<Context>>]
    private let forks: [Substring: Fork]
    private let passage: MakePassage
    /// What becomes of a path before it leads anywhere.
    let rules: [@Sendable (_ path: String) -> String]
    /// Routes of parts that are put together.
    let known: KnownRoutes

    /// - Parameters:
    ///   - parts: at least one; the first gets what begins like none.
    ///   - rules: what becomes of a path before it leads anywhere (``PathNormalizer``).
    ///   - passage: what requests pass.
    public init(
        _ parts: [RoutePart], rules: [@Sendable (_ path: String) -> String] = [], passage: @escaping MakePassage
    ) {
        self.parts = parts
        self.rules = rules
        self.passage = passage
        let known = KnownRoutes(rules: rules)
        self.known = known
        routers = parts.map { part in
            MadeOnce {
                let routes = try Self.routes(of: part, passage)
                let responder = routes.responder
                known.add(routes.known)
                return responder
            }
        }
        var forks: [Substring: Fork] = [:]
        for (index, part) in parts.enumerated() {
            for beginning in part.beginnings {
                let segments = beginning.split(separator: "/")
                if segments.count > 1 {
                    forks[segments[0], default: Fork()].seconds.append((segments[1], index))
                } else {
                    forks[segments.first ?? "", default: Fork()].others = index
                }
            }
        }
        self.forks = forks
    }

    private static func routes(of part: RoutePart, _ passage: MakePassage) throws -> ServerRoutes {
        let methods = PathMethods()
        let routes = ServerRoutes(passage(methods))
        try part.add(routes)
        methods.tell(routes.added)
        return routes
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        try await routers[part(of: request.uri.path)].get().respond(to: request, context: context)
    }

    /// Puts the first part together now, for a start that wants to know what is wrong with it.
    public func prepareFirst() throws { _ = try routers[0].get() }

    /// Every route of every part, each put together for this list.
    public func list() throws -> [Router<Context>.RouteDescription] {
        try parts.flatMap { try Self.routes(of: $0, passage).list }
    }

    // MARK: Paths

    /// The part of a path's routes. Like the router, it passes over empty segments.
    func part(of path: String) -> Int {
        let bytes = path.utf8
        let first = Self.segment(in: bytes[...])
        guard let fork = forks[first] else { return 0 }
        if !fork.seconds.isEmpty {
            let second = Self.segment(in: bytes[first.endIndex...])
            if let found = fork.seconds.first(where: { $0.segment == second }) { return found.part }
        }
        return fork.others ?? 0
    }

    /// The first segment; an empty one where there is none.
    private static func segment(in path: Substring.UTF8View) -> Substring {
        let slash = UInt8(ascii: "/")
        return Substring(path.drop { $0 == slash }.prefix { $0 != slash })
    }
}
