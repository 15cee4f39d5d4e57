import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore

/// A sender that does what a test says.
private final class ScriptedSender: MessageSender {
    let channel: OutboxMessage.Channel
    let retries: RetryPolicy
    let concurrency: Int
    let ready = Mutex(true)
    /// How often it was asked whether there is anywhere to send to.
    let asked = Mutex(0)
    private let script: @Sendable (OpenedMessage) async -> DeliveryResult
    private let sent = Mutex<[String]>([])
    private let load = Mutex((now: 0, most: 0))

    init(
        _ channel: OutboxMessage.Channel = .email, retries: RetryPolicy = .mail, concurrency: Int = 8,
        _ script: @escaping @Sendable (OpenedMessage) async -> DeliveryResult = { _ in .delivered }
    ) {
        self.channel = channel
        self.retries = retries
        self.concurrency = concurrency
        self.script = script
    }

    /// Ids, in the order in which they came.
    var ids: [String] { sent.withLock { $0 } }
    var mostAtOnce: Int { load.withLock { $0.most } }

    func isReady() async throws -> Bool {
        asked.withLock { $0 += 1 }
        return ready.withLock { $0 }
    }

    func send(_ message: OpenedMessage) async -> DeliveryResult {
        sent.withLock { $0.append(message.message.id) }
        load.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        defer { load.withLock { $0.now -= 1 } }
        return await script(message)
    }

    func shutDown() async {}
}

@Suite("Delivery")
struct DeliveryTests {
    private func delivery(
        _ test: TestRealm, _ sender: ScriptedSender, _ statistics: DeliveryStatistics = DeliveryStatistics()
    ) -> OutboxDelivery {
        OutboxDelivery(realm: test.realm, sender: sender, statistics: statistics)
    }

    private func messages(_ test: TestRealm) async throws -> [OutboxMessage] {
        try await test.store.read { try $0.outboxMessages(limit: 1000) }
    }

    @Test
    func `Pauses double up to the longest, and jitter spreads them over their upper half`() {
        let policy = RetryPolicy(firstPause: 10, longestPause: 100, maximumAttempts: 5, lifetime: 1)
        let table: [(attempts: Int, jitter: Double, pause: Double)] = [
            (1, 1, 10), (2, 1, 20), (3, 1, 40), (4, 1, 80), (5, 1, 100), (1000, 1, 100), (.max, 1, 100), (0, 1, 10),
            (1, 0, 5), (3, 0.5, 30), (1, 7, 10), (1, -7, 5),
        ]
        for row in table {
            #expect(policy.pause(afterAttempts: row.attempts, jitter: row.jitter) == row.pause, "\(row)")
        }
    }

    @Test
    func `A delivered mail leaves nothing behind; under --dev it stays for the inbox, and is not delivered again`()
        async throws
    {
        for mode in [RealmMode.production, .development] {
            let test = try await TestRealm.make(mode: mode)
            try await test.addUser()
            _ = try await test.mailLink(.resetPassword(TestRealm.email))
            #expect(try await test.realm.outbox.waiting(for: .email) == 1)
            let (sender, statistics) = (ScriptedSender(), DeliveryStatistics())
            let delivery = delivery(test, sender, statistics)
            #expect(try await delivery.deliverDue() == 1)
            #expect(try await delivery.deliverDue() == 0)
            #expect(sender.ids.count == 1)
            #expect(try await test.realm.outbox.waiting(for: .email) == 0)
            #expect(statistics.counts(of: .email).delivered == 1)
            let left = try await messages(test)
            #expect(left.map(\.deliveredAt) == (mode == .production ? [] : [test.now]))
        }
    }

