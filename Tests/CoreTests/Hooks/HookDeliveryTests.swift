import Foundation
import Synchronization
import Testing

@testable import CountersignCore

@Suite("Hooks are told what happens")
struct HookDeliveryTests {
    private static let url = "https://hooks.example/events"

    /// A realm with a hook, and what carries events to it.
    private struct Scene {
        let test: TestRealm
        let service: ScriptedHooks
        let hook: EventHook
        let secret: Secret<String>
        let delivery: HookDelivery

        /// A round, after what happened has settled for a moment.
        @discardableResult
        func round(after seconds: TimeInterval = 2) async -> Int {
            test.clock.advance(seconds)
            return await delivery.deliverDue()
        }

        func present() async throws -> EventHook { try #require(try await test.realm.eventHooks.hook(hook.id)) }
    }

    private func scene(
        on store: TestStore = .sqlite, events: Set<EventCategory> = [.users], service: ScriptedHooks = ScriptedHooks()
    ) async throws -> Scene {
        let test = try await TestRealm.make(on: store, hookCaller: service)
        let (hook, secret) = try await test.realm.eventHooks.add(
            .init(url: Self.url, events: events), by: test.client
        ).get()
        return Scene(
            test: test, service: service, hook: hook, secret: secret, delivery: HookDelivery(realm: test.realm))
    }

    private func address(_ number: Int) -> EmailAddress { EmailAddress(kept: "user\(number)@example.org") }

    @Test(arguments: TestStore.available)
    func `A hook gets the events that it asks for, once each and in order, with a signature`(
        store: TestStore
    ) async throws {
        let scene = try await scene(on: store, events: [.users, .groups])
        let before = try await scene.test.addUser(address(0))
        #expect(await scene.round() == 1)
        let group = try #require(GroupName("staff"))
        scene.test.clock.advance(1)
        _ = try await scene.test.realm.groups.add(group, summary: "", by: scene.test.client)
        scene.test.clock.advance(1)
        _ = try await scene.test.realm.groups.addMember(before.id, to: group, by: scene.test.client)
        scene.test.clock.advance(1)
        _ = try await scene.test.signIn(address(0))
        #expect(await scene.round() == 2)
        #expect(await scene.round(after: 40) == 0)
        #expect(await scene.round(after: 700) == 0)
        // What is about a user and what is about none goes out side by side.
        #expect(scene.service.types.first == "user.created" && scene.service.calls.count == 3)
        #expect(Set(scene.service.types) == ["user.created", "group.added", "group.member-added"])
        for call in scene.service.calls {
            let secret = try #require(HookSecret(scene.secret))
            let signed = "\(call.id).\(call.headers["webhook-timestamp"] ?? "").\(call.body)"
            #expect(call.headers["webhook-signature"] == "v1,\(secret.signature(of: Data(signed.utf8)))")
            #expect(call.url == Self.url && call.id.hasPrefix("evt_"))
        }
        let progress = try await scene.present().progress
        #expect(progress.delivered == 3 && progress.failed == 0 && progress.lastError == nil)
        #expect(progress.done.isEmpty && progress.holder == nil, "All has settled: \(progress)")
        #expect(progress.answers.map(\.isDelivered) == [true, true, true])
        #expect(Set(progress.answers.map { "evt_\($0.event)" }) == Set(scene.service.calls.map(\.id)))
        #expect(progress.cursor > AuditBound.bound(scene.test.now - 60).id)
    }

    @Test(.timeLimit(.minutes(20)))
    func `A delivery that runs goes on where a round was full, and ends when it is stopped`() async throws {
        let scene = try await scene()
        for number in 0...HookRound.most { try await scene.test.addUser(address(number)) }
        scene.test.clock.advance(2)
        // Longer than any test: neither the next round nor the end waits for the next look.
        let running = Task { await scene.delivery.run(lookingEvery: .seconds(3600)) }
        while scene.delivery.counts.delivered <= HookRound.most { await Task.yield() }
        scene.delivery.stop()
        await running.value
        #expect(scene.service.calls.count == HookRound.most + 1)
        await scene.delivery.run(lookingEvery: .seconds(3600))
        #expect(scene.test.realm.notifier.listenerCount == 0)
    }

