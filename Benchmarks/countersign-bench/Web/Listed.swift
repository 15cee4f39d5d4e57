import CountersignCore
import Foundation
import NIOCore

/// Many users with names, and one of them who administers: for the console's lists and searches.
enum Listed {
    /// The first person: with a password and an authenticator, an owner of the realm.
    static let owner = Person(number: 0)
    /// Users of a page, as the console shows them.
    static let pageLength = 50
    /// The page that lies far into a list.
    static let farPage = 1000
    /// Enough for the log's far page, and some more.
    private static let mostEvents = 60_000
    private static let application = ClientID(rawValue: "account")

    private static let givenNames = [
        "Ada", "Aiko", "Anna", "Berta", "Chen", "Dimitri", "Elif", "Fatima", "Grace", "Hanna", "Ivan", "Jürgen",
        "Kenji",
        "Lena", "Maria", "Noor", "Olga", "Pablo", "Rosa", "Søren",
    ]
    private static let familyNames = [
        "Abbott", "Bauer", "Costa", "Dubois", "Eriksen", "Fischer", "García", "Hopper", "Ito", "Jansen", "Kowalski",
        "Lovelace", "Müller", "Novák", "O'Brien", "Petrov", "Quinn", "Rossi", "Sato", "Turing", "Usman", "Vogel",
        "Weber", "Xu", "Yamada", "Zhang",
    ]

    /// Five hundred and twenty names, so that each is the name of many.
    static func name(_ number: Int) -> String {
        "\(givenNames[number % givenNames.count]) \(familyNames[number / givenNames.count % familyNames.count])"
    }

    /// Writes users straight into the store, and events into the log, and makes the first user an owner.
    /// - Returns: what the owner's browser has in its cookie.
    static func prepare(_ count: Int, in realm: Realm) async throws -> String {
        try await Person.add(0..<1, to: realm)
        let now = realm.clock.now
        for start in stride(from: 1, to: count, by: 5000) {
            // Random values are drawn before the transaction, which may run twice.
            let part = (start..<min(count, start + 5000)).map { number in
                // Each has a time of its own: two of 60,000 events of one microsecond often share an identifier.
                let time = now - Double(count - number)
                return (
                    Person(number: number), time, UserID(random: realm.random),
                    AuditEvent.freshID(at: time, random: realm.random)
                )
            }
            try await realm.store.write { transaction in
                for (person, time, id, event) in part {
                    _ = try transaction.insert(
                        User(
                            id: id, email: EmailAddress(person.email),
                            profile: UserProfile(
                                emailVerified: true, displayName: name(person.number), providers: ["password"]),
                            createdAt: time))
                    guard person.number < mostEvents else { continue }
                    try transaction.append(
                        AuditEvent(
                            id: event, at: time, kind: .userCreated, userID: id, context: .commandLine, details: [:]))
                }
            }
        }
        guard let address = EmailAddress(owner.email), let user = try await realm.accounts.user(email: address) else {
            throw OutOfPeople()
        }
        _ = try await realm.administrators.grant(.owner, to: user.id, by: .commandLine).get()
        return try await WebBrowsers.signIn(owner, realm, by: application)
    }

    /// A page of the console, as its owner's browser asks for it.
    static func request(_ path: String, cookie: String) -> ByteBuffer {
        ByteBuffer(
            string: "GET /console/\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: \(owner.source)\r\n"
                + "Sec-Fetch-Dest: document\r\nSec-Fetch-Site: same-origin\r\n"
                + "Cookie: __Host-cs_session=\(cookie); cs_session=\(cookie)\r\n\r\n")
    }
}

/// Different requests in turn, again and again, or once.
struct AskingInTurn: Script {
    let requests: [ByteBuffer]
    /// What each answer has to contain.
    var word = "</html>"
    var cycles = true
    private var next = 0

    init(_ requests: [ByteBuffer], word: String = "</html>", cycles: Bool = true) {
        self.requests = requests
        self.word = word
        self.cycles = cycles
    }

    mutating func begin() -> ByteBuffer? {
        guard !requests.isEmpty, cycles || next < requests.count else { return nil }
        defer { next += 1 }
        return requests[next % requests.count]
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200, containing: word)
        return nil
    }
}

/// One page of a list after another, by the place that the page before names.
struct TurningPages: Script {
    let operation: String
    let bearer: String
    /// Which member of the request takes the place.
    let member: String
    /// Where each page but the first begins.
    let places: Collected<String>
    private var left: Int
    private var place: String?

    init(_ operation: String, member: String, bearer: String, pages: Int, places: Collected<String>) {
        self.operation = operation
        self.member = member
        self.bearer = bearer
        self.places = places
        left = pages
    }

    mutating func begin() -> ByteBuffer? {
        guard left > 0 else { return nil }
        left -= 1
        let start = place.map { ",\"\(member)\":\"\($0)\"" } ?? ""
        return RequestText.post(
            "/admin/v1/\(operation)", "{\"limit\":\(Listed.pageLength)\(start)}", source: Listed.owner.source,
            bearer: bearer)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        // The last page of a list names none.
        guard let next = try? answer.text("next") else {
            left = 0
            return nil
        }
        place = next
        places.add(next)
        return nil
    }
}
