import Crypto
import Foundation
import JWTKit
import Testing

@testable import CountersignCore

@Suite("Keys that sign tokens")
struct KeyringTests {
    private static let claims = TokenClaims([
        "sub": "ada", "n": .integer(7), "list": .array([.bool(true), .null, .number(1.5)]), "o": .object(["x": "ü"]),
    ])

    private func prepared() async throws -> TestRealm {
        let test = try await TestRealm.make()
        try await test.realm.keyring.prepare()
        return test
    }

    /// A second server over the same store, that waits for it also on a machine that has no time.
    private func neighbour(of test: TestRealm) -> Keyring {
        Keyring(
            store: test.store, clock: test.clock, random: test.random, sealer: test.realm.sealer,
            patience: .seconds(1200))
    }

    private func jwks(_ keyring: Keyring) async throws -> [[String: JSONValue]] {
        let document = try await JSONDecoder().decode([String: [[String: JSONValue]]].self, from: keyring.jwks())
        return try #require(document["keys"])
    }

    @Test
    func `What a key signed verifies, with both algorithms, and elsewhere by the JWKS alone`() async throws {
        let test = try await prepared()
        let keyring = test.realm.keyring
        let elsewhere = JWTKeyCollection()
        try await elsewhere.add(jwksJSON: String(decoding: keyring.jwks(), as: UTF8.self))
        for algorithm in SigningAlgorithm.allCases {
            let token = try await keyring.sign(Self.claims, with: algorithm)
            #expect(try await keyring.verified(token) == Self.claims)
            #expect(try await neighbour(of: test).verified(token) == Self.claims)
            #expect(try await elsewhere.verify(token, as: TokenClaims.self) == Self.claims)
            let header = try members(of: token)
            #expect(header["alg"] == .string(algorithm.rawValue))
            #expect(header["typ"] == "JWT")
        }
        let cookie = try await keyring.sign(Self.claims, with: .rs256, typ: nil)
        #expect(try members(of: cookie)["typ"] == nil)
        #expect(try await keyring.verified(cookie) == Self.claims)
    }

