import Foundation
import TestSupport
import Testing

@testable import CountersignCore

@Suite("Devices that wait for requests")
struct DeviceWaitTests {
    /// A user with a device, a sign-in that may ask it, and a second server on the same store.
    private struct Servers {
        let store: CountingStore
        let first: TestRealm
        let second: TestRealm
        let device: FactorID
        let handle: FlowHandle

        init(on store: TestStore = .sqlite) async throws {
            self.store = CountingStore(try await store.open())
            first = try TestRealm.make(keptIn: self.store)
            second = try TestRealm.make(keptIn: self.store, clock: first.clock, seed: 2)
            let user = try await first.addUser()
            device = try await first.enrol(TestDevice(), of: user.id).factor.id
            handle = try await first.pending().handle
        }

        /// Longer than any test: what ends the wait is what is tested.
        func wait(for device: FactorID? = nil) async throws -> [DeviceRequest]? {
            try await first.realm.devices.waiting(for: device ?? self.device, upTo: .seconds(3600))?.requests
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `A hundred devices that wait idle ask the store nothing, however much time passes`() async throws {
        let servers = try await Servers()
        let realm = servers.first.realm
        let user = try await servers.first.user(try #require(await realm.devices.device(servers.device)).userID)
        let devices = (0..<100).map { FactorID(rawValue: "dev_\($0)") }
        let now = servers.first.now
        try await servers.store.write { transaction in
            for id in devices {
                _ = try transaction.insert(
                    FactorRecord(id: id, userID: user.id, kind: .push, name: "", createdAt: now, payload: Data()))
            }
        }
        let watch = DeviceWatch(realm: realm)
        let before = servers.store.reads
        try await watch.look()
        #expect(servers.store.reads == before, "no device waits")
        try await withThrowingTaskGroup(of: [DeviceRequest]?.self) { group in
            for id in devices { group.addTask { try await servers.wait(for: id) } }
            while servers.store.reads < before + 100 { await Task.yield() }
            // The first look has nothing to compare with.
            try await watch.look()
            let settled = servers.store.reads
            #expect(settled == before + 101)
            for _ in 0..<20 {
                servers.first.clock.advance(60)
                try await watch.look()
            }
            #expect(servers.store.reads == settled)
            #expect(realm.notifier.listenerCount == 100)
            group.cancelAll()
            while let result = await group.nextResult() {
                guard case .failure(let error) = result, error is CancellationError else {
                    Issue.record("a cancelled wait answered \(result)")
                    continue
                }
            }
        }
        #expect(realm.notifier.listenerCount == 0)
    }

    @Test
    func `What waits for a device and whose device it is are one read`() async throws {
        let servers = try await Servers()
        _ = try await servers.first.ask(for: servers.handle)
        let before = servers.store.reads
        let waiting = try #require(try await servers.first.realm.devices.waiting(for: servers.device))
        #expect(servers.store.reads == before + 1)
        #expect(waiting.requests.map(\.device) == [servers.device])
        let device = try #require(try await servers.first.realm.devices.device(servers.device))
        #expect(waiting.user.id == device.userID)
        let nobody = try await servers.first.realm.devices.waiting(for: FactorID(rawValue: "dev_none"))
        #expect(nobody == nil)
    }

    @Test
    func `An application that shows its name alone is found in the read of what it asks about, and nobody else is`()
        async throws
    {
        let servers = try await Servers()
        let (realm, client) = (servers.first.realm, servers.first.client)
        _ = try await realm.applications.add(id: ClientID(rawValue: "app"), ApplicationRegistration(), by: client)
        var credentials = ClientCredentials(clientID: "app")
        let expectation = ClientExpectation([.none])
        let looking = realm.authenticator.looking(at: servers.handle) { id in
            #expect(id.rawValue == "app")
            return .any(.signIn)
        }
        let before = servers.store.reads
        let (known, look) = try await realm.applications.authenticate(
            credentials, expecting: expectation, by: client, judging: looking)
        #expect(servers.store.reads == before + 1)
        guard case .authenticated = known, case .open? = look?.status else { throw TestFailure() }
        #expect(look?.factors.contains { $0.id == servers.device } == true)
        credentials.clientID = "another"
        let (unknown, nothing) = try await realm.applications.authenticate(
            credentials, expecting: expectation, by: client, judging: looking)
        guard case .refused(.unknown) = unknown else { throw TestFailure() }
        #expect(nothing == nil)
    }

    @Test
    func `Where a sign-in stands and what its user can prove it by are one read`() async throws {
        let servers = try await Servers()
        let authenticator = servers.first.realm.authenticator
        let before = servers.store.reads
        let found = try await authenticator.statusAndFactors(of: servers.handle, expecting: .any(.signIn))
        #expect(servers.store.reads == before + 1)
        guard case .open = found.status else {
            Issue.record("\(found.status)")
            return
        }
        #expect(found.factors.contains { $0.id == servers.device })
        let strange = try await authenticator.statusAndFactors(of: FlowHandle("none"), expecting: .any(.signIn))
        #expect(strange.factors.isEmpty)
        guard case .unknown = strange.status else {
            Issue.record("\(strange.status)")
            return
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `A request that comes between a device's look and its wait is not lost`() async throws {
        let servers = try await Servers()
        servers.store.afterNextRead { _ = try await servers.first.ask(for: servers.handle) }
        #expect(try await servers.wait()?.count == 1)
        #expect(servers.first.realm.notifier.listenerCount == 0)
    }

    @Test(.timeLimit(.minutes(20)), arguments: TestStore.available)
    func `A request that another server sends is found by one look for all`(on store: TestStore) async throws {
        let servers = try await Servers(on: store)
        let watch = DeviceWatch(realm: servers.first.realm)
        let before = servers.store.reads
        async let found = servers.wait()
        while servers.store.reads == before { await Task.yield() }
        try await watch.look()
        _ = try await servers.second.ask(for: servers.handle)
        try await watch.look()
        #expect(try await found?.count == 1)
    }

    @Test(.timeLimit(.minutes(20)))
    func `A request that another server sends between a device's look and its wait is found, too`() async throws {
        let servers = try await Servers()
        let watch = DeviceWatch(realm: servers.first.realm)
        servers.store.afterNextRead {
            _ = try await servers.second.ask(for: servers.handle)
            try await watch.look()
        }
        #expect(try await servers.wait()?.count == 1)
    }

    @Test(.timeLimit(.minutes(20)))
    func `A device that is removed while it waits is told so`() async throws {
        let servers = try await Servers()
        let before = servers.store.reads
        async let found = servers.wait()
        while servers.store.reads == before { await Task.yield() }
        #expect(try await servers.first.realm.devices.remove(servers.device, by: servers.first.client))
        #expect(try await found == nil)
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["reset", "change", "delete"])
    func `A device that goes with others, or with its user, is told so`(by way: String) async throws {
        let servers = try await Servers()
        let realm = servers.first.realm
        let client = servers.first.client
        let user = try #require(await realm.devices.device(servers.device)).userID
        let before = servers.store.reads
        async let found = servers.wait()
        while servers.store.reads == before { await Task.yield() }
        switch way {
        case "reset": #expect(try await realm.enrolments.reset(of: user, by: client) == 1)
        case "change":
            var change = AccountChange()
            change.secondFactors = [:]
            _ = try await realm.accounts.change(user, change, by: client)
        default: #expect(try await realm.accounts.delete(user, by: client))
        }
        #expect(try await found == nil)
    }

    @Test(.timeLimit(.minutes(20)), arguments: TestStore.available)
    func `A device that another server removes is told so by the next look`(on store: TestStore) async throws {
        let servers = try await Servers(on: store)
        let watch = DeviceWatch(realm: servers.first.realm)
        let before = servers.store.reads
        async let found = servers.wait()
        while servers.store.reads == before { await Task.yield() }
        try await watch.look()
        #expect(try await servers.second.realm.devices.remove(servers.device, by: servers.second.client))
        try await watch.look()
        #expect(try await found == nil)
    }

    @Test(.timeLimit(.minutes(20)))
    func `Of one device no more than sixteen requests wait at once`() async throws {
        let servers = try await Servers()
        let realm = servers.first.realm
        try await withThrowingTaskGroup(of: [DeviceRequest]?.self) { group in
            for _ in 0..<Notifier.limitEach { group.addTask { try await servers.wait() } }
            while realm.notifier.listenerCount < Notifier.limitEach { await Task.yield() }
            await #expect(throws: StoreError.self) { try await servers.wait() }
            _ = try await servers.first.ask(for: servers.handle)
            for try await found in group { #expect(found?.count == 1) }
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: [true, false])
    func `A page that waits for a device goes on with its answer, and not before`(allows: Bool) async throws {
        let test = try await TestRealm.make()
        let (handle, device, request) = try await test.asked()
        let approvals = test.realm.approvals
        #expect(try await !approvals.isOver(for: handle, expecting: .any(.signIn), within: .zero))
        #expect(test.realm.notifier.listenerCount == 0)
        // Longer than any test: the answer ends it.
        let page = Task {
            try await approvals.isOver(for: handle, expecting: .any(.signIn), within: .seconds(7200))
        }
        while test.realm.notifier.listenerCount == 0 { await Task.yield() }
        _ = try await test.decide(device.answer(to: request, allows: allows, at: test.now), request.handle)
        #expect(try await page.value)
        #expect(test.realm.notifier.listenerCount == 0)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [true, false])
    func `A page that shows a ticket goes on when a device takes it, on whichever server that is`(
        isElsewhere: Bool
    ) async throws {
        let store = try await TestStore.sqlite.open()
        let first = try TestRealm.make(keptIn: store)
        let second = try TestRealm.make(keptIn: store, clock: first.clock, seed: 2)
        let enrolments = first.realm.enrolments
        let user = try await first.addUser()
        let invitation = try #require(await enrolments.inviteDevice(for: user.id, by: first.client).ticket)
        let ticket = try #require(await enrolments.beginDevice(invitation: invitation.handle, by: first.client).ticket)
        #expect(try await !enrolments.isOver(ticket: ticket.handle, within: .zero))
        // Longer than any test: the device ends it.
        let page = Task {
            try await enrolments.isOver(ticket: ticket.handle, within: .seconds(7200))
        }
        while first.realm.notifier.listenerCount == 0 { await Task.yield() }
        let registered = try await (isElsewhere ? second : first).register(TestDevice(), with: ticket.handle)
        #expect(registered.enrolment != nil)
        if isElsewhere { try await DeviceWatch(realm: first.realm).look() }
        #expect(try await page.value)
        #expect(first.realm.notifier.listenerCount == 0)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [true, false])
    func `A decision that comes between a page's look and its wait is not lost, on whichever server that is`(
        isElsewhere: Bool
    ) async throws {
        let store = CountingStore(try await TestStore.sqlite.open())
        let first = try TestRealm.make(keptIn: store)
        let second = try TestRealm.make(keptIn: store, clock: first.clock, seed: 2)
        let (handle, device, request) = try await first.asked()
        let statement = try device.answer(to: request, allows: true, at: first.now)
        store.afterNextRead {
            _ = try await (isElsewhere ? second : first).decide(statement, request.handle)
            if isElsewhere { try await DeviceWatch(realm: first.realm).look() }
        }
        let isOver = try await first.realm.approvals.isOver(
            for: handle, expecting: .any(.signIn), within: .seconds(7200))
        #expect(isOver)
    }

    @Test(.timeLimit(.minutes(20)))
    func `Of one attempt no more than sixteen pages wait at once`() async throws {
        let test = try await TestRealm.make()
        let (handle, device, request) = try await test.asked()
        let approvals = test.realm.approvals
        // Longer than any test: the answer ends it.
        let wait: @Sendable () async throws -> Bool = {
            try await approvals.isOver(for: handle, expecting: .any(.signIn), within: .seconds(7200))
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<Notifier.limitEach { group.addTask { try await wait() } }
            while test.realm.notifier.listenerCount < Notifier.limitEach { await Task.yield() }
            await #expect(throws: StoreError.self) { try await wait() }
            #expect(try await !approvals.isOver(for: handle, expecting: .any(.signIn), within: .zero))
            _ = try await test.decide(device.answer(to: request, allows: true, at: test.now), request.handle)
            for try await isOver in group { #expect(isOver) }
        }
        #expect(try await wait())
        #expect(test.realm.notifier.listenerCount == 0)
    }

    @Test(.timeLimit(.minutes(20)))
    func `Pages that wait idle ask the store nothing, and one look finds what another server decided`() async throws {
        let store = CountingStore(try await TestStore.sqlite.open())
        let first = try TestRealm.make(keptIn: store)
        let second = try TestRealm.make(keptIn: store, clock: first.clock, seed: 2)
        let (handle, device, request) = try await first.asked()
        let watch = DeviceWatch(realm: first.realm)
        let before = store.reads
        let page = Task {
            try await first.realm.approvals.isOver(
                for: handle, expecting: .any(.signIn), within: .seconds(7200))
        }
        while store.reads == before { await Task.yield() }
        // The first look does not know what the page saw, and has it look again.
        try await watch.look()
        while store.reads < before + 3 { await Task.yield() }
        while first.realm.notifier.listenerCount == 0 { await Task.yield() }
        for _ in 0..<20 { try await watch.look() }
        #expect(store.reads == before + 3)
        _ = try await second.decide(device.answer(to: request, allows: true, at: second.now), request.handle)
        try await watch.look()
        #expect(try await page.value)
        #expect(first.realm.notifier.listenerCount == 0)
    }
}

extension TestRealm {
    /// An attempt whose page waits, with the user's device and what it is asked.
    fileprivate func asked() async throws -> (handle: FlowHandle, device: TestDevice, request: DeviceRequest) {
        let device = TestDevice()
        let id = try await enrol(device, of: addUser().id).factor.id
        let handle = try await pending().handle
        _ = try await ask(for: handle)
        return (handle, device, try #require(try await realm.devices.requests(to: id).first))
    }
}
