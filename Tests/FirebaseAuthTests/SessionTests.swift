import ClientHTTP
import Foundation
import IdentityToolkitWire
import Testing

@testable import FirebaseAuth

@Suite struct SessionTests {
    private let server = ScriptedServer()
    private let clock = TestClock()
    private let storage = InMemoryUserStorage()
    private let auth: Auth

    init() {
        auth = makeAuth(server, storage: storage, clock: clock)
        server.acceptSignIn()
    }

    private func signedIn() async throws -> User {
        try await auth.signIn(withEmail: "a@b.c", password: "p").user
    }

    private var stored: StoredUser? {
        get throws { try storage.user(forApp: "test").map { try StoredUser(data: $0) } }
    }

    @Test func `A token is used until five minutes before its end`() async throws {
        let user = try await signedIn()
        clock.advance(3_600 - 301)
        #expect(try await user.getIDToken() == "id-first")
        clock.advance(1)
        #expect(try await user.getIDToken() == "id-fresh1")
        #expect(server.requests(to: "v1/token").count == 1)
    }

    @Test func `Fifty who ask at once cause one refresh`() async throws {
        let user = try await signedIn()
        clock.advance(3_600)
        let (asked, answers) = (Locked(0), Locked(0))
        server.on("v1/token") { _ in
            // All have asked when it answers. Their turns come meanwhile: the pauses count those, and not the time alone.
            while asked.current < 50 { await Task.yield() }
            for _ in 0..<40 { try await Task.sleep(nanoseconds: 10_000_000) }
            answers.withLock { $0 += 1 }
            return HTTPClientResponse(
                status: 200,
                body: Data(#"{"access_token":"id-new","expires_in":"3600","refresh_token":"rt-new"}"#.utf8))
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<50 {
                group.addTask {
                    asked.withLock { $0 += 1 }
                    return try await user.getIDToken(forcingRefresh: number % 2 == 0)
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["id-new"])
        #expect(answers.current == 1)
    }

    @Test func `Every refresh uses the newest refresh token, stored before the ID token is handed out`() async throws {
        let user = try await signedIn()
        #expect(try stored?.tokens.refreshToken == "rt-first")
        for number in 1...3 {
            let before = try stored?.tokens.refreshToken
            #expect(try await user.getIDToken(forcingRefresh: true) == "id-fresh\(number)")
            #expect(server.body(to: "v1/token").contains(#""refreshToken":"\#(before ?? "")""#))
            #expect(try stored?.tokens.refreshToken == "rt-fresh\(number)")
        }
    }

    @Test func `An answer without a refresh token keeps the old one`() async throws {
        let user = try await signedIn()
        server.on("v1/token", #"{"id_token":"id-new","expires_in":3600}"#)
        #expect(try await user.getIDToken(forcingRefresh: true) == "id-new")
        #expect(user.refreshToken == "rt-first")
    }

    @Test func `A cancelled caller does not lose the refresh token that the server gave`() async throws {
        let user = try await signedIn()
        let asked = AsyncStream<Void>.makeStream()
        let release = AsyncStream<Void>.makeStream()
        server.on("v1/token") { _ in
            asked.continuation.finish()
            for await _ in release.stream {}
            return HTTPClientResponse(
                status: 200,
                body: Data(#"{"access_token":"id-new","expires_in":"3600","refresh_token":"rt-new"}"#.utf8))
        }
        let caller = Task { try await user.getIDToken(forcingRefresh: true) }
        for await _ in asked.stream {}
        caller.cancel()
        release.continuation.finish()
        #expect(try await caller.value == "id-new")
        #expect(user.refreshToken == "rt-new")
    }

    @Test func `Tokens that come meanwhile win over a refresh that began before them`() {
        var session = SessionState(SessionTokens(idToken: "i1", refreshToken: "r1", expiration: .distantPast))
        let task = Task<String, any Error> { "" }
        var started: [String] = []
        func ask(_ session: inout SessionState) {
            _ = session.token(forcingRefresh: false, now: Date()) { refreshToken, _ in
                started.append(refreshToken)
                return task
            }
        }
        ask(&session)
        ask(&session)
        #expect(started == ["r1"])
        session.adopt(SessionTokens(idToken: "i2", refreshToken: "r2", expiration: .distantPast))
        ask(&session)
        #expect(started == ["r1", "r2"])
        let late = SessionTokens(idToken: "i3", refreshToken: "r3", expiration: .distantFuture)
        let lateCounts = session.endRefresh(of: 0, with: late)
        #expect(!lateCounts)
        #expect(session.tokens.refreshToken == "r2")
        let timelyCounts = session.endRefresh(of: 1, with: late)
        #expect(timelyCounts)
        #expect(session.tokens.refreshToken == "r3")
        ask(&session)
        #expect(started.count == 2)
    }

    @Test func `The tokens' end is counted by this device's clock`() throws {
        let now = Date(timeIntervalSince1970: 5)
        let said = try SessionTokens(idToken: "x", refreshToken: "r", expiresIn: 60, now: now)
        #expect(said.expiration == now + 60)
        let jwt = token(#"{"iat":1790000000,"exp":1790003600}"#)
        #expect(try SessionTokens(idToken: jwt, refreshToken: "r", now: now).expiration == now + 3_600)
        #expect(try SessionTokens(idToken: "opaque", refreshToken: "r", now: now).expiration == now)
    }

    @Test func `A user outlives the program in the storage, and leaves it on signing out`() async throws {
        server.acceptLookup(mfaInfo: ScriptedServer.totpFactor)
        let user = try await signedIn()
        let restored = try #require(makeAuth(server, storage: storage, clock: clock).currentUser)
        #expect(restored.uid == user.uid)
        #expect(restored.email == "a@b.c")
        #expect(restored.isEmailVerified)
        #expect(restored.multiFactor.enrolledFactors == user.multiFactor.enrolledFactors)
        #expect(restored.metadata.creationDate == Date(timeIntervalSince1970: 1_790_000_000))
        #expect(restored.providerData.map(\.providerID) == ["password"])
        try auth.signOut()
        #expect(try stored == nil)
        #expect(makeAuth(server, storage: storage, clock: clock).currentUser == nil)
    }

    /// The shape of version 1. It must stay readable for ever.
    @Test func `A user stored by the first version can be read`() throws {
        let text =
            #"{"profile":{"creationDate":1790000000,"email":"a@b.c","factors":[{"displayName":"TOTP","#
            + #""enrollmentDate":1790244672.5,"uid":"f"}],"isAnonymous":false,"isEmailVerified":true,"#
            + #""providers":[{"email":"a@b.c","providerID":"password","uid":"a@b.c"}]},"#
            + #""tokens":{"expiration":1790003600,"idToken":"i","refreshToken":"r"},"uid":"u1","version":1}"#
        let user = try StoredUser(data: Data(text.utf8))
        #expect(user.uid == "u1")
        #expect(user.tokens.refreshToken == "r")
        #expect(user.profile.factors.map(\.uid) == ["f"])
        #expect(String(decoding: try user.data(), as: UTF8.self) == text)
    }

    @Test func `A stored user that cannot be read is passed over`() {
        let storage = InMemoryUserStorage()
        storage.save(Data("garbage".utf8), forApp: "test")
        #expect(makeAuth(server, storage: storage).currentUser == nil)
    }

    @Test func `A storage that fails stops sign-in and sign-out`() async throws {
        struct BrokenStorage: UserStorage {
            struct Failure: Error {}
            func user(forApp name: String) throws -> Data? { nil }
            func save(_ user: Data, forApp name: String) throws { throw Failure() }
            func removeUser(forApp name: String) throws { throw Failure() }
        }
        let auth = makeAuth(server, storage: BrokenStorage())
        #expect(await code { try await auth.signIn(withEmail: "a@b.c", password: "p") } == .keychainError)
        #expect(auth.currentUser == nil)
    }

    @Test func `Reauthentication renews the session of the same user and refuses another's`() async throws {
        let user = try await signedIn()
        let credential = EmailAuthProvider.credential(withEmail: "a@b.c", password: "p")
        server.on(
            "accounts:signInWithPassword",
            #"{"localId":"u1",\#(ScriptedServer.tokens("again")),"expiresIn":"3600"}"#)
        let result = try await user.reauthenticate(with: credential)
        #expect(result.user === user)
        #expect(user.refreshToken == "rt-again")
        #expect(try stored?.tokens.refreshToken == "rt-again")
        server.acceptLookup(uid: "u2")
        #expect(await code { try await user.reauthenticate(with: credential) } == .userMismatch)
        server.refuse("accounts:signInWithPassword", "EMAIL_NOT_FOUND")
        #expect(await code { try await user.reauthenticate(with: credential) } == .userMismatch)
        server.askForSecondFactor()
        #expect(await code { try await user.reauthenticate(with: credential) } == .secondFactorRequired)
        #expect(auth.currentUser === user)
    }

    @Test func `Reloading shows what the server says, also that the factors are gone`() async throws {
        server.acceptLookup(mfaInfo: ScriptedServer.totpFactor)
        let user = try await signedIn()
        #expect(user.multiFactor.enrolledFactors.count == 1)
        server.acceptLookup(extra: #","displayName":"Ann","photoUrl":"https://x.y/p.png""#)
        try await user.reload()
        #expect(user.displayName == "Ann")
        #expect(user.photoURL == URL(string: "https://x.y/p.png"))
        #expect(user.multiFactor.enrolledFactors.isEmpty)
        server.acceptLookup(uid: "u2")
        #expect(await code { try await user.reload() } == .malformedResponse)
    }

    @Test func `A factor carries the time of its enrolment`() async throws {
        server.acceptLookup(mfaInfo: ScriptedServer.totpFactor)
        let factor = try #require(try await signedIn().multiFactor.enrolledFactors.first)
        #expect(abs(factor.enrollmentDate.timeIntervalSince1970 - 1_790_244_672.123456) < 0.000_001)
        #expect(factor.factorID == "totp")
        #expect(factor.uid == "factor-1")
    }
}

@Suite struct SignOutTests {
    private let server = ScriptedServer()
    private let auth: Auth

    init() {
        auth = makeAuth(server)
        server.acceptSignIn()
    }

    @Test(arguments: ["USER_NOT_FOUND", "USER_DISABLED", "INVALID_ID_TOKEN", "TOKEN_EXPIRED"])
    func `A call that learns that the session is over signs the user out`(word: String) async throws {
        let calls: [(String, @Sendable (User) async throws -> Void)] = [
            ("accounts:lookup", { try await $0.reload() }),
            ("accounts:update", { try await $0.updatePassword(to: "x") }),
            ("accounts:delete", { try await $0.delete() }),
            ("accounts:sendOobCode", { try await $0.sendEmailVerification() }),
            ("v1/token", { _ = try await $0.getIDToken(forcingRefresh: true) }),
            (
                "mfaEnrollment:start",
                { _ = try await TOTPMultiFactorGenerator.generateSecret(with: $0.multiFactor.session()) }
            ),
            ("mfaEnrollment:withdraw", { try await $0.multiFactor.unenroll(withFactorUID: "f") }),
        ]
        for (path, call) in calls {
            server.acceptSignIn()
            let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
            server.refuse(path, word)
            #expect(await code { try await call(user) } != nil)
            #expect(auth.currentUser == nil, "\(path)")
        }
    }

    @Test(arguments: ["CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "QUOTA_EXCEEDED", "WEAK_PASSWORD", "SOMETHING_NEW"])
    func `Any other refusal does not`(word: String) async throws {
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        server.refuse("accounts:update", word)
        #expect(await code { try await user.updatePassword(to: "x") } != nil)
        #expect(auth.currentUser === user)
    }

    @Test func `A user who is no longer the signed-in one does not sign out another`() async throws {
        let old = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        let new = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        #expect(old !== new)
        server.refuse("accounts:lookup", "TOKEN_EXPIRED")
        #expect(await code { try await old.reload() } == .userTokenExpired)
        #expect(auth.currentUser === new)
    }

    @Test func `A refusal of a token that was replaced meanwhile does not`() async throws {
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        server.on("accounts:update", #"{"localId":"u1",\#(ScriptedServer.tokens("changed")),"expiresIn":"3600"}"#)
        server.on("accounts:sendOobCode") { _ in
            try await user.updatePassword(to: "new password")
            return HTTPClientResponse(status: 400, body: Data(#"{"error":{"message":"TOKEN_EXPIRED"}}"#.utf8))
        }
        #expect(await code { try await user.sendEmailVerification() } == .userTokenExpired)
        #expect(auth.currentUser === user)
    }

    @Test func `A user can be handed to another Auth, but not to another tenant's`() async throws {
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        let other = makeAuth(server)
        try await other.updateCurrentUser(user)
        #expect(other.currentUser?.refreshToken == "rt-first")
        #expect(auth.currentUser === user)
        other.tenantID = "t1"
        #expect(await code { try await other.updateCurrentUser(user) } == .tenantIDMismatch)
    }

    @Test func `A refresh that ends after signing out does not sign in again`() async throws {
        let storage = InMemoryUserStorage()
        let auth = makeAuth(server, storage: storage)
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        server.on("v1/token") { _ in
            try auth.signOut()
            return HTTPClientResponse(
                status: 200,
                body: Data(#"{"access_token":"id-new","expires_in":"3600","refresh_token":"rt-new"}"#.utf8))
        }
        #expect(try await user.getIDToken(forcingRefresh: true) == "id-new")
        #expect(auth.currentUser == nil)
        #expect(storage.user(forApp: "test") == nil)
    }
}
