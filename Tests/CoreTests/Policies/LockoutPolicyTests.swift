import Foundation
import Testing

@testable import CountersignCore

@Suite("Lockout policies")
struct LockoutPolicyTests {
    private static let start = Date(microseconds: ManualClock.beginning)

    /// The waits, in seconds, that follow each of so many wrong answers, each given as soon as it is looked at.
    private func waits(_ policy: LockoutPolicy, _ count: Int) -> [TimeInterval] {
        var now = Self.start
        var counter: AttemptCounter?
        return (0..<count).map { _ in
            guard case .admitted(let charged) = policy.charge(counter, key: "k", at: now) else { return -1 }
            counter = charged
            let wait = charged.blockedUntil.map { $0.timeIntervalSince(now) } ?? 0
            if let blockedUntil = charged.blockedUntil {
                let isLast = charged.count == policy.disabledAfter
                #expect(
                    policy.charge(counter, key: "k", at: blockedUntil - 0.001)
                        == (isLast ? .disabled : .blocked(until: blockedUntil)))
                now = blockedUntil
            }
            return wait.rounded()
        }
    }

    @Test
    func `Codes: five wrong ones, then thirty seconds doubling to an hour, and disabled at a hundred`() {
        let expected: [TimeInterval] = [0, 0, 0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
        #expect(waits(.oneTimeCode, 13) == expected)
        let all = waits(.oneTimeCode, 102)
        #expect(all[12..<100].allSatisfy { $0 == 3600 })
        #expect(all[100...] == [-1, -1])
        let hundred = AttemptCounter(key: "k", count: 100, since: Self.start)
        #expect(LockoutPolicy.oneTimeCode.charge(hundred, key: "k", at: Self.start + 1e9) == .disabled)
    }

    @Test
    func `Passwords: ten wrong ones, then thirty seconds doubling to a quarter of an hour, never disabled`() {
        let all = waits(.password, 300)
        #expect(all[..<16] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900])
        #expect(all[16...].allSatisfy { $0 == 900 })
        let many = AttemptCounter(key: "k", count: 1_000_000_000, since: Self.start)
        guard case .admitted(let counter) = LockoutPolicy.password.charge(many, key: "k", at: Self.start) else {
            Issue.record("not admitted")
            return
        }
        #expect(counter.blockedUntil == Self.start + 900)
    }

    @Test
    func `A mailed code: five wrong answers, then never again, without waits`() {
        #expect(waits(.mailedCode, 7) == [0, 0, 0, 0, 0, -1, -1])
    }

    @Test
    func `A wait that is over begins no new count`() {
        var counter = AttemptCounter(key: "k", count: 7, since: Self.start, blockedUntil: Self.start + 120)
        guard case .admitted(let next) = LockoutPolicy.oneTimeCode.charge(counter, key: "k", at: Self.start + 120)
        else {
            Issue.record("not admitted")
            return
        }
        counter.count = 8
        counter.blockedUntil = Self.start + 120 + 240
        #expect(next == counter)
    }

    @Test
    func `A charge that is given back takes back the wait that it began, and no other`() throws {
        let policy = LockoutPolicy.oneTimeCode
        var counter = AttemptCounter(key: "k", count: 4, since: Self.start)
        for (count, wait) in [(5, 30.0), (6, 60)] {
            let before = counter
            guard case .admitted(var charged) = policy.charge(counter, key: "k", at: Self.start, as: "a") else {
                throw TestFailure()
            }
            #expect(charged.count == count && charged.blockedUntil == Self.start + wait)
            #expect(charged.open == [OpenCharge(id: "a", at: Self.start, blocksUntil: Self.start + wait)])
            counter = charged
            // It ends once.
            let returned = [charged.end("a", .returned), charged.end("a", .returned)]
            #expect(returned == [true, false] && charged == before)
            let kept = [counter.end("a", .kept), counter.end("a", .returned)]
            #expect(kept == [true, false])
            #expect(counter.count == count && counter.blockedUntil == Self.start + wait)
            counter.blockedUntil = nil
        }
    }

    @Test
    func `A charge that was never settled counts for its lease, and then neither it nor its wait`() throws {
        let policy = LockoutPolicy.oneTimeCode
        var counter = AttemptCounter(key: "k", count: 7, since: Self.start)
        guard case .admitted(let charged) = policy.charge(counter, key: "k", at: Self.start, as: "a") else {
            throw TestFailure()
        }
        let until = Self.start + 240
        #expect(policy.charge(charged, key: "k", at: Self.start + 89.9) == .blocked(until: until))
        guard case .admitted(let next) = policy.charge(charged, key: "k", at: Self.start + 90) else {
            throw TestFailure()
        }
        counter.count = 8
        counter.blockedUntil = Self.start + 90 + 240
        #expect(next == counter)
    }

    @Test
    func `A rate limit admits so many in its window, and as many in the next`() {
        let limit = RateLimit(count: 3, window: 60)
        var counter: AttemptCounter?
        func charge(_ seconds: TimeInterval) -> LockoutPolicy.Charge {
            let charge = limit.charge(counter, key: "k", at: Self.start + seconds)
            if case .admitted(let next) = charge { counter = next }
            return charge
        }
        for second in [0.0, 1, 59] {
            guard case .admitted = charge(second) else {
                Issue.record("not admitted after \(second) s")
                return
            }
        }
        #expect(charge(59.9) == .blocked(until: Self.start + 60))
        #expect(charge(60) == .admitted(AttemptCounter(key: "k", count: 1, since: Self.start + 60)))
        #expect(charge(61) == .admitted(AttemptCounter(key: "k", count: 2, since: Self.start + 60)))
    }
}
