import Foundation
import Guardian
import KeychainTypes
import Testing

@testable import AuthenticatorBook
@testable import countersign

#if !canImport(Security)
    import SecretVault
#endif

/// What the authenticator draws, without a terminal.
@Suite struct AuthenticatorScreenTests {
    private struct Program: Guardian.Browser, Guardian.OS {
        let name: String
        let version: String?
    }

    private struct From: Guardian.Source {
        let os: (any Guardian.OS)?
        let browser: (any Guardian.Browser)?
    }

    private struct Place: Guardian.Location {
        let name: String?
        let latitude: Double?
        let longitude: Double?
    }

    private struct Push: Guardian.Notification {
        var domain = "https://s.example"
        var enrollmentId = "dev_1"
        var transactionToken = "token"
        var transactionLinkingId: String?
        var challenge = "challenge"
        var source: (any Guardian.Source)?
        var location: (any Guardian.Location)?
        var startedAt = Date(timeIntervalSince1970: 1_767_225_600)
        var numberLength: Int?
    }

    private let account = Account(
        id: "0a1b2c3d", issuer: "Shop", name: "ada", codes: nil, device: nil, asksEachTime: false,
        addedAt: Date(timeIntervalSince1970: 0))
    private let newYear = Date(timeIntervalSince1970: 1_767_225_600)
    private let utc = TimeZone.gmt

    @Test func `A request says who from where and when`() {
        let push = Push(
            source: From(os: Program(name: "Linux", version: nil), browser: Program(name: "Firefox", version: "128.0")),
            location: Place(name: "Palermo", latitude: 38.1157, longitude: 13.3615), numberLength: 2)
        let request = SignInRequest(push, of: account, receivedAt: newYear + 4)
        #expect(
            request.lines(now: newYear + 4, in: utc) == [
                "Sign-in to Shop (ada) [\(request.id)]",
                "  browser  Firefox 128.0 on Linux",
                "  place    Palermo (38.12, 13.36)",
                "  time     2026-01-01 00:00:00, 4 s ago",
                "  number   the screen shows one of 2 digits",
            ])
        #expect(request.id.wholeMatch(of: /[0-9a-f]{8}/) != nil)
        #expect(request.countdown(at: newYear + 4) == "4:56")
        #expect(request.countdown(at: newYear + 400) == "0:00")
        #expect(SignInRequest(push, of: account, receivedAt: newYear + 60).id == request.id)
    }

    @Test func `What is not known is a dash`() {
        let lines = SignInRequest(Push(), of: account, receivedAt: newYear).lines(now: newYear + 300, in: utc)
        #expect(lines[1...] == ["  browser  -", "  place    -", "  time     2026-01-01 00:00:00, 5 min ago"])
    }

    /// A clock that differs neither hides a request nor keeps one for ever.
    @Test(arguments: [-86_400.0, -301, -300, 0, 10, 86_400])
    func `A request waits for five minutes at most`(offset: TimeInterval) {
        let request = SignInRequest(
            Push(startedAt: newYear + offset), of: account, receivedAt: newYear)
        let left = request.expiresAt.timeIntervalSince(newYear)
        #expect(left > 0 && left <= 300)
    }

    /// Names come from the client that signs in. They must not control the terminal, or look like a line of the
    /// program.
    @Test func `Strangers steer no terminal`() {
        let evil = "\u{1B}[2J\u{1B}]0;x\u{7}\r\n  place    home\u{202E}\u{85}\u{2028}\u{9B}2J"
        let push = Push(
            source: From(os: Program(name: evil, version: evil), browser: Program(name: evil, version: evil)),
            location: Place(name: evil, latitude: .nan, longitude: .infinity))
        let shop = Account(
            id: "0a1b2c3d", issuer: evil, name: evil, codes: nil, device: nil, asksEachTime: false, addedAt: newYear)
        let request = SignInRequest(push, of: shop, receivedAt: newYear)
        let lines = request.lines(now: newYear, in: utc) + [DecisionAnswer.sentence(request, .deny(reason: evil))]
        #expect(lines.count == 5)
        for line in lines {
            for scalar in line.unicodeScalars {
                #expect(scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl)
                #expect(![.lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory))
            }
        }
    }

    @Test func `Codes fit the screen`() {
        let many = (0..<50).map { index in
            CodesScreen.Row.named(
                Account(
                    id: "0000000\(index % 10)", issuer: String(repeating: "long ", count: 30), name: "\(index)",
                    codes: nil,
                    device: nil, asksEachTime: true, addedAt: newYear))
        }
        let lines = CodesScreen(rows: many).lines(at: newYear, size: (rows: 10, columns: 80))
        #expect(lines.count == 10)
        #expect(lines.allSatisfy { $0.count < 80 })
        #expect(lines[7].contains("and 43 more"))
        #expect(CodesScreen.grouped("123456") == "123 456")
        #expect(CodesScreen.grouped("1234567") == "123 4567")
        #expect(CodesScreen.grouped("12345678") == "1234 5678")
    }
}

#if !canImport(Security)
    @Suite struct AnsweredOnceTests {
        /// The passcode that opens the vault opens the first item of a command, and nothing after that.
        @Test func `One answer is used twice at most`() throws {
            let script = ScriptedPresence(["first", "second", "third"])
            let presence = AnsweredOnce(script)
            func ask(_ kind: PresenceRequest.Kind, wrong: Int? = nil) throws -> String {
                try presence.credential(
                    for: PresenceRequest(kind: kind, reason: nil, application: "a", triesLeftAfterWrongAnswer: wrong)
                ).withBytes { String(decoding: $0, as: UTF8.self) }
            }
            #expect(try ask(.unlock) == "first")
            #expect(try ask(.passcode) == "first")
            #expect(try ask(.passcode) == "second")
            #expect(try ask(.passcode) == "third")
            #expect(script.requests.count == 3)
        }

        @Test func `A wrong answer is not used again`() throws {
            let script = ScriptedPresence(["wrong", "right"])
            let presence = AnsweredOnce(script)
            let unlock = PresenceRequest(kind: .unlock, reason: nil, application: "a")
            _ = try presence.credential(for: unlock)
            let again = try presence.credential(
                for: PresenceRequest(kind: .unlock, reason: nil, application: "a", triesLeftAfterWrongAnswer: 1))
            #expect(again.withBytes { String(decoding: $0, as: UTF8.self) } == "right")
            let item = try presence.credential(for: PresenceRequest(kind: .passcode, reason: nil, application: "a"))
            #expect(item.withBytes { String(decoding: $0, as: UTF8.self) } == "right")
            #expect(script.requests.count == 2)
        }
    }
#endif
