import NIOCore
import Synchronization

/// Everybody's mailbox: whoever waits for a code gets it when its mail arrives.
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

    /// The code of somebody's next mail, which may be there already.
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
