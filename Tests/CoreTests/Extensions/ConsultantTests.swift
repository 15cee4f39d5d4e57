import Foundation
import Synchronization
import Testing

@testable import CountersignCore

/// Says what a test wants.
private final class Adviser: Consultant {
    struct Trouble: Error {}

    let steps: Set<ConsultedStep>
    private let state = Mutex<(asked: Int, failures: Int)>((0, 0))
    private let meanwhile: @Sendable () async throws -> Void

    init(
        _ steps: Set<ConsultedStep> = [.session], failures: Int = 0,
        meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.steps = steps
        self.meanwhile = meanwhile
        state.withLock { $0.failures = failures }
    }

    var asked: Int { state.withLock { $0.asked } }

    private func ask() async throws {
        let fails = state.withLock { state in
            state.asked += 1
            return state.asked <= state.failures
        }
        if fails { throw Trouble() }
        try await meanwhile()
    }

    func beforeSession(of user: User) async throws { try await ask() }
    func beforeAttributes(of signUp: SignUpContext) async throws -> [String: JSONValue] {
        try await ask()
        return ["city": "London"]
    }
    func beforeAccount(of signUp: SignUpContext) async throws -> SignUpAdvice {
        try await ask()
        if signUp.attributes["city"] == "Nowhere" {
            if signUp.isAboutAttributes { throw SignUpObjection.invalid(["city": "no"], "") }
            return .ask([.init(name: "city", type: "string", isRequired: true)])
        }
        return .take(signUp.attributes.merging(["level": "new"]) { $1 })
    }
}

@Suite("Consultants are asked before an answer counts")
struct ConsultantTests {
    private func give(
        _ answer: Answer, to handle: FlowHandle, _ test: TestRealm, asking adviser: Adviser, request: String? = nil
    ) async throws -> Verdict {
        var expectation = test.expectation(request)
        expectation.consultant = adviser
        return try await test.realm.authenticator.answer(
            answer, to: .flow(handle, expectation), by: test.client(from: "192.0.2.7"))
    }

