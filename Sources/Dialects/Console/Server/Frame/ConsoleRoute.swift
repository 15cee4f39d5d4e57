import AdminServer
import CountersignCore
import Hummingbird
import WebPages

/// A page of the console: where it is, what it takes to see it, and what it does.
struct ConsoleRoute: Sendable {
    typealias Answer = @Sendable (inout ConsoleScene) async throws -> Response

    /// Below `/console`, without a slash at its beginning: `users/{user}`. Parts in braces name objects.
    let path: String
    /// What the role needs; nil where every role sees the page.
    let right: AdministrationRight?
    let section: ConsoleSection?
    /// Whether the section's entry of the menu leads to it.
    let isEntry: Bool
    /// Bytes that its form may have.
    let bodyLimit: Int
    /// Bytes that its form may have where it brings no file: what a file brought is longer where a form carries it.
    let plainLimit: Int
    /// Whether the form may bring files.
    let takesFiles: Bool
    /// Whether it is a file that the browser keeps, and no page.
    let isFile: Bool
    /// Whether a form of it may do what it does as often as it is sent, since that changes nothing; nil where each acts once.
    let repeats: (@Sendable (ConsoleScene) -> Bool)?
    let show: Answer
    /// What its form does; nil where it has none.
    let take: Answer?

    var fullPath: String { path.isEmpty ? "console" : "console/" + path }
    /// Whether the page is about one thing, which without the right looks as if it did not exist.
    var isOfObject: Bool { path.contains("{") }

    private init(
        _ path: String, right: AdministrationRight?, in section: ConsoleSection?, isEntry: Bool, bodyLimit: Int,
        plainLimit: Int? = nil, takesFiles: Bool = false, isFile: Bool = false,
        repeats: (@Sendable (ConsoleScene) -> Bool)? = nil,
        show: @escaping Answer, take: Answer?
    ) {
        self.path = path
        self.right = right
        self.section = section
        self.isEntry = isEntry
        self.bodyLimit = bodyLimit
        self.plainLimit = plainLimit ?? bodyLimit
        self.takesFiles = takesFiles
        self.isFile = isFile
        self.repeats = repeats
        self.show = show
        self.take = take
    }

    /// A page that shows something.
    static func page(
        _ path: String, right: AdministrationRight?, in section: ConsoleSection, isEntry: Bool = false,
        _ show: @escaping @Sendable (inout ConsoleScene) async throws -> Page
    ) -> ConsoleRoute {
        ConsoleRoute(
            path, right: right, in: section, isEntry: isEntry, bodyLimit: 0,
            show: { scene in
                let page = try await show(&scene)
                return scene.answer(page, status: page.problem == nil ? .ok : .unprocessableContent)
            }, take: nil)
    }

    /// A page that shows what an operation answers.
    static func page(
        _ path: String, of operation: (some AdministrationOperation).Type, in section: ConsoleSection,
        isEntry: Bool = false, _ show: @escaping @Sendable (inout ConsoleScene) async throws -> Page
    ) -> ConsoleRoute {
        page(path, right: operation.right, in: section, isEntry: isEntry, show)
    }

    /// What a browser keeps as a file.
    static func download(
        _ path: String, of operation: (some AdministrationOperation).Type, in section: ConsoleSection,
        _ make: @escaping @Sendable (inout ConsoleScene) async throws -> ConsoleDownload
    ) -> ConsoleRoute {
        ConsoleRoute(
            path, right: operation.right, in: section, isEntry: false, bodyLimit: 0, isFile: true,
            show: { scene in
                let download = try await make(&scene)
                return scene.answer(download)
            }, take: nil)
    }

