import Foundation
import IBMMobileFoundationSwift

/// The fourth act: a balance that a security check guards. The app registers one challenge handler and makes an ordinary
/// request; the PIN is asked for, three wrong ones block, and after a minute the right one shows the balance. Written
/// against the client SDK, as an app would be.
struct ScopeAct: DemoAct {
    let stage: DemoStage
    let narrator: DemoNarrator

    static let name = "scope"
    private static let check = "PinCodeAttempts"
    /// What the server has under `--dev`.
    private static let application = "com.countersign.dev"
    private static let pin = "1234"

    func play() async throws {
        narrator.act("Act four: a balance behind a PIN")
        let client = WLClientSwift.sharedInstance()
        client.setServerUrl(url: stage.url)
        client.setApplication(id: Self.application, version: "1.0.0")
        let person = PersonAtPINPad(securityCheck: Self.check)
        client.registerChallengeHandler(challengeHandler: person)

        try await block(person)
        try await pay(person)
        try await logOut(person)
    }

    /// An ordinary request of the app.
    private func balance() async throws -> String {
        guard let path = URL(string: "/adapters/ResourceAdapter/balance") else { return "" }
        let request = WLResourceRequestSwift(url: path, method: WLResourceRequestSwift.WLHttpMethodGet)
        return try await request.send().responseText
    }

    private func block(_ person: PersonAtPINPad) async throws {
        try await step(
            "Mary asks for her balance, and types a wrong PIN three times",
            tell: { (challenges: [String]) in challenges.joined(separator: " ") }
        ) {
            person.types(["1111", "2222", "3333"])
            do {
                let balance = try await balance()
                throw DemoNarrator.Disappointment(description: "A wrong PIN showed the balance: \(balance)")
            } catch is WLError {
                let seen = person.challenges()
                try expect(seen.count == 3, "The PIN was asked for \(seen.count) times and not three.")
                return seen
            }
        }
        try await step("Blocked: the right PIN is not even asked for", tell: { (error: String) in "“\(error)”" }) {
            person.types([Self.pin])
            do {
                let balance = try await balance()
                throw DemoNarrator.Disappointment(description: "The balance was shown: \(balance)")
            } catch let error as WLError {
                try expect(person.challenges().isEmpty, "The PIN was asked for.")
                return error.message
            }
        }
    }

    private func pay(_ person: PersonAtPINPad) async throws {
        try await stage.advanceClock(seconds: 61)
        try await step("A minute later the right PIN shows it", tell: { (balance: String) in "balance \(balance)" }) {
            person.types([Self.pin])
            let balance = try await balance()
            try expect(person.challenges().count == 1, "The PIN was not asked for once.")
            return balance
        }
        try await step("The next request needs no PIN", tell: { (balance: String) in "balance \(balance)" }) {
            let balance = try await balance()
            try expect(person.challenges().isEmpty, "The PIN was asked for again.")
            return balance
        }
    }

    private func logOut(_ person: PersonAtPINPad) async throws {
        try await step("After a logout the PIN is asked for again") {
            try await WLAuthorizationManagerSwift.sharedInstance().logout(securityCheck: Self.check)
            person.types([Self.pin])
            _ = try await balance()
            try expect(person.challenges().count == 1, "The PIN was not asked for.")
        }
    }
}
