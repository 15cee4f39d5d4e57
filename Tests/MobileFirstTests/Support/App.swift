import ClientHTTP
import Foundation
import IBMMobileFirstPlatformFoundation

/// An app with a session of its own.
protocol Installed: Sendable {
    var session: SecuritySession { get }
}

/// An app of its own for one test, at a server in memory.
struct App: Installed {
    let server: StandIn
    let session: SecuritySession
    let clock: TestClock

    init(
        _ server: StandIn = StandIn(), storage: TestStorage = TestStorage(), keys: TestKeys = TestKeys(),
        version: String = "1.0.0"
    ) {
        let clock = TestClock()
        self.clock = clock
        self.server = server
        session = SecuritySession(
            applicationID: "com.countersign.dev", version: version, server: URL(string: "http://127.0.0.1:8080"),
            transport: server, storage: storage, keys: keys, now: { clock.now })
    }
}

struct NoSuchRequest: Error {}

extension Installed {
    var client: WLClient { WLClient(session: session) }
    var manager: WLAuthorizationManager { WLAuthorizationManager(session: session) }

    func request(_ path: String, method: String = "GET", scope: String? = nil) throws -> WLResourceRequest {
        guard let request = WLResourceRequest(session: session, url: URL(string: path), method: method, scope: scope)
        else { throw NoSuchRequest() }
        return request
    }

    /// The text of a resource.
    @discardableResult
    func get(_ name: String, scope: String? = nil) async throws -> String {
        try await request("/adapters/ResourceAdapter/\(name)", scope: scope).send().responseText
    }

    /// Registers a handler that writes down what it is told, and answers as it is told to.
    @discardableResult
    func handle(_ check: String, _ script: Handler.Reply...) -> Events {
        let handler = Handler(securityCheck: check)
        handler.events.script.withLock { $0 = script }
        client.registerChallengeHandler(handler)
        return handler.events
    }
}

/// What a handler was told.
final class Events: Sendable {
    let log = Locked<[String]>([])
    let script = Locked<[Handler.Reply]>([])
    var all: [String] { log.current }
    var challenges: Int { all.filter { $0.hasPrefix("challenge") }.count }

    /// Waits until there are so many.
    func reach(_ count: Int) async throws {
        for _ in 0..<60_000 where all.count < count { try await Task.sleep(nanoseconds: 2_000_000) }
        if all.count < count { throw TooFew(seen: all) }
    }

    struct TooFew: Error { let seen: [String] }
}

final class Handler: SecurityCheckChallengeHandlerSwift {
    enum Reply: Sendable {
        case answer([String: String])
        case later
        case takeBack
        case cancel
        case unwritable
    }

    let events = Events()

    override func handleChallenge(challengeResponse: [AnyHashable: Any]!) {
        events.log.withLock { $0.append("challenge \(Self.text(challengeResponse))") }
        let reply = events.script.withLock { script in
            script.count > 1 ? script.removeFirst() : script.first ?? .later
        }
        switch reply {
        case .answer(let answer): submitChallengeAnswer(answer: answer)
        case .later: break
        case .takeBack: submitChallengeAnswer(nil)
        case .cancel: cancel()
        case .unwritable: submitChallengeAnswer(["pin": Events()])
        }
    }

    override func handleSuccess(successResponse: [AnyHashable: Any]!) {
        events.log.withLock { $0.append("success \(Self.text(successResponse))") }
    }

    override func handleFailure(failureResponse: [AnyHashable: Any]!) {
        events.log.withLock { $0.append("failure \(Self.text(failureResponse))") }
    }

    private static func text(_ dictionary: [AnyHashable: Any]?) -> String {
        guard let dictionary else { return "nil" }
        return dictionary.map { "\($0.key.base)=\($0.value is NSNull ? "null" : "\($0.value)")" }.sorted()
            .joined(separator: ",")
    }
}

/// Runs something that must throw a ``WLError``, and returns its code.
func code(_ body: () async throws -> Void) async -> WLErrorCode? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? WLError)?.code
    }
}