    /// A page that asks, and then does an operation once: the form that did it does nothing when it is sent again.
    /// - Parameters:
    ///   - ask: what the page says before it is done.
    ///   - make: the operation of the path and of what the form says. It is made for the question too, for the command
    ///     that does the same; what it needs and the form does not say yet has a placeholder there (`ConsoleScene.typed`).
    ///   - takesFiles: whether the form may bring files (``ConsoleScene/files``).
    ///   - plainLimit: bytes of a form without files; nil: as of one with some.
    ///   - repeats: whether the form changes nothing, and may be sent again; nil: none does.
    ///   - asksFirst: whether a form only says what is to be asked about, as an address could not hold it. Then nothing is done.
    ///   - review: what would change, where that is shown before it is done: the first form shows it, and what is shown there does it.
    ///   - asSeen: the operation without what is only said where it is shown.
    ///   - before: looks at what the form says beside the operation, and throws where that is wrong.
    ///   - done: where it leads.
    static func action<Operation: AdministrationOperation>(
        _ path: String, _ operation: Operation.Type, in section: ConsoleSection, takesFiles: Bool = false,
        plainLimit: Int? = nil, repeats: (@Sendable (ConsoleScene) -> Bool)? = nil,
        asksFirst: @escaping @Sendable (ConsoleScene) -> Bool = { _ in false },
        ask: @escaping @Sendable (ConsoleScene) async throws -> ConsoleQuestion,
        make: @escaping @Sendable (ConsoleScene) async throws -> Operation,
        review: (@Sendable (ConsoleScene, Operation) async throws -> ConsoleReview)? = nil,
        asSeen: @escaping @Sendable (Operation) -> Operation = { $0 },
        before: @escaping @Sendable (ConsoleScene, Operation) async throws -> Void = { _, _ in },
        done: @escaping @Sendable (ConsoleScene, Operation.Answer) async throws -> ConsoleOutcome
    ) -> ConsoleRoute {
        ConsoleRoute(
            path, right: operation.right, in: section, isEntry: false, bodyLimit: max(Operation.bodyLimit, 65_536),
            plainLimit: plainLimit, takesFiles: takesFiles, repeats: repeats,
            show: { scene in
                let question = try await ask(scene)
                return scene.answer(scene.page(of: question, for: try? await make(scene)))
            },
            take: { scene in
                if asksFirst(scene) || review != nil && scene.field(ConsoleScene.againButton) != nil {
                    let question = try await ask(scene).withoutProblem
                    return scene.answer(scene.page(of: question, for: try? await make(scene)))
                }
                let outcome: ConsoleOutcome
                do {
                    let operation = try await make(scene)
                    try await before(scene, operation)
                    if let review {
                        let mark = try scene.seen(asSeen(operation), at: scene.path)
                        // What was shown is what is done now, or nothing is.
                        if !scene.brings(mark) {
                            let found = try await review(scene, operation)
                            let question = try await ask(scene).withoutProblem
                            guard !found.isEmpty else {
                                return try scene.lead(
                                    .lead(to: question.back ?? "/console", notice: "consoleDoneNothing"))
                            }
                            let page = scene.page(of: found, question, for: operation, mark)
                            return scene.answer(page, status: page.problem == nil ? .ok : .unprocessableContent)
                        }
                    }
                    guard let answer = try await scene.performOnce(operation) else {
                        return scene.answer(scene.sentBefore(try? await ask(scene)), status: .conflict)
                    }
                    outcome = try await done(scene, answer)
                } catch {
                    // What the form names may be missing; what the path names is missing to the question too.
                    let missing = (error as? AdministrationError).flatMap { $0.code == .notFound ? $0 : nil }
                    guard let problem = scene.problem(ofForm: error) ?? missing.map(scene.problem) else { throw error }
                    let question = try await ask(scene)
                    var page = scene.page(of: question, for: try? await make(scene))
                    page.problem = problem
                    return scene.answer(page, status: .unprocessableContent)
                }
                return try scene.lead(outcome)
            })
    }

    /// What `/console` has nothing at.
    static let unknown = ConsoleRoute(
        "**", right: nil, in: nil, isEntry: false, bodyLimit: 0,
        show: { $0.answer($0.notFound(), status: .notFound) }, take: nil)
}

/// A file of the console.
struct ConsoleDownload: Sendable {
    var name: String
    /// The media type.
    var type: String
    var bytes: [UInt8]
}

/// Where a change leads.
enum ConsoleOutcome: Sendable {
    /// - Parameters:
    ///   - notice: the key of what the page says; it begins with `consoleDone`.
    ///   - secret: what the page shows once (``ConsoleScene/secretBlocks(_:)``); at most 256 bytes.
    case lead(to: String, notice: String, secret: Secret<String>? = nil)
    /// Nowhere: the browser keeps a file.
    case file(ConsoleDownload)
    /// To a page that says what came of a job (``ConsoleScene/result(_:)``).
    case result(at: String, any Codable & Sendable)
}

extension AdministrationError {
    /// Whether another form could be right.
    var isAboutForm: Bool {
        switch code {
        case .invalid, .conflict, .refused: true
        default: false
        }
    }
}
