import ClientHTTP
import JSON

/// Which request a handler is busy with, and which wait for it: a handler deals with one at a time. Source: MobileFirst's
/// web SDK.
final class HandlerSlot: Sendable {
    private struct State {
        var active: WLRequest?
        var waiting: [WLRequest] = []
    }

    let name: String
    private let state = Locked(State())

    init(name: String) { self.name = name }

    var active: WLRequest? { state.withLock { $0.active } }
    var waiting: [WLRequest] { state.withLock { $0.waiting } }

    /// True where the handler was free and is to be called; otherwise the request waits until it is released.
    func take(_ request: WLRequest) -> Bool {
        state.withLock { state in
            if state.active == nil {
                state.active = request
                return true
            }
            state.waiting.append(request)
            return false
        }
    }

    /// The active request has what it waited for; nil takes the challenge back. False where there is none.
    func answer(with answer: JSONValue?) -> Bool {
        guard let request = freed() else { return false }
        if let answer { request.answer(name, with: answer) } else { request.drop(name) }
        return true
    }

    /// The active request and those that wait end so. False where there was no active one.
    func giveUp(_ error: any Error) -> Bool {
        let request = freed()
        request?.fail(error)
        clear(error)
        return request != nil
    }

    /// Those that wait are sent again.
    func release() {
        for request in drained() { request.drop(name) }
    }

    /// Those that wait end so.
    func clear(_ error: any Error) {
        for request in drained() { request.fail(error) }
    }

    /// A request is over: its handler is free, and no caller waits for it any longer.
    func end(_ request: WLRequest) {
        let wasActive = state.withLock { state in
            state.waiting.removeAll { $0 === request }
            guard state.active === request else { return false }
            state.active = nil
            return true
        }
        if wasActive { release() }
    }

    private func freed() -> WLRequest? {
        state.withLock { state in
            defer { state.active = nil }
            return state.active
        }
    }

    private func drained() -> [WLRequest] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
