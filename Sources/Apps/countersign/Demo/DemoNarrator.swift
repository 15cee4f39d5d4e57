import Foundation
import Synchronization

/// Tells the story of a demonstration, step by step, and remembers whether every step did what it says.
///
/// A step that fails ends the story: what follows stands on it.
struct DemoNarrator: Sendable {
    /// Where lines go; standard output as a rule.
    private let output: @Sendable (String) throws -> Void
    private let failure = Failure()
    /// One JSON object a step, for programs; no colours, no drawings.
    let asJSON: Bool
    /// Whether the terminal understands colours.
    let isColoured: Bool
    /// Waits until the user has read the screen; nil where the demonstration goes on by itself.
    private let waitForReader: (@Sendable () async -> Void)?

    init(
        asJSON: Bool, isColoured: Bool, waitForReader: (@Sendable () async -> Void)? = nil,
        output: @escaping @Sendable (String) throws -> Void
    ) {
        self.asJSON = asJSON
        self.isColoured = isColoured
        self.waitForReader = waitForReader
        self.output = output
    }

    /// Why lines cannot be written any more: the next step ends the story then.
    private final class Failure: Sendable {
        private let first = Mutex<(any Error)?>(nil)

        func note(_ error: any Error) { first.withLock { $0 = $0 ?? error } }
        func check() throws { if let error = first.withLock({ $0 }) { throw error } }
    }

    func write(_ line: String) {
        do {
            try output(line)
        } catch {
            failure.note(error)
        }
    }

    /// What was expected and did not happen.
    struct Disappointment: Error, CustomStringConvertible {
        let description: String
    }

    private struct Line: Encodable {
        let act: String
        let step: String
        let outcome: String
        let milliseconds: Int
    }

    func act(_ title: String) {
        guard !asJSON else { return }
        write("")
        write(bold(title))
    }

    /// Does the step, and says what came of it.
    /// - Parameter body: answers what is worth telling; throws where the step did not do what it says.
    func step<T>(
        _ title: String, act: String, tell: (T) -> String = { _ in "" }, _ body: () async throws -> T
    ) async throws -> T {
        try failure.check()
        let start = ContinuousClock.now
        do {
            let result = try await body()
            let outcome = tell(result)
            try report(Line(act: act, step: title, outcome: outcome, milliseconds: Self.milliseconds(since: start)))
            if !asJSON { write("  \(green("✓")) \(title)\(outcome.isEmpty ? "" : dim(" – \(outcome)"))") }
            try failure.check()
            return result
        } catch let error as OutputFailure {
            throw error
        } catch {
            try report(
                Line(act: act, step: title, outcome: "failed: \(error)", milliseconds: Self.milliseconds(since: start)))
            if !asJSON { write("  \(red("✗")) \(title)\n      \(error)") }
            throw error
        }
    }

    /// An indented block of output.
    func show(_ text: String) {
        guard !asJSON else { return }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { write("    \(line)") }
    }

    /// Something that the next step takes away: waits for Return, with `--pause`.
    func pause(_ question: String) async {
        guard let waitForReader else { return }
        write("    \(bold(question))")
        await waitForReader()
    }

    private func report(_ line: Line) throws {
        guard asJSON else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        write(String(decoding: try encoder.encode(line), as: UTF8.self))
    }

    private static func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }

    private func bold(_ text: String) -> String { paint(text, "1") }
    private func dim(_ text: String) -> String { paint(text, "2") }
    private func green(_ text: String) -> String { paint(text, "32") }
    private func red(_ text: String) -> String { paint(text, "31") }

    private func paint(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
