import AuthenticatorBook
import Foundation
import Synchronization

/// A user at the terminal answers requests as they arrive.
struct WatchSession: Sendable {
    private let book: AccountBook
    private let accounts: [Account]

    init(_ book: AccountBook, _ accounts: [Account]) {
        self.book = book
        self.accounts = accounts
    }

    /// Requests that have arrived and were not shown yet.
    private final class Inbox: Sendable {
        private let events = Mutex<[WatchEvent]>([])
        private let ended = Mutex(false)

        func put(_ event: WatchEvent) { events.withLock { $0.append(event) } }
        func end() { ended.withLock { $0 = true } }
        var hasEnded: Bool { ended.withLock { $0 } }

        func take() -> [WatchEvent] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    /// Until the user presses q, or no account is left to watch.
    func run() async throws {
        let inbox = Inbox()
        let watching = Task { [book, accounts] in
            for await event in book.requests(of: accounts) { inbox.put(event) }
            inbox.end()
        }
        defer { watching.cancel() }
        let terminal = try KeyTerminal(usesOwnScreen: false)
        try await terminal.whileReadingKeys { try await loop(terminal, inbox) }
    }

    private func loop(_ terminal: KeyTerminal, _ inbox: Inbox) async throws {
        var waiting: [SignInRequest] = []
        var shown: SignInRequest.ID?
        var shownConsents: Set<SignInRequest.ID> = []
        while true {
            let hasEnded = inbox.hasEnded
            for event in inbox.take() {
                switch event {
                case .request(let request): waiting.append(request)
                case .ended(let account, let failure):
                    say(terminal, "\(account.label.printable) is no longer watched: \(failure.description.printable)")
                }
            }
            let now = Date()
            for request in waiting where request.expiresAt <= now {
                say(terminal, "The request [\(request.id)] was not answered in time.")
            }
            waiting.removeAll { $0.expiresAt <= now }
            guard let request = waiting.first else {
                guard !hasEnded else { throw CommandFailure(.refused, "No account is left to watch.") }
                shown = nil
                terminal.drawLine(
                    "Watching \(accounts.count == 1 ? "1 account" : "\(accounts.count) accounts"). q ends")
                if Self.ends(await terminal.key(within: .milliseconds(250))) { break }
                continue
            }
            if shown != request.id {
                terminal.drawLine("")
                request.lines(now: now).forEach { Terminal.print($0) }
                shown = request.id
            }
            let more = waiting.count > 1 ? "  (\(waiting.count - 1) more)" : ""
            // Nothing is allowed that was not shown.
            let isUnseen = request.asksForConsent && !shownConsents.contains(request.id)
            terminal.drawLine(
                "  \(request.countdown(at: now))  \(isUnseen ? "[s]how" : "[a]llow")  [d]eny  [n]ot me  [l]ater  [q]uit\(more)"
            )
            guard let key = await terminal.key(within: .milliseconds(250)) else { continue }
            if Self.ends(key) { break }
            if key == .character("l") {
                waiting.append(waiting.removeFirst())
                if waiting.count > 1 { shown = nil }
                continue
            }
            terminal.drawLine("")
            if isUnseen, [.character("s"), .character("S"), .character("a"), .character("A")].contains(key) {
                if await showConsent(request, terminal) { shownConsents.insert(request.id) }
                continue
            }
            guard let decision = try await decision(key, request, terminal) else {
                shown = nil
                continue
            }
            if await answer(request, decision, terminal) { waiting.removeFirst() }
            shown = nil
        }
        terminal.drawLine("")
    }

    private static func ends(_ key: KeyTerminal.Key?) -> Bool {
        [.character("q"), .character("Q"), .end].contains(key)
    }

    /// Nil where the key means nothing, or the user cancelled.
    private func decision(
        _ key: KeyTerminal.Key, _ request: SignInRequest, _ terminal: KeyTerminal
    ) async throws -> Decision? {
        switch key {
        case .character("a"), .character("A"):
            guard let length = request.numberLength else { return .allow(number: nil) }
            guard let number = await terminal.line("The number on the screen (\(length) digits): "), !number.isEmpty
            else { return nil }
            return .allow(number: number)
        case .character("d"), .character("D"):
            guard let reason = await terminal.line("Reason, for the log (may be empty): ") else { return nil }
            return .deny(reason: String(reason.prefix(AccountBook.reasonLimit / 4)))
        case .character("n"), .character("N"): return .notMe
        default: return nil
        }
    }

    /// - Returns: whether it was shown.
    private func showConsent(_ request: SignInRequest, _ terminal: KeyTerminal) async -> Bool {
        do {
            let consent = try await terminal.whileAsking { try await book.consent(for: request) }
            consent?.lines.forEach { Terminal.print($0) }
            return true
        } catch {
            say(terminal, ((error as? DeviceFailure)?.description ?? "\(error)").printable)
            return false
        }
    }

    /// - Returns: whether the request is over.
    private func answer(_ request: SignInRequest, _ decision: Decision, _ terminal: KeyTerminal) async -> Bool {
        do {
            // The terminal is the passcode's meanwhile.
            try await terminal.whileAsking { try await book.answer(request, decision) }
            say(terminal, DecisionAnswer.sentence(request, decision))
            return true
        } catch {
            let failure = error as? DeviceFailure
            say(terminal, (failure?.description ?? "\(error)").printable)
            return failure?.kind == .gone
        }
    }

    private func say(_ terminal: KeyTerminal, _ text: String) {
        terminal.drawLine("")
        Terminal.print(text)
    }
}
