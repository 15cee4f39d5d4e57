import TestSupport
import Testing

@testable import CountersignCore

@Suite("Devices that are chosen where they are asked")
struct ChosenDeviceTests {
    @Test
    func `A device is chosen in the write that asks it, and what the choice throws undoes it`() async throws {
        struct NoChoice: Error {}
        let store = CountingStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: store)
        let user = try await test.addUser()
        let device = try await test.enrol(TestDevice(), of: user.id).factor.id
        let handle = try await test.pending().handle
        let before = (store.reads, store.writes)
        await #expect(throws: NoChoice.self) {
            try await test.realm.approvals.ask(
                for: handle, expecting: .any(.signIn), by: test.client, choosing: { _ in throw NoChoice() })
        }
        let outcome = try await test.realm.approvals.ask(
            for: handle, expecting: .any(.signIn), by: test.client,
            choosing: { look in
                guard case .open(let summary) = look.status, summary.userID == user.id else { throw NoChoice() }
                return look.factors.first { $0.kind == .push }?.id
            })
        guard case .asked(let asked) = outcome else { throw TestFailure() }
        #expect(asked.devices.map(\.id) == [device])
        #expect(store.reads == before.0 && store.writes == before.1 + 2)
        #expect(try await test.realm.devices.requests(to: device).count == 1)
    }
}