    @Test(arguments: TestStore.available)
    func `Two servers deliver each event once, and each user's in order`(store: TestStore) async throws {
        let shared = try await store.open()
        let service = ScriptedHooks()
        let servers = try (1...2).map { try TestRealm.make(keptIn: shared, seed: UInt64($0), hookCaller: service) }
        _ = try await servers[0].realm.eventHooks.add(
            .init(url: Self.url, events: [.users]), by: servers[0].client
        ).get()
        var ids: [UserID] = []
        for number in 0..<6 { ids.append(try await servers[number % 2].addUser(address(number)).id) }
        for round in 0..<4 {
            for server in servers { server.clock.advance(1) }
            for (number, id) in ids.enumerated() {
                var change = AccountChange()
                change.displayName = .some("\(round)")
                _ = try await servers[number % 2].realm.accounts.change(id, change, by: servers[0].client)
            }
        }
        let deliveries = servers.map { HookDelivery(realm: $0.realm) }
        for _ in 0..<4 {
            for server in servers { server.clock.advance(2) }
            await withDiscardingTaskGroup { group in
                for delivery in deliveries { for _ in 0..<3 { group.addTask { await delivery.deliverDue() } } }
            }
        }
        let calls = service.calls
        #expect(calls.count == 30 && Set(calls.map(\.id)).count == 30)
        for id in ids {
            let own = calls.filter { $0.user == id.rawValue }.map(\.id)
            #expect(own.count == 5 && own == own.sorted())
        }
    }

    @Test(arguments: TestStore.available)
    func `What a killed server had in hand comes from the next one, under the same ids`(
        store: TestStore
    ) async throws {
        let shared = try await store.open()
        let reached = Mutex(0)
        let dying = ScriptedHooks { _ in
            // The service has it, and the server never hears of that.
            reached.withLock { $0 += 1 }
            try? await Task.sleep(for: .seconds(600))
            return .failed("killed")
        }
        let first = try TestRealm.make(keptIn: shared, seed: 1, hookCaller: dying)
        let after = ScriptedHooks()
        let second = try TestRealm.make(keptIn: shared, seed: 2, hookCaller: after)
        _ = try await first.realm.eventHooks.add(.init(url: Self.url, events: [.users]), by: first.client).get()
        for number in 0..<3 { _ = try await first.addUser(address(number)) }
        first.clock.advance(2)
        second.clock.advance(2)
        // It takes the hook, calls, and is gone before it could write what came of it.
        let taken = Task { await HookDelivery(realm: first.realm).deliverDue() }
        while reached.withLock({ $0 }) < 3 { await Task.yield() }
        let next = HookDelivery(realm: second.realm)
        #expect(await next.deliverDue() == 0, "The hook is the other's.")
        second.clock.advance(HookDelivery.lease + 1)
        #expect(await next.deliverDue() == 3)
        #expect(Set(after.calls.map(\.id)) == Set(dying.calls.map(\.id)))
        // The first one's word comes too late to change anything.
        taken.cancel()
        _ = await taken.value
        let hook = try #require(try await second.realm.eventHooks.list().first)
        #expect(hook.progress.delivered == 3 && hook.progress.lastError == nil, "\(hook.progress)")
    }

    @Test func `An event that comes into the log late is delivered, too`() async throws {
        let scene = try await scene()
        let late = AuditEvent(
            id: AuditEvent.freshID(at: scene.test.now + 1, random: scene.test.random), at: scene.test.now + 1,
            kind: .userDisabled, userID: UserID(rawValue: "late"), context: scene.test.client)
        scene.test.clock.advance(5)
        _ = try await scene.test.addUser(address(1))
        #expect(await scene.round() == 1)
        try await scene.test.store.write { try $0.append(late) }
        #expect(await scene.round() == 1)
        #expect(await scene.round(after: 60) == 0)
        #expect(scene.service.types == ["user.created", "user.disabled"])
    }