    @Test
    func `What could not go is tried again after its pause, or after what the other side asked for`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        _ = try await test.mailLink(.resetPassword(TestRealm.email))
        let answers = Mutex<[DeliveryResult]>([
            .postponed(reason: "busy"), .postponed(reason: "busy", after: 300), .delivered,
        ])
        let sender = ScriptedSender { _ in answers.withLock { $0.removeFirst() } }
        let (statistics, start) = (DeliveryStatistics(), test.now)
        let delivery = delivery(test, sender, statistics)
        try await delivery.deliverDue()
        let first = try #require(await messages(test).first)
        #expect(first.attempts == 1 && first.deliveredAt == nil)
        #expect((start + 5...start + 10).contains(first.nextAttemptAt))
        test.clock.advance(4.9)
        #expect(try await delivery.deliverDue() == 0)
        test.clock.advance(5.1)
        #expect(try await delivery.deliverDue() == 1)
        #expect(try await messages(test).first?.nextAttemptAt == test.now + 300)
        test.clock.advance(300)
        #expect(try await delivery.deliverDue() == 1)
        #expect(try await messages(test).isEmpty)
        #expect(
            statistics.counts(of: .email)
                == {
                    var c = DeliveryStatistics.Counts(); c.delivered = 1; c.postponed = 2; return c
                }())
    }

    @Test
    func `What will never arrive is logged without its address, its link or its code, and goes`() async throws {
        let cases: [(RetryPolicy, DeliveryResult, String, Int)] = [
            (.mail, .refused(reason: "mailbox-unknown"), "mailbox-unknown", 1),
            // Too often.
            (
                RetryPolicy(firstPause: 1, longestPause: 1, maximumAttempts: 3, lifetime: 9),
                .postponed(reason: "busy"),
                "busy", 3
            ),
            // The next attempt would come when the link is dead.
            (.mail, .postponed(reason: "later", after: 3600), "later", 1),
        ]
        for (retries, answer, reason, attempts) in cases {
            let test = try await TestRealm.make()
            let user = try await test.addUser()
            let handle = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
            let (sender, statistics) = (ScriptedSender(retries: retries) { _ in answer }, DeliveryStatistics())
            let delivery = delivery(test, sender, statistics)
            for _ in 0..<5 {
                try await delivery.deliverDue()
                test.clock.advance(1)
            }
            #expect(sender.ids.count == attempts)
            #expect(try await messages(test).isEmpty)
            #expect(statistics.counts(of: .email).failed == 1)
            let events = try await test.events(.mailFailed)
            #expect(events.map(\.reason) == [reason] && events.map(\.userID) == [user.id])
            let text = String(describing: events)
            #expect(!text.contains("ada@") && !text.contains(handle.token.reveal()))
            #expect(events.first?.details["attempts"] == .integer(Int64(attempts)))
        }
    }

    @Test
    func `A message that is worth nothing any more is not sent`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        _ = try await test.mailCode()
        let sender = ScriptedSender { _ in .postponed(reason: "busy") }
        let delivery = delivery(test, sender)
        try await delivery.deliverDue()
        test.clock.advance(600)
        try await delivery.deliverDue()
        #expect(sender.ids.count == 1)
        #expect(try await test.events(.mailFailed).map(\.reason) == ["expired"])

        // A push that could not be sent in time is no failure: the device may have asked.
        let enrolment = try await test.enrol(
            TestDevice(), of: #require(await test.realm.accounts.user(email: TestRealm.email)).id)
        let handle = try await test.pending().handle
        _ = try await test.ask(for: handle)
        test.clock.advance(300)
        let pushes = ScriptedSender(.push, retries: .push)
        #expect(try await self.delivery(test, pushes).deliverDue() == 1)
        #expect(pushes.ids.isEmpty && enrolment.factor.kind == .push)
        #expect(try await test.events(.pushFailed).isEmpty)
    }

    @Test
    func `A pushed request stays for the device that asks, as long as it lives`() async throws {
        let test = try await TestRealm.make()
        let device = try await test.enrol(TestDevice(), of: test.addUser().id).factor.id
        _ = try await test.ask(for: test.pending().handle)
        let (sender, statistics) = (ScriptedSender(.push, retries: .push), DeliveryStatistics())
        let delivery = delivery(test, sender, statistics)
        #expect(try await delivery.deliverDue() == 1)
        #expect(try await test.realm.devices.requests(to: device).count == 1)
        test.clock.advance(300 + 59)
        try await test.realm.maintenance.run()
        func pushes() async throws -> Int { try await messages(test).count { $0.channel == .push } }
        #expect(try await pushes() == 1)
        test.clock.advance(2)
        try await test.realm.maintenance.run()
        #expect(try await pushes() == 0, "Handles and challenges do not linger.")
        #expect(statistics.counts(of: .push).delivered == 1 && statistics.counts(of: .email).delivered == 0)
    }

    @Test
    func `While a sender has nowhere to go, messages wait untouched`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        _ = try await test.mailLink(.resetPassword(TestRealm.email))
        let sender = ScriptedSender()
        sender.ready.withLock { $0 = false }
        #expect(try await delivery(test, sender).deliverDue() == 0)
        #expect(try await messages(test).map(\.attempts) == [0])
    }

    @Test(.timeLimit(.minutes(20)))
    func `A sender that has nowhere to go is not asked for each message, and found again by a look`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let idle = ScriptedSender()
        idle.ready.withLock { $0 = false }
        let waiting = delivery(test, idle)
        let running = Task { await waiting.run(lookingEvery: .seconds(600)) }
        while idle.asked.withLock({ $0 }) == 0 { await Task.yield() }
        for _ in 0..<8 { _ = try await test.mailLink(.resetPassword(TestRealm.email)) }
        waiting.stop()
        await running.value
        // The first mail may have come before the answer was noted.
        #expect(idle.asked.withLock { $0 } <= 2)

        let (finished, finish) = AsyncStream<Void>.makeStream()
        let sender = ScriptedSender { _ in
            finish.yield()
            return .delivered
        }
        sender.ready.withLock { $0 = false }
        let looking = delivery(test, sender)
        let looks = Task { await looking.run(lookingEvery: .milliseconds(10)) }
        while sender.asked.withLock({ $0 }) == 0 { await Task.yield() }
        sender.ready.withLock { $0 = true }
        var count = 0
        for await _ in finished {
            count += 1
            if count == 8 { break }
        }
        looking.stop()
        await looks.value
        #expect(try await messages(test).isEmpty)
    }

    @Test
    func `A message that does not open is given up and said so; nothing else waits for it`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        _ = try await test.mailLink(.resetPassword(TestRealm.email))
        let now = test.now
        _ = try await test.store.write {
            try $0.insert(
                OutboxMessage(
                    id: "0", channel: .email, recipient: "x@example.org", createdAt: now, nextAttemptAt: now,
                    sealedContent: Data("nonsense".utf8)))
        }
        let sender = ScriptedSender()
        #expect(try await delivery(test, sender).deliverDue() == 2)
        #expect(sender.ids.count == 1)
        #expect(try await test.events(.mailFailed).map(\.reason) == ["unreadable"])
    }

    // MARK: Several servers

    @Test(arguments: TestStore.available)
    func `Several servers on one store deliver each message once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        for _ in 0..<12 { _ = try await test.mailLink(.resetPassword(TestRealm.email)) }
        let senders = (0..<3).map { _ in ScriptedSender(concurrency: 5) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in senders {
                group.addTask {
                    let delivery = self.delivery(test, sender)
                    for _ in 0..<6 { try await delivery.deliverDue() }
                }
            }
            try await group.waitForAll()
        }
        let ids = senders.flatMap(\.ids)
        #expect(ids.count == 12 && Set(ids).count == 12)
        #expect(try await messages(test).isEmpty)
    }

    @Test
    func `A server that dies in the middle leaves the message to another, once its time is up`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        _ = try await test.mailLink(.resetPassword(TestRealm.email))
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let dying = ScriptedSender { _ in
            arrival.yield()
            try? await Task.sleep(for: .seconds(3600))
            // A dead process notes nothing; this one comes too late for it.
            return .refused(reason: "dead")
        }
        let death = Task { try await delivery(test, dying).deliverDue() }
        for await _ in arrived { break }
        let (sender, statistics) = (ScriptedSender(), DeliveryStatistics())
        let next = delivery(test, sender, statistics)
        #expect(try await next.deliverDue() == 0, "It is the first server's still.")
        test.clock.advance(OutboxDelivery.lease)
        #expect(try await next.deliverDue() == 1)
        #expect(sender.ids == dying.ids)
        death.cancel()
        _ = try await death.value
        #expect(try await test.events(.mailFailed).isEmpty, "A late server does not decide.")
        #expect(statistics.counts(of: .email).delivered == 1)
    }

    @Test(arguments: TestStore.available)
    func `No transaction is open while a message is sent`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        _ = try await test.mailLink(.resetPassword(TestRealm.email))
        let sender = ScriptedSender { _ in
            // On SQLite this would wait for ever.
            _ = try? await test.mailLink(.resetPassword(TestRealm.email))
            return .delivered
        }
        #expect(try await delivery(test, sender).deliverDue() == 1)
        #expect(try await messages(test).count == 1)
    }

    // MARK: Running

    @Test(
        .timeLimit(.minutes(20)))
    func `A commit wakes the delivery, no more is under way than allowed, and what is under way ends before it stops`()
        async throws
    {
        let test = try await TestRealm.make()
        try await test.addUser()
        let (finished, finish) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let opened = Task { for await _ in gate { break } }
        let sender = ScriptedSender(concurrency: 3) { _ in
            await opened.value
            finish.yield()
            return .delivered
        }
        let delivery = delivery(test, sender)
        // Nothing but the bell wakes it within the test's time.
        let running = Task { await delivery.run(lookingEvery: .seconds(600)) }
        for _ in 0..<8 { _ = try await test.mailLink(.resetPassword(TestRealm.email)) }
        while sender.ids.count < 3 { await Task.yield() }
        open.finish()
        var count = 0
        for await _ in finished {
            count += 1
            if count == 8 { break }
        }
        #expect(sender.mostAtOnce == 3 && Set(sender.ids).count == 8)

        let (late, enter) = AsyncStream<Void>.makeStream()
        let (hold, release) = AsyncStream<Void>.makeStream()
        let slow = ScriptedSender(.push, retries: .push) { _ in
            enter.yield()
            for await _ in hold { break }
            return .delivered
        }
        _ = try await test.enrol(TestDevice(), of: #require(await test.realm.accounts.user(email: TestRealm.email)).id)
        let pushes = self.delivery(test, slow)
        let pushing = Task { await pushes.run(lookingEvery: .seconds(600)) }
        _ = try await test.ask(for: test.pending().handle)
        for await _ in late { break }
        delivery.stop()
        await running.value
        pushes.stop()
        release.finish()
        await pushing.value
        #expect(try await messages(test).allSatisfy { $0.deliveredAt != nil }, "It was noted before the end.")
    }

    @Test
    func `While others wait, the end of a mail and the beginning of the next are one write`() async throws {
        let store = CountingStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: store)
        try await test.addUser()
        for _ in 0..<5 { _ = try await test.mailLink(.resetPassword(TestRealm.email)) }
        let (finished, finish) = AsyncStream<Void>.makeStream()
        let sender = ScriptedSender(concurrency: 1) { _ in
            finish.yield()
            return .delivered
        }
        let delivery = delivery(test, sender)
        let before = (store.reads, store.writes)
        let running = Task { await delivery.run(lookingEvery: .seconds(600)) }
        var count = 0
        for await _ in finished {
            count += 1
            if count == 5 { break }
        }
        delivery.stop()
        await running.value
        #expect(Set(sender.ids).count == 5)
        #expect(try await messages(test).isEmpty)
        // The first is taken alone; where the last ends there may be another look.
        #expect((6...7).contains(store.writes - before.1))
        // The look at the beginning, and that of this test.
        #expect(store.reads - before.0 == 2)
    }

    @Test(arguments: TestStore.available)
    func `What is taken at the end of another is one server's, also where it is the older of the two`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        for _ in 0..<3 { _ = try await test.mailLink(.resetPassword(TestRealm.email)) }
        let old = try #require(await messages(test).first)
        let now = test.now
        // The oldest failed before, so that it is due after the others.
        _ = try await test.store.write { transaction in
            var postponed = old
            postponed.nextAttemptAt = now + 1
            postponed.attempts = 1
            return try transaction.update(postponed, after: 0)
        }
        test.clock.advance(1)
        let (finished, finish) = AsyncStream<Void>.makeStream()
        let senders = (0..<2).map { _ in
            ScriptedSender(concurrency: 1) { _ in
                finish.yield()
                return .delivered
            }
        }
        let deliveries = senders.map { self.delivery(test, $0) }
        let running = Task {
            await withDiscardingTaskGroup { group in
                for delivery in deliveries { group.addTask { await delivery.run(lookingEvery: .milliseconds(20)) } }
            }
        }
        var count = 0
        for await _ in finished {
            count += 1
            if count == 3 { break }
        }
        for delivery in deliveries { delivery.stop() }
        await running.value
        let ids = senders.flatMap(\.ids)
        #expect(ids.count == 3 && Set(ids).count == 3)
        #expect(try await messages(test).isEmpty)
    }

    @Test
    func `A write wakes the delivery that got a message, and no other`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        _ = try await test.enrol(TestDevice(), of: user.id)
        func woken(_ write: () async throws -> Void) async throws -> [OutboxMessage.Channel] {
            let listening = OutboxMessage.Channel.allCases.map { ($0, test.realm.notifier.listen(to: $0.topic)) }
            try await write()
            var woken: [OutboxMessage.Channel] = []
            for (channel, listener) in listening {
                listener.stop()
                for await _ in listener.notifications { woken.append(channel) }
            }
            return woken
        }
        #expect(try await woken { _ = try await test.mailCode() } == [.email])
        #expect(try await woken { _ = try await test.ask(for: test.pending().handle) } == [.push])
        #expect(try await woken { try await test.changeSettings { $0.tokens.sessionDays = 30 } } == [])
    }
}
