import NIOCore
import Synchronization

/// All users' mailboxes: a waiting caller gets a code when its mail arrives.
final class Mailboxes: Sendable {
    private enum Mailbox {
        case code(String)
        case waiting(EventLoopPromise<String>)
    }

    private let state = Mutex<[String: Mailbox]>([:])

    /// A mail has arrived.
    func put(_ code: String, for address: String) {
        let waiting = state.withLock { boxes -> EventLoopPromise<String>? in
            if case .waiting(let promise)? = boxes.removeValue(forKey: address) { return promise }
            boxes[address] = .code(code)
            return nil
        }
        waiting?.succeed(code)
    }

    /// The code of a user's next mail, which may have arrived already.
    func code(for address: String, on loop: any EventLoop) -> EventLoopFuture<String> {
        let promise = loop.makePromise(of: String.self)
        let there = state.withLock { boxes -> String? in
            if case .code(let code)? = boxes.removeValue(forKey: address) { return code }
            boxes[address] = .waiting(promise)
            return nil
        }
        if let there { promise.succeed(there) }
        return promise.futureResult
    }
}
