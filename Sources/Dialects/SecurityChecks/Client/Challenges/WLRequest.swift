import ClientHTTP
import Foundation
import JSON

/// A request of the framework that waits until its challenges are answered: what a handler's `activeRequest` is.
public final class WLRequest: NSObject, Sendable {
    private struct State {
        var round = ChallengeRound(expecting: [])
        var promise = Promise<[String: JSONValue]>()
    }

    private let state = Locked(State())

    /// Begins with the challenges of another answer.
    func begin(expecting names: Set<String>) {
        change { state in
            state = State(round: ChallengeRound(expecting: names))
        }
    }

    func answer(_ name: String, with answer: JSONValue) { change { $0.round.answer(name, with: answer) } }
    func drop(_ name: String) { change { $0.round.drop(name) } }
    func fail(_ error: any Error) { change { $0.round.fail(error) } }

    /// Waits for the end of the round: the answers, or what ended it.
    func answers() async throws -> [String: JSONValue] { try await state.current.promise.value() }

    private func change(_ body: (inout State) -> Void) {
        let (outcome, promise) = state.withLock { state in
            body(&state)
            return (state.round.outcome, state.promise)
        }
        switch outcome {
        case .resend(let answers)?: promise.fulfil(.success(answers))
        case .failed(let error)?: promise.fulfil(.failure(error))
        case nil: break
        }
    }
}
