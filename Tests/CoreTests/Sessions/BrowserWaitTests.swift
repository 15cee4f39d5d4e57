import CoreTestSupport
import Testing

@testable import CountersignCore

@Suite struct BrowserWaitTests {
    @Test func `Of one sign-in by another device thirty waits begin in a minute`() async throws {
        let test = try await TestRealm.make(on: .sqlite)
        let client = ClientContext(
            clientID: ClientID(rawValue: "account"), dialect: .oauth, limitedSource: nil, source: "127.0.0.1")
        let devices = test.realm.deviceAuthorizations
        let key = BrowserKey(random: test.random)
        guard case .begun(let begun)? = try await devices.begin(signInOf: key, by: client) else { throw TestFailure() }
        let handle = FlowHandle(begun.deviceCode.reveal())
        for _ in 0..<30 { #expect(try await !devices.isOver(ofBrowser: handle, key, within: .zero)) }
        // One more would wait for as long as it may. "Not yet" would have its page ask again at once.
        await #expect(throws: StoreError.self) {
            try await devices.isOver(ofBrowser: handle, key, within: .seconds(600))
        }
        // What is over is told, however often it was asked.
        let other = BrowserKey(random: test.random)
        #expect(try await devices.isOver(ofBrowser: handle, other, within: .seconds(600)))
    }

    @Test(.timeLimit(.minutes(20)), arguments: [true, false])
    func `A browser that waits goes on with the other device's decision, on whichever server that is`(
        isElsewhere: Bool
    ) async throws {
        let store = try await TestStore.sqlite.open()
        let first = try TestRealm.make(keptIn: store)
        let second = try TestRealm.make(keptIn: store, clock: first.clock, seed: 2)
        let (devices, client) = (first.realm.deviceAuthorizations, first.client)
        _ = try await first.addUser()
        let session = try #require(await first.signIn().signedIn).session
        let key = BrowserKey(random: first.random)
        guard case .begun(let begun)? = try await devices.begin(signInOf: key, by: client) else { throw TestFailure() }
        let handle = FlowHandle(begun.deviceCode.reveal())
        guard case .waiting(let code, _, _) = try await devices.standing(ofBrowser: handle, key) else {
            throw TestFailure()
        }
        // Longer than any test: the decision ends it.
        let page = Task {
            try await devices.isOver(ofBrowser: handle, key, within: .seconds(7200))
        }
        while first.realm.notifier.listenerCount == 0 { await Task.yield() }
        let deciding = isElsewhere ? second : first
        let decision = try await deciding.realm.deviceAuthorizations.decide(
            false, browser: code, number: "", in: session, by: client)
        #expect(decision == .done)
        if isElsewhere { try await DeviceWatch(realm: first.realm).look() }
        #expect(try await page.value)
        #expect(first.realm.notifier.listenerCount == 0)
    }
}
