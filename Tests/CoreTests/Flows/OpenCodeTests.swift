import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

/// A code that names no factor: one charge, compared with each candidate, one settlement (`docs/decisions/0135`).
@Suite("A code for whatever is open")
struct OpenCodeTests {
    private struct Scene {
        let test: TestRealm
        let user: User
        /// The devices, the one that was used last at the end.
        let devices: [DeviceEnrolment]

        func code(_ device: Int, ahead: TimeInterval = 0) throws -> String {
            try TOTP(secret: #require(devices[device].totpSecret).reveal()).code(at: test.now + ahead).stringCode
        }

        /// Right by no device at any step around now.
        func wrongCode() throws -> String {
            let right = try Set(
                devices.indices.flatMap { device in try (-12...12).map { try code(device, ahead: Double($0) * 30) } })
            return (0...).lazy.map { String($0 + 100_000) }.first { !right.contains($0) } ?? ""
        }

        func give(_ code: String, to handle: FlowHandle) async throws -> Verdict {
            try await test.realm.authenticator.answer(
                .code(Secret(code)), to: .flow(handle, .any(.signIn)), by: test.client(from: "192.0.2.1"))
        }

        func wrongAnswers(_ device: Int) async throws -> Int {
            try await test.counter(CounterKey.factor(devices[device].factor.id, .push))?.count ?? 0
        }
    }

    private func scene(devices count: Int) async throws -> Scene {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        var devices: [DeviceEnrolment] = []
        for _ in 0..<count {
            devices.append(try await test.enrol(TestDevice(), of: user.id))
            test.clock.advance(60)
        }
        return Scene(test: test, user: user, devices: devices)
    }