    @Test func `A service in trouble gets everything afterwards, in order, after growing pauses`() async throws {
        let scene = try await scene(service: ScriptedHooks { _ in .failed("timed-out") })
        let id = try await scene.test.addUser(address(1)).id
        var pauses: [TimeInterval] = []
        for _ in 0..<12 {
            let next = try await scene.present().progress.nextAttemptAt
            await scene.round(after: max(2, next.map { $0.timeIntervalSince(scene.test.now) + 0.001 } ?? 2))
            let progress = try await scene.present().progress
            pauses.append(try #require(progress.nextAttemptAt).timeIntervalSince(scene.test.now))
            #expect(await scene.round(after: 0) == 0 && progress.lastError == "timed-out")
        }
        #expect(scene.service.calls.count == 12, "None comes before its time.")
        #expect(pauses.first ?? 0 <= 5 && pauses.allSatisfy { $0 <= 3600 } && pauses.last ?? 0 >= 1800, "\(pauses)")
        var change = AccountChange()
        change.displayName = .some("Ada")
        _ = try await scene.test.realm.accounts.change(id, change, by: scene.test.client)
        scene.service.answers { _ in .answered(status: 204) }
        #expect(await scene.round(after: 3600) == 2)
        #expect(scene.service.types.suffix(2) == ["user.created", "user.changed"])
        let progress = try await scene.present().progress
        #expect(progress.failingSince == nil && progress.attempts == 0 && progress.failed == 0)
        #expect(scene.delivery.counts.delivered == 2 && scene.delivery.counts.postponed == 12)
    }

    @Test func `A failing event holds back its own user's, and not those of others`() async throws {
        let scene = try await scene()
        let bad = try await scene.test.addUser(address(1)).id
        scene.service.answers { $0.user == bad.rawValue ? .answered(status: 422) : .answered(status: 200) }
        scene.test.clock.advance(1)
        var change = AccountChange()
        change.displayName = .some("Ada")
        _ = try await scene.test.realm.accounts.change(bad, change, by: scene.test.client)
        for number in 2...5 { _ = try await scene.test.addUser(address(number)) }
        #expect(await scene.round() == 4)
        #expect(scene.service.calls.count { $0.user == bad.rawValue } == 1)
        // Five attempts, then it is given up and said so; the next one of the user has its own five.
        for _ in 0..<12 { await scene.round(after: 3600) }
        let given = try await scene.test.events(.hookEventFailed)
        #expect(given.map(\.reason) == ["status-422", "status-422"])
        #expect(scene.service.calls.count { $0.user == bad.rawValue } == 10)
        let hook = try await scene.present()
        #expect(hook.progress.failed == 2 && hook.registration.isEnabled && hook.progress.failing.isEmpty)
        // What was given up can be had again, by either id.
        scene.service.answers { _ in .answered(status: 200) }
        let event = try #require(scene.service.calls.first { $0.user == bad.rawValue }).id
        for id in [event, String(event.dropFirst(4))] {
            let reply = try await scene.test.realm.eventHooks.replay(id, to: hook.id, by: scene.test.client).get()
            #expect(reply.isDelivered && scene.service.calls.last?.id == event)
        }
        for id in ["", "evt_", "none", String(given[0].id)] {
            #expect(
                try await scene.test.realm.eventHooks.replay(id, to: hook.id, by: scene.test.client)
                    == .failure(.unknownEvent))
        }
    }

    @Test func `A trial and an event that is sent again are in the log, by whoever had them sent`() async throws {
        let scene = try await scene()
        let (hooks, hook, service) = (scene.test.realm.eventHooks, scene.hook, scene.service)
        var client = scene.test.client
        client.administrator = "user:ada"
        _ = try await scene.test.addUser(address(1))
        let created = try #require(try await scene.test.events(.userCreated).first)
        #expect(try await hooks.sendTrial(to: hook.id, by: client).get().isDelivered)
        #expect(try await hooks.replay(created.id, to: hook.id, by: client).get().isDelivered)
        let trial = try #require(try await scene.test.events(.hookTested).first)
        #expect(trial.details["hook"] == .string(hook.id) && trial.details["by"] == "user:ada")
        let again = try #require(try await scene.test.events(.hookReplayed).first)
        #expect(again.details["event"] == .string(created.id) && again.details["by"] == "user:ada")
        #expect(try await hooks.sendTrial(to: "none", by: client) == .failure(.unknown))

        // What the hook does not ask for does not leave, nor anything to one that is disabled; the log has no event of either.
        let added = try #require(try await scene.test.events(.hookAdded).first)
        let calls = service.calls.count
        #expect(try await hooks.replay(added.id, to: hook.id, by: client) == .failure(.notAskedFor(.administrators)))
        var change = EventHooks.Change()
        change.isEnabled = false
        _ = try await hooks.change(hook.id, change, by: client).get()
        #expect(try await hooks.replay(created.id, to: hook.id, by: client) == .failure(.disabled))
        #expect(service.calls.count == calls)
        let replayed = try await scene.test.events(.hookReplayed)
        #expect(replayed == [again])
        // Its service can be tried before it is enabled.
        #expect(try await hooks.sendTrial(to: hook.id, by: client).get().isDelivered)
        #expect(service.calls.count == calls + 1)
    }

