import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire

/// Sends a request of the framework until no check challenges any more: hands challenges to the handlers, gathers the
/// answers of all, and sends them together. Source: MobileFirst's web SDK.
struct ChallengeEngine: Sendable {
    typealias Send = @Sendable (_ answers: [String: JSONValue]) async throws -> HTTPClientResponse

    let handlers: HandlerRegistry
    let queue: CallbackQueue
    /// Told what each success says, before handlers are.
    let whenSucceeded: @Sendable (_ check: String, _ success: JSONValue) -> Void

    /// How often a request is sent again that the framework answered by itself.
    private static let maximumSilentRounds = 10

    /// - Parameter answers: what the first request has already.
    /// - Returns: the answer that asks for nothing, be it a success or a refusal that is no check's.
    /// - Throws: ``WLError`` where a check refuses, a handler is missing or cancels, or the answer cannot be read.
    func run(answers: [String: JSONValue] = [:], _ send: Send) async throws -> HTTPClientResponse {
        let request = WLRequest()
        var touched: [HandlerSlot] = []
        defer { for slot in touched { slot.end(request) } }
        var answers = answers
        var conflicts = 0
        var silentRounds = 0
        while true {
            let response = try await send(answers)
            if let gateway = try await passGateways(response, request) {
                touched.append(gateway)
                continue
            }
            switch FrameworkVerdict(response) {
            case .conflict where conflicts < ProtocolLimits.conflictRepeats: conflicts += 1
            case .conflict, .other: return response
            case .malformed(let what): throw WLError.malformed(what, response)
            case .granted(let successes):
                await tell(successes: successes)
                return response
            case .refused(let failures): throw await tell(failures: failures, of: response)
            case .challenged(let challenges, let successes):
                await tell(successes: successes)
                answers = Self.ownAnswers(challenges)
                let asked = try references(for: challenges.keys.filter { answers[$0] == nil })
                silentRounds = asked.isEmpty ? silentRounds + 1 : 0
                guard silentRounds <= Self.maximumSilentRounds else {
                    throw WLError.malformed("it asks for the same again and again", response)
                }
                touched += asked.map(\.slot)
                answers.merge(try await ask(asked, challenges, request)) { own, _ in own }
            }
        }
    }

    /// Asks the handlers, and waits until all have answered.
    private func ask(
        _ asked: [HandlerReference<SecurityCheckChallengeHandler>], _ challenges: [String: JSONValue],
        _ request: WLRequest
    ) async throws -> [String: JSONValue] {
        guard !asked.isEmpty else { return [:] }
        request.begin(expecting: Set(asked.map(\.slot.name)))
        for reference in asked where reference.slot.take(request) {
            let challenge = challenges[reference.slot.name] ?? .null
            await queue.run { reference.handler.handleChallenge(challenge.handlerDictionary) }
        }
        return try await request.answers()
    }

    /// Either all checks have handlers, or none is called.
    private func references(
        for names: some Sequence<String>
    ) throws -> [HandlerReference<SecurityCheckChallengeHandler>] {
        try names.sorted().map { name in
            guard let reference = handlers.check(name) else {
                throw WLError(
                    .missingChallengeHandler,
                    "The security check \(name) asks, and no challenge handler is registered for it.")
            }
            return reference
        }
    }

    private func tell(successes: [String: JSONValue]) async {
        for (name, success) in successes.sorted(by: { $0.key < $1.key }) {
            whenSucceeded(name, success)
            guard let reference = handlers.check(name) else { continue }
            await queue.run { reference.handler.handleSuccess(success.handlerDictionary) }
            reference.slot.release()
        }
    }

    private func tell(failures: [String: JSONValue], of response: HTTPClientResponse) async -> WLError {
        let sorted = failures.sorted { $0.key < $1.key }
        let isDisabled = failures[ReservedCheck.remoteDisable] != nil
        let text = sorted.compactMap { ($0.value["failure"] ?? $0.value["message"])?.stringValue }.first
        let error = WLError(
            isDisabled ? .applicationDisabled : .authorizationFailure,
            text ?? "Security checks refuse: " + sorted.map(\.key).joined(separator: ", ") + ".",
            response: WLResponse(response))
        for (name, failure) in sorted {
            guard let reference = handlers.check(name) else { continue }
            await queue.run { reference.handler.handleFailure(failure.handlerDictionary) }
            reference.slot.clear(error)
        }
        return error
    }

    /// What the framework answers by itself. Source: MobileFirst Foundation, Authentication and security.
    private static func ownAnswers(_ challenges: [String: JSONValue]) -> [String: JSONValue] {
        var answers: [String: JSONValue] = [:]
        if let id = challenges[ReservedCheck.registrationClientID]?["clientID"] {
            answers[ReservedCheck.registrationClientID] = .object(["response": id])
        }
        if let notification = challenges[ReservedCheck.remoteDisable], let id = notification["messageId"] {
            notice("A message of the server: \(notification["message"]?.stringValue ?? "")")
            answers[ReservedCheck.remoteDisable] = .object(["messageId": id])
        }
        return answers
    }
}

// Gateways stand before the server and know no challenges: every answer may be theirs.
extension ChallengeEngine {
    /// Lets the first gateway's handler that knows the answer deal with it. Returns when the request is to be sent
    /// again; nil where no handler takes the answer.
    func passGateways(_ response: HTTPClientResponse, _ request: WLRequest) async throws -> HandlerSlot? {
        let answer = WLResponse(response)
        for reference in handlers.gateways {
            guard await queue.run({ reference.handler.canHandleResponse(answer) }) else { continue }
            request.begin(expecting: [reference.slot.name])
            if reference.slot.take(request) {
                await queue.run { reference.handler.handleChallenge(answer) }
            }
            do {
                _ = try await request.answers()
            } catch {
                reference.slot.end(request)
                throw error
            }
            return reference.slot
        }
        return nil
    }
}