    @Test
    func `The JWKS has what RFC 7517 asks for, and no private part`() async throws {
        let test = try await prepared()
        let keys = try await jwks(test.realm.keyring)
        #expect(keys.count == 2)
        let elliptic = try #require(keys.first { $0["kty"] == "EC" })
        #expect(Set(elliptic.keys) == ["kty", "use", "alg", "kid", "crv", "x", "y"])
        #expect(elliptic["crv"] == "P-256")
        #expect(elliptic["alg"] == "ES256")
        for name in ["x", "y"] { #expect([UInt8](base64URL: elliptic[name]?.stringValue ?? "")?.count == 32) }
        let rsa = try #require(keys.first { $0["kty"] == "RSA" })
        #expect(Set(rsa.keys) == ["kty", "use", "alg", "kid", "n", "e"])
        #expect(rsa["e"] == "AQAB")
        let modulus = try #require([UInt8](base64URL: rsa["n"]?.stringValue ?? ""))
        #expect(modulus.count == 256 && modulus[0] != 0)
        #expect(keys.allSatisfy { $0["use"] == "sig" })
        #expect(Set(keys.map { $0["kid"] }).count == 2)
    }

    @Test
    func `A token is verified once, and what differs from it by a bit is not taken for it`() async throws {
        let test = try await prepared()
        let keyring = test.realm.keyring
        for algorithm in SigningAlgorithm.allCases {
            let token = try await keyring.sign(Self.claims, with: algorithm)
            let before = keyring.verifiedSignatures.count
            for _ in 0..<3 { #expect(try await keyring.verified(token) == Self.claims) }
            #expect(keyring.verifiedSignatures.count == before + 1)
            let parts = token.split(separator: ".").map(String.init)
            for part in 0..<3 {
                var bytes = try #require([UInt8](base64URL: parts[part]))
                bytes[bytes.count / 2] ^= 1
                var changed = parts
                changed[part] = bytes.base64URL
                #expect(try await keyring.verified(changed.joined(separator: ".")) == nil)
            }
            #expect(keyring.verifiedSignatures.count == before + 1)
        }
    }

    @Test
    func `A token that comes again and again stays known, however many others come between, and no more are known`()
        throws
    {
        let known = VerifiedSignatures()
        func token(_ number: Int) -> String {
            [#"{"alg":"ES256","kid":"a"}"#, #"{"n":\#(number)}"#, "signature"].map { Array($0.utf8).base64URL }
                .joined(separator: ".")
        }
        /// Whether it was known before.
        func verify(_ number: Int) throws -> Bool {
            let read = try #require(known.read(token(number)))
            #expect(known.claims(of: read) { _ in true } != nil)
            return read.isVerified
        }
        #expect(try !verify(0))
        for number in 1...9000 {
            #expect(try !verify(number))
            guard number.isMultiple(of: 1000) else { continue }
            #expect(try verify(0), "after \(number)")
            #expect(known.count <= VerifiedSignatures.capacity)
            #expect(try verify(number - 500), "after \(number)")
        }
        #expect(try !verify(1))
    }

    @Test
    func `Preparing twice makes one pair of keys`() async throws {
        let test = try await prepared()
        try await test.realm.keyring.prepare()
        #expect(try await test.realm.keyring.records().count == 2)
        let sealed = try await test.realm.keyring.records()[0].sealedPrivateKey
        #expect(sealed.range(of: Data("PRIVATE KEY".utf8)) == nil)
    }

    @Test
    func `A rotated key verifies until it is removed, and is in the JWKS as long; its neighbour learns of both`()
        async throws
    {
        let test = try await prepared()
        let keyring = test.realm.keyring
        let other = neighbour(of: test)
        let old = try await keyring.sign(Self.claims, with: .es256)
        #expect(try await other.verified(old) == Self.claims)

        test.clock.advance(1)
        try await keyring.rotate(by: test.client)
        let new = try await keyring.sign(Self.claims, with: .es256)
        #expect(try members(of: new)["kid"] != members(of: old)["kid"])
        #expect(try await test.events(.keyRotated).count == 1)
        #expect(try await jwks(keyring).count == 4)
        // At once for a key that it does not know; within five seconds for what it publishes and signs with.
        #expect(try await jwks(other).count == 2)
        #expect(try await other.verified(new) == Self.claims)
        #expect(try await jwks(other).count == 4)
        #expect(try await keyring.verified(old) == Self.claims)

        let third = neighbour(of: test)
        _ = try await third.jwks()
        test.clock.advance(4.9)
        try await other.rotate(by: test.client)
        test.clock.advance(0.05)
        #expect(try await jwks(third).count == 4)
        test.clock.advance(0.05)
        #expect(try await jwks(third).count == 6)
        #expect(try members(of: await third.sign(Self.claims, with: .es256))["kid"] != members(of: new)["kid"])

        test.clock.advance(Keyring.retirement - 5.1)
        #expect(try await keyring.verified(old) == Self.claims)
        test.clock.advance(0.1)
        #expect(try await keyring.verified(old) == nil)
        #expect(try await keyring.verified(new) == Self.claims)
        #expect(try await jwks(other).count == 4)
        #expect(try await test.realm.maintenance.run() >= 2)
        #expect(try await keyring.verified(old) == nil)
        #expect(try await keyring.records().count == 4)
    }

    @Test(arguments: TestStore.available)
    func `Keys that are rotated by several at once are rotated once, and each is told of the same`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.realm.keyring.prepare()
        let told = try await race(3, meetingBefore: 1) { _ in try await test.realm.keyring.rotate(by: test.client) }
        #expect(told.count == 3 && Set(told.map { Set($0.map(\.id)) }).count == 1)
        let keys = try await test.realm.keyring.records()
        #expect(keys.count == 4)
        #expect(Set(keys.filter { $0.retiredAt == nil }.map(\.id)) == Set(told[0].map(\.id)))
        #expect(try await test.events(.keyRotated).count == 1)
        // One after the other is another matter.
        try await test.realm.keyring.rotate(by: test.client)
        #expect(try await test.realm.keyring.records().count == 6)
    }

    @Test
    func `A key that is retired at once is nowhere taken any more, and another signs in its place`() async throws {
        let test = try await prepared()
        let keyring = test.realm.keyring
        let other = neighbour(of: test)
        let (old, kept) = (
            try await keyring.sign(Self.claims, with: .es256), try await keyring.sign(Self.claims, with: .rs256)
        )
        #expect(try await other.verified(old) == Self.claims)
        let kid = try #require(try members(of: old)["kid"]?.stringValue)

        test.clock.advance(1)
        let (retired, successor) = try #require(try await keyring.retire(kid, by: test.client))
        #expect(retired.id == kid && successor?.algorithm == .es256)
        #expect(try await keyring.verified(old) == nil)
        #expect(try await keyring.verified(kept) == Self.claims)
        let new = try await keyring.sign(Self.claims, with: .es256)
        #expect(try members(of: new)["kid"]?.stringValue == successor?.id)
        #expect(try await jwks(keyring).count == 2)
        test.clock.advance(Keyring.freshness)
        #expect(try await other.verified(old) == nil)
        #expect(try await other.verified(new) == Self.claims)

        // One that signs nothing any more has no successor.
        try await keyring.rotate(by: test.client)
        let replaced = try #require(try members(of: new)["kid"]?.stringValue)
        let again = try #require(try await keyring.retire(replaced, by: test.client))
        #expect(again.successor == nil)
        #expect(try await keyring.verified(new) == nil)
        #expect(try await keyring.retire("none", by: test.client) == nil)
        let events = try await test.events(.keyRetired)
        #expect(Set(events.compactMap { $0.details["key"]?.stringValue }) == [kid, replaced])
    }

    @Test
    func `Settings that a transaction here has seen hold for the keys at once, whichever server changed them`()
        async throws
    {
        let shared = try await TestStore.sqlite.open()
        let here = try TestRealm.make(keptIn: shared)
        let there = try TestRealm.make(keptIn: shared, clock: here.clock, seed: 2)
        try await here.realm.keyring.prepare()
        func published(_ test: TestRealm) async throws -> Int {
            let document = try await JSONDecoder().decode(
                [String: [[String: JSONValue]]].self, from: test.realm.keyring.jwks(for: [.guardian]))
            return try #require(document["keys"]).count
        }
        #expect(try await published(here) == 2)
        #expect(try await published(there) == 2)
        try await there.changeSettings { $0.tokens.publishedKeys = .used }
        #expect(there.realm.keyring.presentJWKS(for: [.guardian]) == nil)
        #expect(try await published(there) == 1)
        #expect(try await here.realm.settings().tokens.publishedKeys == .used)
        #expect(here.realm.keyring.presentJWKS(for: [.guardian]) == nil)
        #expect(try await published(here) == 1)
        // The same settings again are no reason to read the keys.
        _ = try await here.realm.settings()
        #expect(here.realm.keyring.presentJWKS(for: [.guardian]) != nil)
    }

    @Test
    func `A key outlives the longest token that it signed`() {
        var tokens = TokenSettings()
        tokens.idTokenLifetime = .max
        let longest = try? JSONDecoder().decode(TokenSettings.self, from: JSONEncoder().encode(tokens)).idTokenLifetime
        #expect(Keyring.retirement > Double(longest ?? .max))
    }

    @Test
    func `No other algorithm, key or kid than ours verifies`() async throws {
        let test = try await prepared()
        let keyring = test.realm.keyring
        let token = try await keyring.sign(Self.claims, with: .rs256)
        let elliptic = try await keyring.sign(Self.claims, with: .es256)
        let keys = try await jwks(keyring)
        let kid = try #require(members(of: token)["kid"]?.stringValue)
        let ellipticKid = try #require(members(of: elliptic)["kid"]?.stringValue)
        let payload = token.split(separator: ".")[1]
        let signature = token.split(separator: ".")[2]

        func forged(_ header: [String: JSONValue], _ signature: some StringProtocol = signature) throws -> String {
            "\(Array(try JSONEncoder().encode(header)).base64URL).\(payload).\(signature)"
        }
        var tokens: [String: String] = [
            "none": try forged(["alg": "none", "kid": .string(kid)], ""),
            "None": try forged(["alg": "None", "kid": .string(kid)], ""),
            "none with signature": try forged(["alg": "none", "kid": .string(kid)]),
            "no signature": try forged(["alg": "RS256", "kid": .string(kid)], ""),
            "unknown kid": try forged(["alg": "RS256", "kid": "x"]),
            "no kid": try forged(["alg": "RS256"]),
            "swapped kid": try forged(["alg": "RS256", "kid": .string(ellipticKid)]),
            "swapped kid and alg": try forged(["alg": "ES256", "kid": .string(ellipticKid)]),
            "swapped alg": try forged(["alg": "ES256", "kid": .string(kid)]),
            "PS256": try forged(["alg": "PS256", "kid": .string(kid)]),
            "altered header": try forged(["alg": "RS256", "kid": .string(kid), "x": "y"]),
            "jwk of the header": try await selfSigned(naming: ellipticKid),
        ]
        // The public key, in every form that could be mistaken for a shared secret.
        let rsa = try #require(keys.first { $0["kid"] == .string(kid) })
        let public_ = try JWTKit.Insecure.RSA.PublicKey(
            modulus: rsa["n"]?.stringValue ?? "", exponent: rsa["e"]?.stringValue ?? "")
        let secrets = [
            Data(public_.pemRepresentation.utf8), public_.derRepresentation, try await keyring.jwks(), Data(),
        ]
        for (index, secret) in secrets.enumerated() {
            for header in ["HS256", "RS256"] {
                let head = Array(
                    try JSONEncoder().encode(["alg": header, "kid": kid])
                ).base64URL
                let code = HMAC<SHA256>.authenticationCode(
                    for: Data("\(head).\(payload)".utf8), using: SymmetricKey(data: secret))
                tokens["\(header) with public key \(index)"] = "\(head).\(payload).\(Array(code).base64URL)"
            }
        }
        for (name, forgery) in tokens { #expect(try await keyring.verified(forgery) == nil, "\(name)") }
        #expect(try await keyring.verified(token) == Self.claims)
    }

    @Test
    func `Critical headers, which we do not know, are refused although the signature is right`() async throws {
        let test = try await prepared()
        let record = try #require(await test.realm.keyring.records().first { $0.algorithm == .es256 })
        let pem = try test.realm.sealer.open(
            record.sealedPrivateKey, for: .signingKey(record.id))
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: try ES256PrivateKey(pem: String(decoding: pem, as: UTF8.self)))
        let kid = JWKIdentifier(string: record.id)
        let plain = try await keys.sign(Self.claims, kid: kid)
        #expect(try await test.realm.keyring.verified(plain) == Self.claims)
        let critical = try await keys.sign(
            Self.claims, kid: kid, header: ["crit": .array([.string("b64")]), "b64": .bool(true)])
        #expect(try await test.realm.keyring.verified(critical) == nil)
        let empty = try await keys.sign(Self.claims, kid: kid, header: ["crit": .array([])])
        #expect(try await test.realm.keyring.verified(empty) == nil)
    }

    @Test
    func `A key verifies only its own algorithm, even where it signed the wrong name itself`() async throws {
        let test = try await prepared()
        for record in try await test.realm.keyring.records() {
            let pem = String(
                decoding: try test.realm.sealer.open(record.sealedPrivateKey, for: .signingKey(record.id)),
                as: UTF8.self)
            let keys = JWTKeyCollection()
            switch record.algorithm {
            case .es256: await keys.add(ecdsa: try ES256PrivateKey(pem: pem))
            case .rs256: await keys.add(rsa: try JWTKit.Insecure.RSA.PrivateKey(pem: pem), digestAlgorithm: .sha256)
            }
            for algorithm in SigningAlgorithm.allCases {
                let header = try JSONEncoder().encode(["alg": algorithm.rawValue, "kid": record.id])
                let input = "\(Array(header).base64URL).\(Array("{}".utf8).base64URL)"
                let signature = try await keys.getKey().sign(Data(input.utf8))
                let claims = try await test.realm.keyring.verified("\(input).\(signature.base64URL)")
                #expect((claims != nil) == (algorithm == record.algorithm))
            }
        }
    }

    @Test
    func `Every altered character is noticed`() async throws {
        let test = try await prepared()
        let token = Array(try await test.realm.keyring.sign(Self.claims, with: .es256).utf8)
        for index in token.indices.dropLast() {
            var altered = token
            altered[index] = altered[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: altered, as: UTF8.self)
            #expect(try await test.realm.keyring.verified(text) == nil, "character \(index)")
        }
    }

    @Test
    func `Tokens of more than 16 kB are refused unread`() async throws {
        let test = try await prepared()
        let filler = JSONValue.string(String(repeating: "x", count: 15_000))
        let long = try await test.realm.keyring.sign(TokenClaims(["x": filler]), with: .es256)
        #expect(long.utf8.count > 20_000)
        #expect(try await test.realm.keyring.verified(long) == nil)
        #expect(CompactJWS(untrusted: long) == nil)
        #expect(JWSHeader(of: long) == nil)
        #expect(try await test.realm.keyring.verified(String(repeating: ".", count: 20_000)) == nil)
    }

    @Test
    func `Garbage is no token, and nothing is thrown`() async throws {
        let test = try await prepared()
        let keyring = test.realm.keyring
        let good = try await keyring.sign(Self.claims, with: .es256)
        let nested = Array(Data(String(repeating: "[", count: 8000).utf8)).base64URL
        let deep = Array(
            Data((String(repeating: "{\"a\":", count: 1500) + "1" + String(repeating: "}", count: 1500)).utf8)
        ).base64URL
        let fixed = [
            "", ".", "..", "...", "a.b.c", "e30.e30.e30", "e30..", "\(nested).e30.", "\(deep).\(deep).",
            "bnVsbA.bnVsbA.", "MQ.MQ.MQ", "💣.💣.💣", "\u{0}.\u{0}.\u{0}",
        ]
        for text in fixed + (0..<300).map({ _ in test.noise(around: good) }) where text != good {
            #expect(try await keyring.verified(text) == nil, "\(text.prefix(99))")
            _ = ReceivedToken(text).flatMap(Keyring.unsigned)
            _ = UnverifiedCustomToken(text)
        }
    }

    @Test
    func `An unsigned token is one with alg none and nothing behind the last dot`() async throws {
        let test = try await prepared()
        let keyring = test.realm.keyring
        let token = try await keyring.unsignedToken(Self.claims)
        #expect(token.hasSuffix("."))
        #expect(try Keyring.unsigned(#require(ReceivedToken(token))) == Self.claims)
        #expect(try await keyring.verified(token) == nil)
        #expect(try Keyring.unsigned(#require(ReceivedToken(token + "AAAA"))) == nil)
        let signed = try await keyring.sign(Self.claims, with: .es256)
        #expect(try Keyring.unsigned(#require(ReceivedToken(signed))) == nil)
    }

    @Test
    func `A realm without keys says so, and signs nothing`() async throws {
        let test = try await TestRealm.make()
        await #expect(throws: StoreError.self) { try await test.realm.keyring.sign(Self.claims, with: .es256) }
        #expect(try await jwks(test.realm.keyring).isEmpty)
    }

    private func members(of token: String) throws -> [String: JSONValue] {
        let part = try #require(token.split(separator: ".").first)
        return try JSONDecoder().decode(
            [String: JSONValue].self, from: Data(try #require([UInt8](base64URL: part))))
    }

    /// Signed by a stranger's key, which the header brings along.
    private func selfSigned(naming kid: String) async throws -> String {
        let key = P256.Signing.PrivateKey()
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: try ES256PrivateKey(pem: key.pemRepresentation))
        let point = Array(key.publicKey.rawRepresentation)
        return try await keys.sign(
            Self.claims, kid: JWKIdentifier(string: kid),
            header: [
                "jwk": .object([
                    "kty": .string("EC"), "crv": .string("P-256"), "x": .string(point[..<32].base64URL),
                    "y": .string(point[32...].base64URL),
                ])
            ])
    }
}
