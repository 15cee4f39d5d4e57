import CountersignCore
import Crypto
import CryptoExtras
import Foundation
import JSON
import NIOCore

/// The devices of people who have a password and a device: all with one RSA key of 2048 bits, which is what mobile SDKs make.
struct BenchDevice: Sendable {
    static let key: _RSA.Signing.PrivateKey = {
        do { return try _RSA.Signing.PrivateKey(keySize: .bits2048) } catch { fatalError("\(error)") }
    }()

    let person: Person

    var id: String { "dev_\(person.factorID.rawValue)" }
    /// What it shows to ask what waits.
    var token: String { "token of \(person.number)" }

    static func publicKey() throws -> DeviceKey {
        let numbers = try key.publicKey.getKeyPrimitives()
        return try DeviceKey(
            jwk: .object([
                "kty": .string("RSA"), "n": .string(numbers.modulus.base64URL),
                "e": .string(numbers.publicExponent.base64URL),
            ]))
    }

    /// What the store keeps of a device.
    private struct Payload: Encodable {
        let identifier: String
        let key: DeviceKey
        let tokenDigest: Data
    }

    /// Writes people with a password and a device straight into the store.
    static func add(_ numbers: Range<Int>, to realm: Realm) async throws {
        let password = try JSONEncoder().encode(["hash": try await realm.hasher.hash(Secret(Person.password))])
        let key = try publicKey()
        let now = realm.clock.now
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 5000) {
            let part = try (start..<min(numbers.upperBound, start + 5000)).map { number in
                let device = BenchDevice(person: Person(number: number))
                let payload = Payload(
                    identifier: "bench", key: key,
                    tokenDigest: Data(SHA256.hash(data: Data(device.token.utf8))))
                return (
                    device, UserID(random: realm.random), FactorID(rawValue: realm.random.uuid()),
                    try JSONEncoder().encode(payload)
                )
            }
            try await realm.store.write { transaction in
                for (device, userID, passwordID, payload) in part {
                    _ = try transaction.insert(
                        User(
                            id: userID, email: EmailAddress(device.person.email),
                            profile: UserProfile(emailVerified: true, providers: ["password"]), createdAt: now))
                    for (id, kind, payload) in [
                        (passwordID, FactorKind.password, password),
                        (FactorID(rawValue: device.id), .push, payload),
                    ] {
                        let sealed = try realm.sealer.seal(payload, for: .factor(id), in: transaction)
                        _ = try transaction.insert(
                            FactorRecord(
                                id: id, userID: userID, kind: kind, name: "", createdAt: now, payload: sealed))
                    }
                }
            }
        }
    }

    /// A yes to a request, signed beforehand and good for five minutes.
    func allowing(_ asked: Asked, port: Int) throws -> ByteBuffer {
        let now = Int(Date().timeIntervalSince1970)
        let header = #"{"alg":"RS256","typ":"JWT"}"#
        let claims =
            #"{"sub":"\#(asked.challenge)","iss":"bench","aud":"http://127.0.0.1:\#(port)/api/resolve-transaction","#
            + #""iat":\#(now),"exp":\#(now + 300),"auth0_guardian_method":"push","auth0_guardian_accepted":true}"#
        let input = header.utf8.base64URL + "." + claims.utf8.base64URL
        let signature = try Self.key.signature(
            for: SHA256.hash(data: Data(input.utf8)), padding: .insecurePKCS1v1_5)
        return RequestText.post(
            "/api/resolve-transaction",
            #"{"challenge_response":"\#(input).\#(signature.rawRepresentation.base64URL)"}"#,
            source: person.source, bearer: asked.token)
    }
}

/// A request that waits for a device's answer.
struct Asked: Sendable {
    let device: BenchDevice
    let token: String
    let challenge: String
}

extension BenchRealm {
    func passwordGrant(_ person: Person) -> ByteBuffer {
        RequestText.post(
            "/oauth/token",
            #"{"grant_type":"password","client_id":"\#(apiKey)","username":"\#(person.email)","#
                + #""password":"\#(Person.password)","scope":"openid"}"#, source: person.source)
    }

    func challenge(_ mfaToken: String, _ person: Person) -> ByteBuffer {
        RequestText.post(
            "/mfa/challenge",
            #"{"client_id":"\#(apiKey)","challenge_type":"oob","mfa_token":"\#(mfaToken)"}"#, source: person.source)
    }
}

/// Signs in by password, has the device asked, and reads what the device is asked.
struct AskingDevice: Script {
    private enum Step {
        case password, challenge, device
    }

    let realm: BenchRealm
    let people: Turns
    let asked: Collected<Asked>
    private var person = Person(number: 0)
    private var step = Step.password

    init(realm: BenchRealm, people: Turns, asked: Collected<Asked>) {
        self.realm = realm
        self.people = people
        self.asked = asked
    }

    mutating func begin() -> ByteBuffer? {
        guard let number = people.next() else { return nil }
        person = Person(number: number)
        step = .password
        return realm.passwordGrant(person)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        let device = BenchDevice(person: person)
        switch step {
        case .password:
            try answer.expect(403, containing: "mfa_required")
            step = .challenge
            return realm.challenge(try answer.text("mfa_token"), person)
        case .challenge:
            try answer.expect(200)
            step = .device
            return RequestText.get(
                "/api/device-accounts/\(device.id)/notifications", source: person.source, bearer: device.token)
        case .device:
            try answer.expect(200)
            asked.add(Asked(device: device, token: try answer.text("txtkn"), challenge: try answer.text("c")))
            return nil
        }
    }
}

/// Sends what was signed beforehand.
struct Allowing: Script {
    let signed: Collected<ByteBuffer>

    mutating func begin() -> ByteBuffer? { signed.take() }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        try answer.expect(204)
        return nil
    }
}
