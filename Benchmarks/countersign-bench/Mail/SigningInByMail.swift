import CountersignCore
import CountersignServer
import Foundation
import NIOCore

/// Signs people in by codes that come by mail, from `initiate` to the tokens.
struct SigningInByMail: Script {
    private enum Step {
        case initiate, challenge, mail, token
    }

    static let application = ClientID(rawValue: "bench-mail")

    let people: Turns
    let mailboxes: Mailboxes
    private var person = Person(number: 0)
    private var step = Step.initiate
    private var token = ""

    init(people: Turns, mailboxes: Mailboxes) {
        self.people = people
        self.mailboxes = mailboxes
    }

    mutating func begin() -> ByteBuffer? {
        guard let number = people.next() else { return nil }
        person = Person(number: number)
        step = .initiate
        return request("initiate", "username=\(person.email)&challenge_type=oob redirect")
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        switch step {
        case .initiate:
            try answer.expect(200)
            token = try answer.text("continuation_token")
            step = .challenge
            return request("challenge", "continuation_token=\(token)&challenge_type=oob redirect")
        case .challenge:
            try answer.expect(200, containing: "\"oob\"")
            token = try answer.text("continuation_token")
            step = .mail
            return nil
        case .mail, .token:
            try answer.expect(200, containing: "\"access_token\"")
            return nil
        }
    }

    mutating func awaited(on loop: any EventLoop) -> EventLoopFuture<ByteBuffer>? {
        guard step == .mail else { return nil }
        step = .token
        let one = self
        return mailboxes.code(for: person.email, on: loop).map { code in
            one.request(
                "token",
                "continuation_token=\(one.token)&grant_type=oob&oob=\(code)&scope=openid profile offline_access")
        }
    }

    private func request(_ path: String, _ parameters: String) -> ByteBuffer {
        let form = "client_id=\(Self.application.rawValue)&\(parameters)"
            .replacingOccurrences(of: "@", with: "%40").replacingOccurrences(of: " ", with: "+")
        return RequestText.post(
            "/contoso.onmicrosoft.com/oauth2/v2.0/\(path)", form, type: "application/x-www-form-urlencoded",
            source: person.source)
    }

    /// Writes people who have an address and nothing else, and the application that mails them codes.
    static func prepare(_ numbers: Range<Int>, in realm: Realm) async throws {
        _ = try await realm.applications.add(
            id: application,
            ApplicationRegistration(displayName: "Codes by mail", challengeTypes: ["oob", "redirect"]),
            by: .commandLine)
        let now = realm.clock.now
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1000) {
            let part = (start..<min(numbers.upperBound, start + 1000)).map {
                (Person(number: $0), UserID(random: realm.random))
            }
            try await realm.store.write { transaction in
                for (person, id) in part {
                    _ = try transaction.insert(
                        User(
                            id: id, email: EmailAddress(person.email), profile: UserProfile(emailVerified: true),
                            createdAt: now))
                }
            }
        }
    }
}