    @Test(arguments: TestStore.available)
    func `Where they fail, nothing was used up and nothing begun`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        let code = try await test.askForCode(handle)
        let adviser = Adviser(failures: 12)
        // More often than a code and a flow take wrong answers.
        for _ in 0..<12 {
            await #expect(throws: Adviser.Trouble.self) {
                try await give(.mailedCode(Secret(code)), to: handle, test, asking: adviser)
            }
        }
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 9) }.isEmpty)
        #expect(try await test.events(.signedIn).isEmpty)
        #expect(try await test.user(user.id).lastSignInAt == nil)
        #expect(try await test.counter(CounterKey.answers(from: "192.0.2.7"))?.count ?? 0 == 0)
        let verdict = try await give(.mailedCode(Secret(code)), to: handle, test, asking: adviser)
        #expect(verdict.isAccomplished && adviser.asked == 13)
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 9) }.count == 1)
    }

    @Test(
        arguments: TestStore.available)
    func `They are not asked about wrong answers, nor about right ones that are not enough`(store: TestStore)
        async throws
    {
        let test = try await TestRealm.make(on: store)
        _ = try await test.addEnrolledUser()
        let handle = try await test.begin(.signIn(TestRealm.email))
        let adviser = Adviser()
        #expect(try await give(.password(Secret("wrong")), to: handle, test, asking: adviser).reason == .wrongAnswer)
        let half = try await give(.password(Secret(TestRealm.password)), to: handle, test, asking: adviser)
        guard case .advanced(.secondFactor) = half else {
            Issue.record("\(half)")
            return
        }
        #expect(adviser.asked == 0)
    }

    @Test
    func `A password that is right is not counted as wrong while they fail`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let adviser = Adviser(failures: 30)
        for _ in 0..<30 {
            let handle = try await test.begin(.signIn(TestRealm.email))
            await #expect(throws: Adviser.Trouble.self) {
                try await give(.password(Secret(TestRealm.password)), to: handle, test, asking: adviser)
            }
        }
        let handle = try await test.begin(.signIn(TestRealm.email))
        let verdict = try await give(.password(Secret(TestRealm.password)), to: handle, test, asking: adviser)
        #expect(verdict.isAccomplished)
    }

    @Test(arguments: TestStore.available)
    func `One right code sent twenty times at once opens one session`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        let code = try await test.askForCode(handle)
        let adviser = Adviser()
        let verdicts = try await race(20) { _ in
            try await give(.mailedCode(Secret(code)), to: handle, test, asking: adviser)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 9) }.count == 1)
    }

    @Test
    func `What changes while they think is seen: a user who is disabled meanwhile gets no session`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        let code = try await test.askForCode(handle)
        let adviser = Adviser(meanwhile: {
            var change = AccountChange()
            change.isDisabled = true
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        })
        let verdict = try await give(.mailedCode(Secret(code)), to: handle, test, asking: adviser)
        #expect(verdict.reason == .userDisabled || verdict.reason == .flowExpired, "\(verdict)")
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 9) }.isEmpty)
    }

    @Test(arguments: TestStore.available)
    func `A refresh token is not traded where they fail`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        let signedIn = try #require(try await test.signIn().signedIn)
        let adviser = Adviser(failures: 1)
        let token = signedIn.refreshToken
        await #expect(throws: Adviser.Trouble.self) {
            try await test.realm.sessions.refresh(token, of: .testClient, by: test.client, asking: adviser)
        }
        test.clock.advance(60)
        let next = try #require(
            try await test.realm.sessions.refresh(token, of: .testClient, by: test.client, asking: adviser).refreshed)
        #expect(next.refreshToken != token && adviser.asked == 2)
        // Who lost the answer is asked about again; who comes with a stolen one is not.
        #expect(
            try await test.realm.sessions.refresh(token, of: .testClient, by: test.client, asking: adviser).refreshed
                != nil)
        #expect(adviser.asked == 3)
        test.clock.advance(61)
        #expect(
            try await test.realm.sessions.refresh(token, of: .testClient, by: test.client, asking: adviser).refusal
                == .reused)
        #expect(
            try await test.realm.sessions.refresh(Secret("x"), of: .testClient, by: test.client, asking: adviser)
                .refusal
                == .unknownToken)
        #expect(adviser.asked == 3)
    }

    private func beginSignUp(_ test: TestRealm, _ attributes: [String: JSONValue]) async throws -> (FlowHandle, String)
    {
        let city = ApplicationRegistration.Attribute(name: "city", type: "string", isRequired: true)
        let handle = try await test.begin(
            .signUp(
                TestRealm.email,
                .init(wantsPassword: false, attributes: attributes, required: attributes.isEmpty ? [city] : [])))
        return (handle, try await test.askForCode(handle))
    }

    @Test(arguments: TestStore.available)
    func `A sign-up asks at its two steps, once each, and takes what is said`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let adviser = Adviser([.attributes, .account])
        let (handle, code) = try await beginSignUp(test, [:])
        let first = try await give(.mailedCode(Secret(code)), to: handle, test, asking: adviser)
        guard case .advanced(.attributes(let missing)) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(missing.map(\.name) == ["city"] && adviser.asked == 1)
        guard
            case .open(let summary) = try await test.realm.authenticator.status(
                of: handle, expecting: test.expectation())
        else { throw TestFailure() }
        #expect(summary.journey?.prefill == ["city": "London"])
        // Objected to: nothing is kept, and it can be given again.
        await #expect(throws: SignUpObjection.self) {
            try await give(.attributes(["city": "Nowhere"]), to: handle, test, asking: adviser)
        }
        #expect(try await test.realm.accounts.user(email: TestRealm.email) == nil)
        let done = try await give(.attributes(["city": "Paris"]), to: handle, test, asking: adviser)
        guard case .advanced(.complete) = done else {
            Issue.record("\(done)")
            return
        }
        #expect(adviser.asked == 3)
        let user = try #require(await test.realm.accounts.user(email: TestRealm.email))
        #expect(user.profile.attributes == ["city": "Paris", "level": "new"], "Prefilled values were not submitted.")
    }

    @Test
    func `Attributes that came at the start and are objected to are asked for`() async throws {
        let test = try await TestRealm.make()
        let adviser = Adviser([.account])
        let (handle, code) = try await beginSignUp(test, ["city": "Nowhere"])
        let first = try await give(.mailedCode(Secret(code)), to: handle, test, asking: adviser)
        guard case .advanced(.attributes(let missing)) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(missing.map(\.name) == ["city"])
        guard
            case .advanced(.complete) = try await give(.attributes(["city": "Rome"]), to: handle, test, asking: adviser)
        else { throw TestFailure() }
    }

    @Test
    func `Objections count as answers: after ten the attempt is over`() async throws {
        let test = try await TestRealm.make()
        let adviser = Adviser([.account])
        let (handle, code) = try await beginSignUp(test, [:])
        _ = try await give(.mailedCode(Secret(code)), to: handle, test, asking: adviser)
        // The code was the first answer.
        for _ in 0..<9 {
            await #expect(throws: SignUpObjection.self) {
                try await give(.attributes(["city": "Nowhere"]), to: handle, test, asking: adviser)
            }
        }
        let last = try await give(.attributes(["city": "Paris"]), to: handle, test, asking: adviser)
        #expect(last.reason == .flowExhausted && adviser.asked == 9)
        #expect(try await test.realm.accounts.user(email: TestRealm.email) == nil)
    }
}
