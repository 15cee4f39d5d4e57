import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Figures of the last day")
struct FiguresTests {
    private func total(_ day: Figures.Day, _ name: Figures.Name, _ label: String? = nil) -> Int {
        day.series.filter { $0.name == name && (label == nil || $0.label == label) }.flatMap(\.counts).reduce(0, +)
    }

    @Test(arguments: TestStore.available)
    func `What happened is counted by the hour, alike before and after it was gathered`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let enrolled = try await test.addEnrolledUser()
        let empty = try await test.realm.figures.lastDay()
        #expect(empty.hours.count == 24 && Figures.Name.allCases.allSatisfy { total(empty, $0) == 0 })
        #expect(empty.series.allSatisfy { $0.counts.count == 24 })
        for _ in 0..<2 { _ = try await test.signIn(password: "wrong") }
        test.clock.advance(3600)
        let handle = try await test.pending().handle
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).isAccomplished)
        func expectDay(_ comment: String) async throws {
            let day = try await test.realm.figures.lastDay()
            #expect(total(day, .signIns) == 1 && total(day, .secondFactors, "totp") == 1, "\(comment)")
            #expect(total(day, .refusals, "wrongAnswer") == 2, "\(comment)")
            let refusals = try #require(day.series.first { $0.name == .refusals })
            #expect(refusals.counts[22] == 2 && refusals.counts[23] == 0, "\(comment): \(refusals.counts)")
        }
        try await expectDay("not gathered")
        try await test.realm.figures.advance()
        try await expectDay("gathered but for half a minute")
        test.clock.advance(31)
        for _ in 0..<2 { try await test.realm.figures.advance() }
        try await expectDay("gathered, once")
        #expect(test.realm.statistics.all.values.reduce(0, +) > 0)

        // A day later nothing of it is left, whether or not a server ran meanwhile.
        test.clock.advance(25 * 3600)
        let later = try await test.realm.figures.lastDay()
        #expect(Figures.Name.allCases.allSatisfy { total(later, $0) == 0 })
        try await test.realm.figures.advance()
        let document = try await test.store.read { try $0.document("figures") }
        #expect((document?.count ?? 0) < 500)
    }

    @Test(arguments: TestStore.available)
    func `The newest failures are known before and after they were gathered, and the log is not searched for them`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        func add(_ kind: AuditEvent.Kind, _ count: Int) async throws -> [String] {
            let events = (0..<count).map { number in
                let at = test.now + Double(number)
                return AuditEvent(
                    id: AuditEvent.freshID(at: at, random: test.random), at: at, kind: kind, userID: nil,
                    context: test.client)
            }
            try await test.store.write { transaction in
                for event in events { try transaction.append(event) }
            }
            test.clock.advance(Double(count))
            return events.map(\.id)
        }
        func failures() async throws -> [String] { try await test.realm.figures.failures().map(\.id) }

        #expect(try await failures().isEmpty)
        let first = try await add(.mailFailed, 3)
        _ = try await add(.signedUp, 5)
        let second = try await add(.extensionFailed, 2)
        let all = Array((first + second).reversed())
        #expect(try await failures() == all)
        test.clock.advance(40)
        try await test.realm.figures.advance()
        #expect(try await failures() == all)
        // Long after, they are still the newest; and of many the newest ones are kept.
        for _ in 0..<3 {
            test.clock.advance(86_400)
            try await test.realm.figures.advance()
        }
        #expect(try await failures() == all)
        let third = try await add(.pushFailed, 18)
        let newest = Array((all.reversed() + third).reversed().prefix(20))
        #expect(try await failures() == newest)
        test.clock.advance(40)
        try await test.realm.figures.advance()
        #expect(try await failures() == newest)
        // What the log forgets is not told.
        _ = try await test.store.write { try $0.deleteAuditEvents(before: test.now - 86_400, limit: 100) }
        #expect(try await failures() == Array(third.reversed()))
    }

    @Test(arguments: TestStore.available)
    func `Servers that gather together count everything once`(store: TestStore) async throws {
        let shared = try await store.open()
        let servers = try (1...2).map { try TestRealm.make(keptIn: shared, seed: UInt64($0)) }
        let random = servers[0].random
        for hour in 0..<5 {
            let at = servers[0].now + Double(hour) * 3600
            let events = (0..<10).map { number in
                AuditEvent(
                    id: AuditEvent.freshID(at: at + Double(number), random: random), at: at + Double(number),
                    kind: .signedUp, userID: nil, context: servers[0].client)
            }
            try await shared.write { transaction in for event in events { try transaction.append(event) } }
        }
        for server in servers { server.clock.advance(5 * 3600) }
        await withTaskGroup(of: Void.self) { group in
            for server in servers + servers { group.addTask { try? await server.realm.figures.advance() } }
        }
        try await servers[0].realm.figures.advance()
        let day = try await servers[1].realm.figures.lastDay()
        #expect(total(day, .signUps) == 50)
        #expect(day.series.first { $0.name == .signUps }?.counts.filter { $0 > 0 } == [10, 10, 10, 10, 10])
    }

    // MARK: What servers measure

    @Test func `A bucket of durations is a quarter of a doubling`() {
        for duration in [1, 2, 3, 5, 999, 1000, 1001, 12_345, 250_000, 9_999_999, 40_000_000] as [Int64] {
            let index = DurationBuckets.index(ofMicroseconds: duration)
            let (begin, end) = (DurationBuckets.begin(index), DurationBuckets.begin(index + 1))
            #expect(begin <= Double(duration) && Double(duration) < end, "\(duration): \(begin) to \(end)")
            #expect(end <= begin * 1.25, "\(duration)")
        }
        for wrong in [Int64.min, -1, 0] { #expect(DurationBuckets.index(ofMicroseconds: wrong) == 0) }
        #expect(DurationBuckets.index(ofMicroseconds: .max) == DurationBuckets.count - 1)
    }

    @Test func `A median and a high part come out of the buckets to a fifth`() throws {
        #expect(DurationBuckets.quantile(0.5, of: [:]) == nil)
        let durations = RequestDurations()
        // 98 between 10 and 20 ms, and two of a second.
        for number in 0..<98 { durations.record(.pages, nanoseconds: 10_000_000 + Int64(number) * 100_000) }
        for _ in 0..<2 { durations.record(.pages, nanoseconds: 1_000_000_000) }
        let numbers = try #require(durations.all[.pages])
        #expect(numbers.values.reduce(0, +) == 100 && durations.all[.applications]?.isEmpty == true)
        let median = try #require(DurationBuckets.quantile(0.5, of: numbers))
        let high = try #require(DurationBuckets.quantile(0.99, of: numbers))
        #expect((12_000...18_000).contains(median), "\(median)")
        #expect((800_000...1_200_000).contains(high), "\(high)")
    }

    @Test(arguments: TestStore.available)
    func `Servers add what they measured by the hour, once, and what the store did not take the next time`(
        store: TestStore
    ) async throws {
        let shared = try await store.open()
        let servers = try (1...2).map { try TestRealm.make(keptIn: shared, seed: UInt64($0)) }
        let measuring = servers.map { _ in (deliveries: DeliveryStatistics(), durations: RequestDurations()) }
        let measured = measuring.map { MeasuredFigures(deliveries: $0.deliveries, durations: $0.durations) }
        func write() async throws {
            for (server, own) in zip(servers, measured) { try await own.write(to: server.realm) }
        }
        // Where nothing came nothing is written.
        try await write()
        #expect(try await shared.read { try $0.document(MeasuredFigures.document) } == nil)
        for own in measuring {
            own.deliveries.count(.email) { $0.delivered += 2 }
            own.deliveries.count(.otp) { $0.delivered += 1 }
            own.deliveries.count(.push) { $0.failed += 1 }
            for _ in 0..<10 { own.durations.record(.applications, nanoseconds: 5_000_000) }
        }
        for _ in 0..<2 { try await write() }
        for server in servers { server.clock.advance(3600) }
        measuring[1].deliveries.count(.push) { $0.delivered += 4 }
        measuring[1].durations.record(.applications, nanoseconds: 800_000_000)
        try await write()
        let day = try await servers[0].realm.figures.lastDay()
        #expect(day.series.first { $0.name == .deliveredMails }?.counts.suffix(2) == [6, 0])
        #expect(day.series.first { $0.name == .deliveredPushes }?.counts.suffix(2) == [0, 4])
        #expect(day.latencies.map(\.kind) == RequestDurations.Kind.allCases)
        let latency = try #require(day.latencies.first { $0.kind == .applications })
        #expect(latency.counts.suffix(2) == [20, 1])
        #expect((4000...6000).contains(latency.medians[22] ?? 0), "\(latency.medians)")
        #expect((640_000...960_000).contains(latency.medians[23] ?? 0), "\(latency.medians)")
        #expect(latency.medians[21] == nil && (4000...6000).contains(latency.median ?? 0))
        #expect(day.latencies.first { $0.kind == .pages }?.median == nil)

        // A day later nothing of it is left.
        for server in servers { server.clock.advance(25 * 3600) }
        measuring[0].deliveries.count(.email) { $0.delivered += 1 }
        try await write()
        let later = try await servers[1].realm.figures.lastDay()
        #expect(total(later, .deliveredMails) == 1 && later.latencies.allSatisfy { $0.median == nil })
        let document = try #require(try await shared.read { try $0.document(MeasuredFigures.document) })
        #expect(document.count < 100)
    }

    @Test func `What a store does not take is written the next time`() async throws {
        let faulty = FaultyStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: faulty)
        let deliveries = DeliveryStatistics()
        let measured = MeasuredFigures(deliveries: deliveries, durations: RequestDurations())
        deliveries.count(.email) { $0.delivered += 3 }
        faulty.set(.away)
        await #expect(throws: StoreError.self) { try await measured.write(to: test.realm) }
        faulty.set(nil)
        deliveries.count(.email) { $0.delivered += 1 }
        try await measured.write(to: test.realm)
        #expect(total(try await test.realm.figures.lastDay(), .deliveredMails) == 4)
    }
}
