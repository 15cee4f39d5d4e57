import Foundation
import NIOCore
import Synchronization

/// The same request again and again.
struct Getting: Script {
    let request: ByteBuffer
    var pause = TimeAmount.zero
    /// How often at most.
    var remaining = Int.max

    init(_ path: String, pause: TimeAmount = .zero, times: Int = .max, bearer: String? = nil) {
        request = RequestText.get(path, bearer: bearer)
        self.pause = pause
        remaining = times
    }

    mutating func begin() -> ByteBuffer? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        return request
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        return nil
    }
}

/// Trades a refresh token, then what came back, and so on.
struct Refreshing: Script {
    let realm: BenchRealm
    let source: String
    var token: String

    mutating func begin() -> ByteBuffer? {
        RequestText.post(
            "/v1/token?key=\(realm.apiKey)", "grant_type=refresh_token&refresh_token=\(token)",
            type: "application/x-www-form-urlencoded", source: source)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        token = try answer.text("refresh_token")
        return nil
    }
}

/// The first half of a sign-in: a right password, which is answered with a pending credential.
struct GivingPassword: Script {
    let realm: BenchRealm
    let people: Turns
    let waiting: Collected<Waiting>
    private var person: Person?

    init(realm: BenchRealm, people: Turns, waiting: Collected<Waiting> = Collected()) {
        self.realm = realm
        self.people = people
        self.waiting = waiting
    }

    mutating func begin() -> ByteBuffer? {
        person = people.next().map(Person.init)
        return person.map(realm.password)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        if let person {
            waiting.add(Waiting(person: person, credential: try answer.text("mfaPendingCredential")))
        }
        return nil
    }
}

/// The second half: the right code.
struct GivingCode: Script {
    let realm: BenchRealm
    let waiting: Collected<Waiting>
    let refreshTokens: Collected<String>

    init(realm: BenchRealm, waiting: Collected<Waiting>, refreshTokens: Collected<String> = Collected()) {
        self.realm = realm
        self.waiting = waiting
        self.refreshTokens = refreshTokens
    }

    mutating func begin() -> ByteBuffer? {
        waiting.take().map { realm.code(Person.rightCode(), of: $0) }
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        refreshTokens.add(try answer.text("refreshToken"))
        return nil
    }
}

/// Wrong codes, as many for each person as can be given before the authenticator waits.
struct GivingWrongCode: Script {
    static let timesEach = 4

    let realm: BenchRealm
    let waiting: Collected<Waiting>
    private var current: Waiting?
    private var times = 0

    init(realm: BenchRealm, waiting: Collected<Waiting>) {
        self.realm = realm
        self.waiting = waiting
    }

    mutating func begin() -> ByteBuffer? {
        if times == 0 {
            current = waiting.take()
            times = Self.timesEach
        }
        times -= 1
        return current.map { realm.code(Person.wrongCode(), of: $0) }
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(400, containing: "INVALID_")
        return nil
    }
}

/// A whole sign-in, with password and code.
struct SigningIn: Script {
    let realm: BenchRealm
    let people: Turns
    private var person = Person(number: 0)
    private var gavePassword = false

    init(realm: BenchRealm, people: Turns) {
        self.realm = realm
        self.people = people
    }

    mutating func begin() -> ByteBuffer? {
        guard let number = people.next() else { return nil }
        person = Person(number: number)
        gavePassword = true
        return realm.password(person)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        guard gavePassword else {
            try answer.expect(200, containing: "\"refreshToken\"")
            return nil
        }
        gavePassword = false
        try answer.expect(200)
        let credential = try answer.text("mfaPendingCredential")
        return realm.code(Person.rightCode(), of: Waiting(person: person, credential: credential))
    }
}

/// Whose turn it is. Each person signs in once, because a code counts once.
final class Turns: Sendable {
    private let state: Mutex<(next: Int, all: Range<Int>)>
    /// From one person to the next, so that few of many are spread over the whole database.
    private let stride: Int
    /// Whether the first comes again after the last.
    private let cycles: Bool

    init(_ people: Range<Int>, stride: Int = 1, cycles: Bool = false) {
        state = Mutex((people.lowerBound, people))
        self.stride = stride
        self.cycles = cycles
    }

    func next() -> Int? {
        state.withLock { state in
            if state.next >= state.all.upperBound, cycles {
                state.next = state.all.lowerBound + state.next % stride
            }
            guard state.next < state.all.upperBound else { return nil }
            defer { state.next += stride }
            return state.next
        }
    }

    /// Takes the next few for a load of their own.
    /// - Throws: ``OutOfPeople``.
    func take(_ count: Int) throws -> Turns {
        try state.withLock { state in
            guard state.all.upperBound - state.next >= count else { throw OutOfPeople() }
            defer { state.next += count }
            return Turns(state.next..<(state.next + count))
        }
    }
}

struct OutOfPeople: Error, CustomStringConvertible {
    let description = "More people were asked for than were made."
}

/// What one load leaves for the next: pending credentials that wait for their code, refresh tokens.
final class Collected<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    func add(_ one: Element) { state.withLock { $0.append(one) } }
    func take() -> Element? { state.withLock { $0.popLast() } }
    /// In the order in which they came.
    var all: [Element] { state.withLock { $0 } }
    var count: Int { state.withLock { $0.count } }
}

/// A password was right, and a code is waited for.
struct Waiting: Sendable {
    let person: Person
    let credential: String
}

/// One question, whose answer is kept.
struct Asking: Script {
    let answers: Collected<String>
    private var request: ByteBuffer?

    init(_ path: String, bearer: String, answers: Collected<String>) {
        self.init(RequestText.get(path, bearer: bearer), answers: answers)
    }

    init(_ request: ByteBuffer, answers: Collected<String>) {
        self.request = request
        self.answers = answers
    }

    mutating func begin() -> ByteBuffer? {
        defer { request = nil }
        return request
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(200)
        answers.add(String(buffer: answer.body))
        return nil
    }
}