    @Test func `A service that is away for five days, or says that it is gone, is told no more`() async throws {
        for (reply, days, reason) in [
            (HookReply.failed("connection"), 5, "unreachable"), (.answered(status: 302), 5, "unreachable"),
            (.answered(status: 410), 0, "gone"),
        ] {
            let scene = try await scene(service: ScriptedHooks { _ in reply })
            _ = try await scene.test.addUser(address(1))
            await scene.round()
            for _ in 0..<days {
                #expect(try await scene.present().registration.isEnabled)
                await scene.round(after: 86_400)
            }
            let hook = try await scene.present()
            #expect(!hook.registration.isEnabled && hook.progress.disabledBecause == reason, "\(reply)")
            #expect(try await scene.test.events(.hookDisabled).map(\.reason) == [reason])
            let calls = scene.service.calls.count
            await scene.round(after: 86_400)
            #expect(scene.service.calls.count == calls && scene.delivery.standing.disabled == 1)
            // Enabled again, it goes on where it was; or with what happens from now on.
            scene.service.answers { _ in .answered(status: 200) }
            var change = EventHooks.Change()
            change.isEnabled = true
            change.skipsMissed = days == 0
            let enabled = try await scene.test.realm.eventHooks.change(hook.id, change, by: scene.test.client).get()
            #expect(enabled.progress.disabledBecause == nil && enabled.registration.isEnabled)
            #expect(await scene.round() == (days == 0 ? 0 : 1))
        }
    }

    @Test func `Secrets are sealed, shown once, and overlap for a day when they are replaced`() async throws {
        let scene = try await scene()
        let hooks = scene.test.realm.eventHooks
        let fresh = try await hooks.rotateSecret(scene.hook.id, by: scene.test.client).get().secret
        #expect(fresh.reveal() != scene.secret.reveal())
        func signatures() async throws -> Int {
            _ = try await hooks.sendTrial(to: scene.hook.id, by: scene.test.client).get()
            let call = try #require(scene.service.calls.last)
            #expect(call.type == "hook.test")
            return call.headers["webhook-signature"]?.split(separator: " ").count ?? 0
        }
        #expect(try await signatures() == 2)
        scene.test.clock.advance(EventHooks.overlap)
        #expect(try await signatures() == 1)
        let row = try #require(try await scene.test.store.read { try $0.sealedSecret("hook/\(scene.hook.id)") })
        #expect(row.range(of: Data(fresh.reveal().utf8)) == nil)
        #expect("\(try await scene.present())".contains("whsec_") == false)
        let own = Secret("whsec_" + Data(repeating: 9, count: 32).base64EncodedString())
        #expect(try await hooks.rotateSecret(scene.hook.id, to: own, by: scene.test.client).get().secret == own)
        let refused = try await hooks.rotateSecret(scene.hook.id, to: Secret("whsec_AA=="), by: scene.test.client)
        guard case .failure(.malformedSecret) = refused else {
            Issue.record("a short secret")
            return
        }
        #expect(try await hooks.remove(scene.hook.id, by: scene.test.client) != nil)
        #expect(try await scene.test.store.read { try $0.sealedSecret("hook/\(scene.hook.id)") } == nil)
        #expect(try await hooks.remove(scene.hook.id, by: scene.test.client) == nil)
        _ = try await scene.test.addUser(address(1))
        let calls = scene.service.calls.count
        #expect(await scene.round() == 0 && scene.service.calls.count == calls)
    }