    @Test
    func `The code of any of the three devices used last signs in, and the others' counters stay as they were`()
        async throws
    {
        for device in 0..<3 {
            let scene = try await scene(devices: 3)
            let handle = try await scene.test.pending().handle
            let signedIn = try #require(await scene.give(scene.code(device), to: handle).signedIn)
            #expect(signedIn.evidence.secondFactor?.factorID == scene.devices[device].factor.id)
            #expect(signedIn.evidence.secondFactor?.kind == .totp)
            for other in 0..<3 { #expect(try await scene.wrongAnswers(other) == 0) }
            #expect(try await scene.test.answers(from: "192.0.2.1") == 0)
        }
    }

    @Test
    func `A wrong code counts once against each device that it was compared with, and once against flow and source`()
        async throws
    {
        let scene = try await scene(devices: 4)
        let handle = try await scene.test.pending().handle
        #expect(try await scene.give(scene.wrongCode(), to: handle).reason == .wrongAnswer)
        // The fourth was used before the others, and is not compared.
        #expect(try await scene.wrongAnswers(0) == 0)
        for device in 1..<4 { #expect(try await scene.wrongAnswers(device) == 1) }
        let flow = try await scene.test.store.read { try $0.flow(digest: handle.digest) }
        #expect(flow?.attempts == 1)
        #expect(try await scene.test.answers(from: "192.0.2.1") == 1)
        #expect(try await scene.test.events(.answerRefused).count == 1)
        // The fourth's own code is no answer here.
        #expect(try await scene.give(scene.code(0), to: handle).reason == .wrongAnswer)
    }

    @Test
    func `More devices give no more tries: the sixth guess is not looked at, whether it names a device or not`()
        async throws
    {
        for count in 1...3 {
            let scene = try await scene(devices: count)
            for _ in 0..<5 {
                let handle = try await scene.test.pending().handle
                #expect(try await scene.give(scene.wrongCode(), to: handle).reason == .wrongAnswer)
            }
            let handle = try await scene.test.pending().handle
            #expect(try await scene.give(scene.code(count - 1), to: handle).reason == .lockedOut)
            for device in 0..<count {
                let verdict = try await scene.test.answer(
                    scene.code(device), of: scene.devices[device].factor.id, for: handle)
                #expect(verdict.reason == .lockedOut)
            }
        }
    }

    @Test
    func `A device that waits out its wrong answers is left out, and another still signs in`() async throws {
        let scene = try await scene(devices: 2)
        for _ in 0..<5 {
            let verdict = try await scene.test.answer(
                scene.wrongCode(), of: scene.devices[1].factor.id, for: scene.test.pending().handle)
            #expect(verdict.reason == .wrongAnswer)
        }
        let handle = try await scene.test.pending().handle
        #expect(try await scene.give(scene.code(1), to: handle).reason == .wrongAnswer)
        #expect(try await scene.wrongAnswers(0) == 1)
        #expect(try await scene.wrongAnswers(1) == 5)
        #expect(try await scene.give(scene.code(0), to: handle).isAccomplished)
        #expect(try await scene.wrongAnswers(0) == 0)
        #expect(try await scene.wrongAnswers(1) == 5)
    }

    @Test
    func `Judged again, it is compared with no device that was left out the first time`() async throws {
        let scene = try await scene(devices: 2)
        for _ in 0..<5 {
            _ = try await scene.test.answer(
                scene.wrongCode(), of: scene.devices[1].factor.id, for: scene.test.pending().handle)
        }
        let handle = try await scene.test.pending().handle
        let authenticator = scene.test.realm.authenticator
        let attempt = Attempt(
            answer: .code(Secret(try scene.code(1))), target: .flow(handle, .any(.signIn)), client: scene.test.client,
            now: scene.test.now, newPasswordHash: nil, charge: ChargeID(random: scene.test.random),
            draft: Settlement.Draft(at: scene.test.now, random: scene.test.random, proofs: .standard))
        guard case .admitted(let context) = try await authenticator.charge(attempt),
            case .admitted(let again) = try await authenticator.reload(attempt, context.charge)
        else { throw TestFailure() }
        for found in [context, again] {
            #expect(found.candidates.map(\.located.factor?.id) == [scene.devices[0].factor.id])
        }
    }

    @Test(arguments: TestStore.available)
    func `Fifty wrong codes sent at once are looked at five times`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        var devices: [DeviceEnrolment] = []
        for _ in 0..<3 { devices.append(try await test.enrol(TestDevice(), of: user.id)) }
        let scene = Scene(test: test, user: user, devices: devices)
        var handles: [FlowHandle] = []
        for _ in 0..<10 { handles.append(try await test.pending().handle) }
        let wrong = try scene.wrongCode()
        let reasons = try await withThrowingTaskGroup(of: Refusal.Reason?.self) { [handles] group in
            for number in 0..<50 {
                group.addTask {
                    try await test.realm.authenticator.answer(
                        .code(Secret(wrong)), to: .flow(handles[number % 10], .any(.signIn)), by: test.client
                    ).reason
                }
            }
            return try await group.reduce(into: [Refusal.Reason?]()) { $0.append($1) }
        }
        #expect(reasons.count { $0 == .wrongAnswer } == 5)
        #expect(reasons.count { $0 == .lockedOut } == 45)
        for device in 0..<3 { #expect(try await scene.wrongAnswers(device) == 5) }
    }

    @Test
    func `It is the mailed code where one is open, and the first code of what is being enrolled`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let (handle, code) = try await test.mailCode()
        let answer = Answer.code(Secret(code))
        let verdict = try await test.realm.authenticator.answer(
            answer, to: .flow(handle, .any(.signIn)), by: test.client)
        #expect(verdict.signedIn?.evidence.proofs.map(\.kind) == [.email])

        let offer = try await test.offer(to: user.id)
        let first = try TOTP(secret: offer.secret.reveal()).code(at: test.now).stringCode
        let enrolled = try await test.realm.authenticator.answer(
            .code(Secret(first)), to: .flow(offer.handle, .any(.enrolFactor)), by: test.client)
        guard case .accomplished(.enrolled(let factor, _)) = enrolled else { throw TestFailure() }
        #expect(factor.kind == .totp && factor.name == "")
        // A link is no code.
        let link = try #require(await test.mailLink(.signIn(TestRealm.email)))
        #expect(
            try await test.realm.authenticator.answer(
                .code(Secret("12345678")), to: .flow(link, .any(.signIn)), by: test.client
            ).reason == .unexpectedAnswer)
    }
}
