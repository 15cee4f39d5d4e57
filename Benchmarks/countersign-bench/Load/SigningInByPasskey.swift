import CountersignCore
import Crypto
import Foundation
import JSON
import NIOCore
import PasskeyAuthenticator
import Passkeys

/// Signs people in by their passkeys: the challenge, then the response to it.
struct SigningInByPasskey: Script {
    private static let rpID = "login.bench.example"
    private static let origin = "https://login.bench.example"
    /// All have the same key, so that one is enough; each credential has an id of its own.
    private static let key = P256.Signing.PrivateKey()

    let realm: BenchRealm
    let people: Turns
    private var person = Person(number: 0)
    private var isAsked = false

    init(realm: BenchRealm, people: Turns) {
        self.realm = realm
        self.people = people
    }

    mutating func begin() -> ByteBuffer? {
        guard let number = people.next() else { return nil }
        person = Person(number: number)
        isAsked = true
        return RequestText.post(
            "/v2/accounts/passkeySignIn:start?key=\(realm.apiKey)", "{}", source: person.source)
    }

    mutating func answered(_ answer: Answer) throws -> ByteBuffer? {
        guard isAsked else {
            try answer.expect(200, containing: "\"refreshToken\"")
            return nil
        }
        isAsked = false
        try answer.expect(200)
        guard let challenge = [UInt8](base64URL: try answer.text("challenge"), accepting: .all) else {
            throw UnexpectedAnswer(status: answer.status, body: String(buffer: answer.body))
        }
        let client = Array(
            #"{"type":"webauthn.get","challenge":"\#(challenge.base64URL)","origin":"\#(Self.origin)","crossOrigin":false}"#
                .utf8)
        let data = Array(SHA256.hash(data: Data(Self.rpID.utf8))) + [0x05, 0, 0, 0, 0]
        let signature = try Self.key.signature(for: Data(data + SHA256.hash(data: Data(client)))).derRepresentation
        let id = Self.credentialID(of: person).base64URL
        return RequestText.post(
            "/v2/accounts/passkeySignIn:finalize?key=\(realm.apiKey)",
            #"{"authenticatorAuthenticationResponse":{"id":"\#(id)","rawId":"\#(id)","type":"public-key","response":{"#
                + #""clientDataJSON":"\#(client.base64URL)","authenticatorData":"\#(data.base64URL)","#
                + #""signature":"\#(Array(signature).base64URL)","userHandle":"\#(Self.handle(of: person).base64URL)"}}}"#,
            source: person.source)
    }

    private static func credentialID(of person: Person) -> [UInt8] {
        Array(SHA256.hash(data: Data("passkey/\(person.email)".utf8)))
    }

    /// What the authenticator says whose it is; a server's is random.
    private static func handle(of person: Person) -> [UInt8] { Array(person.email.utf8) }

    /// Gives people who are there a passkey each, straight into the store, and the realm a domain.
    static func prepare(_ numbers: Range<Int>, in realm: Realm) async throws {
        _ = try await realm.changeSettings(by: .commandLine) { settings in
            settings.passkeys.rpID = rpID
            settings.passkeys.origins = [origin]
        }
        let point = Array(key.publicKey.rawRepresentation)
        let cose = CBORItem.map([
            (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)), (.int(-2), .bytes(Array(point[..<32]))),
            (.int(-3), .bytes(Array(point[32...]))),
        ]).encoded
        let now = realm.clock.now
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 5000) {
            let part = (start..<min(numbers.upperBound, start + 5000)).map(Person.init)
            try await realm.store.write { transaction in
                // By their ids, which is the order in which all transactions lock users.
                let people = try part.compactMap { person in
                    try EmailAddress(person.email).flatMap { try transaction.user(email: $0) }.map { (person, $0) }
                }
                for (person, user) in people.sorted(by: { $0.1.id.rawValue < $1.1.id.rawValue }) {
                    let id = credentialID(of: person)
                    let record = CredentialRecord(
                        id: id, publicKey: cose, userHandle: handle(of: person), rpID: rpID, signCount: 0,
                        uvInitialized: true, backupEligible: false, backupState: false)
                    let factor = FactorID(credential: id)
                    let sealed = try realm.sealer.seal(
                        JSONEncoder().encode(["credential": record]), for: .factor(factor), in: transaction)
                    _ = try transaction.insert(
                        FactorRecord(
                            id: factor, userID: user.id, kind: .passkey, name: "", createdAt: now, payload: sealed))
                }
            }
        }
    }
}
