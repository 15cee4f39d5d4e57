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
        // One more would wait for as long as it may.
        #expect(try await !devices.isOver(ofBrowser: handle, key, within: .seconds(600)))
        // What is over is told, however often it was asked.
        let other = BrowserKey(random: test.random)
        #expect(try await devices.isOver(ofBrowser: handle, other, within: .seconds(600)))
    }
}
