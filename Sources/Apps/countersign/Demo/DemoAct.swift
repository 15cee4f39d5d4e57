/// A part of the demonstration, step by step.
protocol DemoAct: Sendable {
    /// What programs that read the steps know it by.
    static var name: String { get }
    var stage: DemoStage { get }
    var narrator: DemoNarrator { get }

    func play() async throws
}

extension DemoAct {
    /// See ``DemoNarrator/step(_:act:tell:_:)``.
    @discardableResult
    func step<T>(
        _ title: String, tell: (T) -> String = { _ in "" }, _ body: () async throws -> T
    ) async throws -> T {
        try await narrator.step(title, act: Self.name, tell: tell, body)
    }

    func expect(_ condition: Bool, _ otherwise: String) throws {
        if !condition { throw DemoNarrator.Disappointment(description: otherwise) }
    }
}
