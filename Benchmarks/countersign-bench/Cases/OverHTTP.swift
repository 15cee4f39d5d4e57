import Foundation
import NIOCore

/// What clients see.
enum OverHTTP {
    @Sendable static func hello(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        try await bench.measure(try await bench.bareServer()) { _ in Getting("/") }.quantities
    }

    @Sendable static func jwks(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(.minimum)
        return try await bench.measure(subject.server) { _ in Getting("/.well-known/jwks.json") }.quantities
    }

    static func refresh(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(kind)
        let waiting = try await bench.waiting(subject, try subject.people.take(64))
        let tokens = Collected<String>()
        _ = try await bench.load.run(port: subject.server.port, connections: 64, seconds: 600) { _ in
            GivingCode(realm: subject.realm, waiting: waiting, refreshTokens: tokens)
        }
        return try await bench.measure(subject) { number in
            guard let token = tokens.take() else { throw OutOfPeople() }
            return Refreshing(realm: subject.realm, source: Person(number: number).source, token: token)
        }.quantities
    }

    static func wrongCode(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(kind)
        let people = try subject.people.take(bench.options.people(perSecond: 600))
        let waiting = try await bench.waiting(subject, people)
        return try await bench.measure(subject) { _ in GivingWrongCode(realm: subject.realm, waiting: waiting) }
            .quantities
    }

    static func rightCode(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(kind)
        let people = try subject.people.take(bench.options.people(perSecond: kind == .postgres ? 1000 : 1800))
        let waiting = try await bench.waiting(subject, people)
        return try await bench.measure(subject) { _ in GivingCode(realm: subject.realm, waiting: waiting) }.quantities
    }

    static func signIn(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(kind)
        let people = try subject.people.take(bench.options.people(perSecond: kind == .standard ? 250 : 1200))
        return try await bench.measure(subject) { _ in SigningIn(realm: subject.realm, people: people) }.quantities
    }

    @Sendable static func passkeySignIn(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(.passkeys)
        let people = try subject.people.take(bench.options.people(perSecond: 1900))
        return try await bench.measure(subject) { _ in
            SigningInByPasskey(realm: subject.realm, people: people)
        }.quantities
    }

    // MARK: Side by side

    /// Four clients that ask now and then, as verifiers of tokens do.
    private static func getting(_ bench: Workbench, _ subject: Workbench.Subject) async throws -> [Quantity: [Double]] {
        let measured = try await bench.measure(subject.server, connections: 4) { _ in
            Getting("/.well-known/jwks.json", pause: .milliseconds(5))
        }
        return measured.quantities.filter { [.medianLatency, .p99Latency].contains($0.key) }
    }

    @Sendable static func calm(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        try await getting(bench, try await bench.subject(.standard))
    }

    @Sendable static func calmAmidSignIns(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(.standard)
        let people = try subject.people.take(bench.options.people(perSecond: 200) + 8)
        async let signingIn = bench.load.run(
            port: subject.server.port, connections: 8, seconds: bench.options.seconds + 0.5
        ) { _ in SigningIn(realm: subject.realm, people: people) }
        // The hashing is in full swing.
        try await Task.sleep(for: .milliseconds(250))
        var result = try await getting(bench, subject)
        result[.perSecond] = [try await signingIn.perSecond]
        return result
    }

    // MARK: Sizes

    /// The first half of a sign-in, by people from all over the database.
    static func password(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(kind)
        let turns = Turns(0..<subject.count, stride: stride(subject), cycles: true)
        return try await bench.measure(subject, connections: 8) { _ in
            GivingPassword(realm: subject.realm, people: turns)
        }.quantities
    }

    /// The second half, once for each of a hundred people.
    static func code(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(kind)
        try await bench.waitForFreshCodes(kind)
        let first = await bench.nextOffset(kind) % max(1, subject.count / 100)
        let turns = Turns(first..<subject.count, stride: max(1, subject.count / 100))
        let waiting = try await bench.waiting(subject, turns)
        return try await bench.measure(subject, connections: 8) { _ in
            GivingCode(realm: subject.realm, waiting: waiting)
        }.quantities
    }

    /// A prime number of steps through many: neighbours in time are none in the database.
    private static func stride(_ subject: Workbench.Subject) -> Int { subject.count > 1000 ? 997 : 1 }
}
