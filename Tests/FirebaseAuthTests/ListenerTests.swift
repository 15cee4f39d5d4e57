import ClientHTTP
import FirebaseAuth
import Foundation
import Testing

@MainActor
@Suite struct ListenerTests {
    private let server = ScriptedServer()
    private let auth: Auth

    init() {
        auth = makeAuth(server)
        server.acceptSignIn()
    }

    /// What listeners were called with, as far as a number of calls.
    private func calls(_ stream: AsyncStream<String?>, _ count: Int) async -> [String?] {
        var calls: [String?] = []
        for await call in stream {
            calls.append(call)
            if calls.count == count { break }
        }
        return calls
    }

    @Test func `A listener is called at once with the present state, and after each change of the user`() async throws {
        let (stream, continuation) = AsyncStream<String?>.makeStream()
        let handle = auth.addStateDidChangeListener { auth, user in
            MainActor.assertIsolated()
            continuation.yield(user?.uid)
        }
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        _ = try await user.getIDToken(forcingRefresh: true)
        try auth.signOut()
        #expect(await calls(stream, 3) == [nil, "u1", nil])
        auth.removeStateDidChangeListener(handle)
    }

    @Test func `An ID token listener hears of other tokens too`() async throws {
        let (stream, continuation) = AsyncStream<String?>.makeStream()
        let handle = auth.addIDTokenDidChangeListener { _, user in continuation.yield(user?.refreshToken) }
        _ = await calls(stream, 1)
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        _ = await calls(stream, 1)
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(await calls(stream, 1) == ["rt-fresh1"])
        auth.removeIDTokenDidChangeListener(handle)
    }

    @Test func `A removed listener is not called again, not even with what was on its way`() async throws {
        let count = Locked(0)
        let handle = auth.addStateDidChangeListener { _, _ in count.withLock { $0 += 1 } }
        auth.removeStateDidChangeListener(handle)
        try await auth.signIn(withEmail: "a@b.c", password: "p")
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
        #expect(count.current == 0)
    }

    @Test func `The sequences begin with the present state and end with their task`() async throws {
        var states = auth.authStateChanges.makeAsyncIterator()
        #expect(await states.next() == .some(nil))
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        #expect(await states.next() == .some(user))
        var tokens = auth.idTokenChanges.makeAsyncIterator()
        #expect(await tokens.next() == .some(user))
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(await tokens.next() == .some(user))
        try auth.signOut()
        #expect(await states.next() == .some(nil))
    }

    @Test func `Completion handlers get the result or the error on the main actor`() async throws {
        let auth = auth
        let uid: String? = await withCheckedContinuation { done in
            auth.signIn(withEmail: "a@b.c", password: "p") { result, error in
                MainActor.assertIsolated()
                #expect(error == nil)
                done.resume(returning: result?.user.uid)
            }
        }
        #expect(uid == "u1")
        server.refuse("accounts:sendOobCode", "EMAIL_NOT_FOUND")
        let number: Int? = await withCheckedContinuation { done in
            auth.sendPasswordReset(withEmail: "a@b.c") { error in done.resume(returning: (error as NSError?)?.code) }
        }
        #expect(number == AuthErrorCode.userNotFound.rawValue)
        let refused: Bool = await withCheckedContinuation { done in
            auth.currentUser?.multiFactor.getSessionWithCompletion { session, error in
                done.resume(returning: session == nil || error != nil)
            }
        }
        #expect(!refused)
    }
}
