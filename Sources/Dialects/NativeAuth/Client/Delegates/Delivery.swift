import Foundation

/// The outcomes of a step, and their delivery to a delegate.
protocol Outcome: Sendable {
    associatedtype Delegate
    @MainActor func deliver(to delegate: Delegate, _ correlationID: UUID)
}

/// Runs a step and tells its delegate on the main actor. The delegate is kept until then.
func answer<Step: Outcome>(
    _ delegate: Step.Delegate, _ correlationID: UUID, with step: @escaping @Sendable () async -> Step
) {
    let carried = CarriedDelegate(delegate: delegate)
    Task {
        let outcome = await step()
        await MainActor.run { outcome.deliver(to: carried.delegate, correlationID) }
    }
}

/// A delegate on its way to the main actor.
private struct CarriedDelegate<Delegate>: @unchecked Sendable {
    // Proof: the reference is only carried; it is used on the main actor alone, by methods that belong there.
    let delegate: Delegate
}

/// Calls an optional method, or reports that it is missing.
@MainActor
struct OptionalCall {
    let correlationID: UUID
    let report: (Failure) -> Void

    init(_ correlationID: UUID, orElse report: @escaping (Failure) -> Void) {
        self.correlationID = correlationID
        self.report = report
    }

    func callAsFunction(_ name: String, _ method: () -> Void) {
        guard !OptionalMethod.call(method) else { return }
        Log.write(.error, correlationID, "The delegate lacks \(word: name).")
        report(
            Failure(.general, text: ErrorText.missingMethod(name), correlationID, cause: .missingMethod(name)))
    }
}
