import ClientHTTP
import Foundation
import Guardian
import NIOCore

/// Requests to devices, and their answers.
enum Pushes {
    /// Answers that were signed before: only what the server does with them is measured.
    @Sendable static func allow(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(.devices)
        let people = try subject.people.take(bench.options.people(perSecond: 1200))
        let asked = Collected<Asked>()
        _ = try await bench.load.run(port: subject.server.port, connections: 64, seconds: 600) { _ in
            AskingDevice(realm: subject.realm, people: people, asked: asked)
        }
        let signed = Collected<ByteBuffer>()
        while let one = asked.take() { signed.add(try one.device.allowing(one, port: subject.server.port)) }
        return try await bench.measure(subject) { _ in Allowing(signed: signed) }.quantities
    }

    /// From the moment in which the client asks for the device, until the device that polls has the request in hand:
    /// the client module on both sides of it, without other load on the server.
    @Sendable static func delivery(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(.devices)
        guard let url = URL(string: "http://127.0.0.1:\(subject.server.port)") else { throw OutOfPeople() }
        let people = try subject.people.take(bench.options.people(perSecond: 25))
        let key = try DataP256PrivateKey.new()
        var latencies: [Double] = []
        while let number = people.next() {
            let device = BenchDevice(person: Person(number: number))
            latencies.append(try await delivery(to: device, of: subject, at: url, key: key))
        }
        latencies.sort()
        let last = latencies.count - 1
        return [
            .medianLatency: [latencies[last / 2]], .p99Latency: [latencies[Int((Double(last) * 0.99).rounded())]],
        ]
    }

    /// The same on bare connections, so that the server alone is measured.
    @Sendable static func deliveryOnTheWire(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(.devices)
        let people = try subject.people.take(bench.options.people(perSecond: 25))
        let begun = Collected<(Person, String)>()
        _ = try await bench.load.run(port: subject.server.port, connections: 8, seconds: 600) { _ in
            BeginningSignIn(realm: subject.realm, people: people, begun: begun)
        }
        var latencies: [Double] = []
        while let (person, token) = begun.take() {
            let device = BenchDevice(person: person)
            let waiting = RequestText.get(
                "/api/device-accounts/\(device.id)/notifications?wait=20", source: person.source, bearer: device.token)
            latencies.append(
                try await bench.load.latency(
                    port: subject.server.port, of: waiting, after: .milliseconds(15),
                    from: subject.realm.challenge(token, person)))
        }
        latencies.sort()
        guard let last = latencies.indices.last else { throw Workbench.NothingMeasured() }
        return [
            .medianLatency: [latencies[last / 2]], .p99Latency: [latencies[Int((Double(last) * 0.99).rounded())]],
        ]
    }

    /// Signs in by password, which is half of it.
    private struct BeginningSignIn: Script {
        let realm: BenchRealm
        let people: Turns
        let begun: Collected<(Person, String)>
        private var person = Person(number: 0)

        init(realm: BenchRealm, people: Turns, begun: Collected<(Person, String)>) {
            self.realm = realm
            self.people = people
            self.begun = begun
        }

        mutating func begin() -> ByteBuffer? {
            guard let number = people.next() else { return nil }
            person = Person(number: number)
            return realm.passwordGrant(person)
        }

        mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
            try answer.expect(403, containing: "mfa_required")
            begun.add((person, try answer.text("mfa_token")))
            return nil
        }
    }

    private struct Grant: Decodable {
        let mfa_token: String
    }

    /// Milliseconds.
    private static func delivery(
        to device: BenchDevice, of subject: Workbench.Subject, at url: URL, key: DataP256PrivateKey
    ) async throws -> Double {
        let person = device.person
        let enrolled = EnrolledDevice(
            id: device.id, userId: "", deviceToken: device.token, notificationToken: "", signingKey: key)
        let client = HTTPClient()
        func post(_ path: String, _ body: [String: String]) async throws -> HTTPClientResponse {
            let answer = try await client.post(
                json: body.merging(["client_id": subject.realm.apiKey]) { own, _ in own },
                to: url.appendingPathComponent(path), headers: ["X-Forwarded-For": person.source])
            guard answer.status < 500 else {
                throw UnexpectedAnswer(
                    status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
            }
            return answer
        }
        let grant = try await post(
            "oauth/token",
            ["grant_type": "password", "username": person.email, "password": Person.password, "scope": "openid"])
        let token = try JSONDecoder().decode(Grant.self, from: grant.body).mfa_token
        let clock = ContinuousClock()
        async let received = {
            let pending = try await Guardian.api(url: url).device(of: enrolled).notifications(waitingUpTo: 20).start()
            return (pending.notifications.count, clock.now)
        }()
        // The device is waiting by now.
        try await Task.sleep(for: .milliseconds(15))
        let start = clock.now
        let asked = try await post("mfa/challenge", ["challenge_type": "oob", "mfa_token": token])
        let (count, end) = try await received
        guard asked.status == 200, count == 1, end > start else {
            throw UnexpectedAnswer(status: asked.status, body: String(decoding: asked.body, as: UTF8.self))
        }
        return (end - start) / .milliseconds(1)
    }
}