    @Test func `What cannot be called or told is not registered`() async throws {
        let test = try await TestRealm.make()
        func refusal(_ url: String, _ events: Set<EventCategory> = [.users], name: String = "") async throws
            -> EventHooks.Refusal?
        {
            let result = try await test.realm.eventHooks.add(
                .init(url: url, name: name, events: events), by: test.client)
            if case .failure(let refusal) = result { return refusal }
            return nil
        }
        for url in [
            "", "hooks.example", "ftp://hooks.example/", "http://hooks.example/", "https://",
            "https://u:p@hooks.example/",
            "https://hooks.example/#x", "file:///etc/passwd", "https://" + String(repeating: "a", count: 2100),
            "http://127.0.0.1.evil.example/", "javascript:alert(1)", "https://hooks.example/a\r\nX: y",
            "https://hooks.example/a b", "https://hooks.example/\u{202E}a", "https://hooks.example/<b>",
            "https://hooks.example/\u{1B}[2J", "https://\u{FF48}ooks.example/", "https://hooks.example:65536/",
            "https://hooks.example:0/", "https://[2001:db8::1]:70000/", "https://hooks.example:99999999999999999999/",
        ] {
            guard case .url = try await refusal(url) else {
                Issue.record("\(url) was taken")
                continue
            }
        }
        #expect(try await refusal("https://hooks.example/", []) == .noEvents)
        let marked = "a" + String(repeating: "\u{301}", count: 100)
        for name in [String(repeating: "x", count: 101), marked, " ", "two\nlines", "a\u{1B}[2J"] {
            #expect(try await refusal("https://hooks.example/", name: name) == .name, "\(name)")
        }
        for number in 0..<EventHooks.most { #expect(try await refusal("https://hooks.example/\(number)") == nil) }
        #expect(try await refusal("https://hooks.example/more") == .tooMany)
    }

    @Test func `A name of before stays where something else is changed, and another is a line`() async throws {
        let test = try await TestRealm.make()
        let registration = EventHook.Registration(url: Self.url, events: [.users])
        var kept = try await test.realm.eventHooks.add(registration, by: test.client).get().hook
        kept.registration.name = "two\nlines"
        let row = kept
        #expect(try await test.realm.store.write { try $0.update(row) })
        var change = EventHooks.Change()
        change.events = [.groups]
        let changed = try await test.realm.eventHooks.change(kept.id, change, by: test.client).get()
        #expect(changed.registration.name == "two\nlines" && changed.registration.events == [.groups])
        change.name = "other\nlines"
        #expect(try await test.realm.eventHooks.change(kept.id, change, by: test.client) == .failure(.name))
    }

    @Test func `Plain http on this machine is registered for development alone, and one of before is switched off`()
        async throws
    {
        let store = try await TestStore.sqlite.open()
        let development = try TestRealm.make(keptIn: store, mode: .development)
        let production = try TestRealm.make(keptIn: store, seed: 2)
        let urls = [
            "http://127.0.0.1:9999/hook", "http://localhost/hook", "http://[::1]:9999/hook", "http://127.0.0.2/",
            "http://LocalHost/", "HTTP://localhost/case",
        ]
        for url in urls {
            let registration = EventHook.Registration(url: url, name: "", events: [.users])
            let refused = try await production.realm.eventHooks.add(registration, by: production.client)
            guard case .failure(.url("has to begin with https://")) = refused else {
                Issue.record("\(url) was taken: \(refused)")
                continue
            }
            let id = try await development.realm.eventHooks.add(registration, by: development.client).get().hook.id
            var change = EventHooks.Change()
            change.name = "of before"
            change.isEnabled = false
            let hooks = production.realm.eventHooks
            #expect(try await hooks.change(id, change, by: production.client).get().registration.isEnabled == false)
            change.isEnabled = true
            await #expect(throws: EventHooks.Refusal.self) {
                try await hooks.change(id, change, by: production.client).get()
            }
            change.url = "HTTPS://hooks.example/"
            #expect(try await hooks.change(id, change, by: production.client).get().registration.isEnabled)
        }
    }

    @Test func `More than may be remembered waits until it has settled, and none is lost`() async throws {
        let scene = try await scene()
        let client = scene.test.client
        let start = scene.test.now
        let events = (0..<700).map { number in
            let at = start + 1 + Double(number) / 1000
            return AuditEvent(
                id: AuditEvent.freshID(at: at, random: scene.test.random), at: at, kind: .userChanged,
                userID: UserID(rawValue: "u\(number % 7)"), context: client)
        }
        try await scene.test.store.write { transaction in for event in events { try transaction.append(event) } }
        scene.test.clock.advance(5)
        for _ in 0..<30 { await scene.delivery.deliverDue() }
        #expect(scene.service.calls.count == HookRound.mostDone)
        scene.test.clock.advance(40)
        for _ in 0..<30 { await scene.delivery.deliverDue() }
        #expect(scene.service.calls.map(\.id).sorted() == events.map { "evt_\($0.id)" }.sorted())
        for number in 0..<7 {
            let own = scene.service.calls.filter { $0.user == "u\(number)" }.map(\.id)
            #expect(own == own.sorted() && own.count == 100)
        }
        #expect(try await scene.present().progress.done.isEmpty)
    }
}
