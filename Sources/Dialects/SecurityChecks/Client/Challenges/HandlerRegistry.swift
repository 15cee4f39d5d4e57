import ClientHTTP

/// The app's handlers, by name: a later one of the same name takes the place of an earlier one.
final class HandlerRegistry: Sendable {
    private struct State: Sendable {
        var checks: [String: HandlerReference<SecurityCheckChallengeHandler>] = [:]
        var gateways: [HandlerReference<GatewayChallengeHandler>] = []
        var others: [String: HandlerReference<BaseChallengeHandler>] = [:]
    }

    private let state = Locked(State())

    func register(_ handler: BaseChallengeHandler) {
        if let check = handler as? SecurityCheckChallengeHandler {
            let reference = HandlerReference(check)
            state.withLock { $0.checks[reference.slot.name] = reference }
        } else if let gateway = handler as? GatewayChallengeHandler {
            let reference = HandlerReference(gateway)
            state.withLock { state in
                state.gateways.removeAll { $0.slot.name == reference.slot.name }
                state.gateways.append(reference)
            }
        } else {
            let reference = HandlerReference(handler)
            state.withLock { $0.others[reference.slot.name] = reference }
        }
    }

    func check(_ name: String) -> HandlerReference<SecurityCheckChallengeHandler>? {
        state.withLock { $0.checks[name] }
    }

    var gateways: [HandlerReference<GatewayChallengeHandler>] { state.withLock { $0.gateways } }

    func handler(named name: String) -> BaseChallengeHandler? {
        let found = state.current
        return found.checks[name]?.handler ?? found.gateways.first { $0.slot.name == name }?.handler
            ?? found.others[name]?.handler
    }
}
