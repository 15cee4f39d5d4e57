import Foundation
import Synchronization

@testable import CountersignCore

/// A service of a hook that answers as a test says, and remembers what it was sent.
final class ScriptedHooks: HookCaller {
    struct Received: Sendable, Equatable {
        let id: String
        let type: String
        let user: String?
        let body: String
        let headers: [String: String]
        let url: String
    }

    private let received = Mutex<[Received]>([])
    private let answer: Mutex<@Sendable (Received) async -> HookReply>

    init(_ answer: @escaping @Sendable (Received) async -> HookReply = { _ in .answered(status: 200) }) {
        self.answer = Mutex(answer)
    }

    /// All calls, in the order in which they came.
    var calls: [Received] { received.withLock { $0 } }
    /// Events that were taken, in order.
    var types: [String] { calls.map(\.type) }

    func answers(_ answer: @escaping @Sendable (Received) async -> HookReply) {
        self.answer.withLock { $0 = answer }
    }

    func post(_ call: HookCall) async -> HookReply {
        let json = try? JSONDecoder().decode([String: JSONValue].self, from: call.body)
        var (type, user) = ("", String?.none)
        if case .string(let text)? = json?["type"] { type = text }
        if case .object(let data)? = json?["data"], case .string(let text)? = data["user"] { user = text }
        let headers = Dictionary(call.headers.map { ($0.name, $0.value) }) { first, _ in first }
        let one = Received(
            id: headers["webhook-id"] ?? "", type: type, user: user, body: String(decoding: call.body, as: UTF8.self),
            headers: headers, url: call.url)
        received.withLock { $0.append(one) }
        return await answer.withLock { $0 }(one)
    }
}
