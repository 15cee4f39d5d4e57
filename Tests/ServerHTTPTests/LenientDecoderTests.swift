import CountersignCore
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

@Suite struct LenientDecoderTests {
    struct Verification: Decodable, Equatable {
        var verificationCode: String?
        var sessionInfo: String?
    }

    enum State: String, Decodable {
        case enabled = "ENABLED"
        case disabled = "DISABLED"
    }

    struct Body: Decodable, Equatable {
        var idToken: String?
        var returnSecureToken: Bool?
        var validSince: Int64?
        var small: Int8?
        var unsigned: UInt64?
        var ratio: Double?
        var state: State?
        var photo: Data?
        var tags: [String]?
        var factors: [Verification]?
        var totpVerificationInfo: Verification?
        var customAttributes: [String: JSONValue]?
        var anything: JSONValue?
    }

    private func decode<T: Decodable>(_ type: T.Type = T.self, _ text: String) throws -> T {
        try LenientJSON.decode(type, from: LenientJSON.parse(Array(text.utf8)))
    }

    @Test(arguments: [
        ("{}", Body()),
        (#"{"idToken":"a"}"#, Body(idToken: "a")),
        (#"{"id_token":"a"}"#, Body(idToken: "a")),
        (#"{"id_token":"a","idToken":"b"}"#, Body(idToken: "b")),
        (#"{"id_token":"a","idToken":null}"#, Body(idToken: "a")),
        (#"{"idToken":null,"tags":null,"state":null,"factors":null,"photo":null}"#, Body()),
        (#"{"idToken":123456}"#, Body(idToken: "123456")),
        (#"{"idToken":-1.5}"#, Body(idToken: "-1.5")),
        (#"{"idToken":100.0}"#, Body(idToken: "100")),
        (#"{"unknown":{"deep":[1,2,{"x":null}]},"idToken":"a"}"#, Body(idToken: "a")),
        (#"{"returnSecureToken":true}"#, Body(returnSecureToken: true)),
        (#"{"return_secure_token":"true"}"#, Body(returnSecureToken: true)),
        (#"{"returnSecureToken":"false"}"#, Body(returnSecureToken: false)),
        (#"{"validSince":1700000000}"#, Body(validSince: 1_700_000_000)),
        (#"{"validSince":"1700000000"}"#, Body(validSince: 1_700_000_000)),
        (#"{"validSince":"-9223372036854775808"}"#, Body(validSince: .min)),
        (#"{"validSince":1.7e9}"#, Body(validSince: 1_700_000_000)),
        (#"{"small":-128,"unsigned":"18446744073709551615"}"#, Body(small: -128, unsigned: .max)),
        (#"{"ratio":1}"#, Body(ratio: 1)),
        (#"{"ratio":"1.5e1"}"#, Body(ratio: 15)),
        (#"{"state":"ENABLED"}"#, Body(state: .enabled)),
        (#"{"photo":"+/8="}"#, Body(photo: Data([0xFB, 0xFF]))),
        (#"{"photo":"-_8"}"#, Body(photo: Data([0xFB, 0xFF]))),
        (#"{"tags":["a",1]}"#, Body(tags: ["a", "1"])),
        (#"{"factors":[{"session_info":"s"},{}]}"#, Body(factors: [Verification(sessionInfo: "s"), Verification()])),
        (
            #"{"totp_verification_info":{"verification_code":12}}"#,
            Body(totpVerificationInfo: Verification(verificationCode: "12"))
        ),
        (
            #"{"customAttributes":{"a_b":1,"aB":2,"x":null}}"#,
            Body(customAttributes: ["a_b": .integer(1), "aB": .integer(2)])
        ),
        (#"{"anything":[1,{"a_b":null}]}"#, Body(anything: .array([.integer(1), .object(["a_b": .null])]))),
    ])
    func `Members are taken as leniently as clients send them`(text: String, expected: Body) throws {
        #expect(try decode(Body.self, text) == expected)
    }

    @Test(arguments: [
        ("[]", RequestBodyFault.notAnObject(found: "[]")),
        ("null", .notAnObject(found: "null")),
        (#""text""#, .notAnObject(found: #""text""#)),
        (#"{"idToken":true}"#, .wrongType(path: "idToken", expected: .string, found: "true")),
        (#"{"idToken":{"a":[1]}}"#, .wrongType(path: "idToken", expected: .string, found: #"{"a":[1]}"#)),
        (#"{"id_token":[]}"#, .wrongType(path: "idToken", expected: .string, found: "[]")),
        (#"{"returnSecureToken":"yes"}"#, .wrongType(path: "returnSecureToken", expected: .boolean, found: #""yes""#)),
        (#"{"returnSecureToken":1}"#, .wrongType(path: "returnSecureToken", expected: .boolean, found: "1")),
        (
            #"{"validSince":1.5}"#,
            .wrongType(path: "validSince", expected: .integer(bits: 64, isSigned: true), found: "1.5")
        ),
        (
            #"{"validSince":"+1"}"#,
            .wrongType(path: "validSince", expected: .integer(bits: 64, isSigned: true), found: #""+1""#)
        ),
        (
            #"{"validSince":1e300}"#,
            .wrongType(path: "validSince", expected: .integer(bits: 64, isSigned: true), found: "1e+300")
        ),
        (#"{"small":128}"#, .wrongType(path: "small", expected: .integer(bits: 8, isSigned: true), found: "128")),
        (#"{"unsigned":-1}"#, .wrongType(path: "unsigned", expected: .integer(bits: 64, isSigned: false), found: "-1")),
        (#"{"ratio":"nan"}"#, .wrongType(path: "ratio", expected: .number, found: #""nan""#)),
        (#"{"ratio":"1e999"}"#, .wrongType(path: "ratio", expected: .number, found: #""1e999""#)),
        (#"{"state":"NOT_A_STATE"}"#, .wrongType(path: "state", expected: .value("State"), found: #""NOT_A_STATE""#)),
        (#"{"photo":"%%"}"#, .wrongType(path: "photo", expected: .bytes, found: #""%%""#)),
        (#"{"tags":"a"}"#, .wrongType(path: "tags", expected: .array, found: #""a""#)),
        (#"{"tags":["a",{}]}"#, .wrongType(path: "tags[1]", expected: .string, found: "{}")),
        (#"{"tags":["a",null]}"#, .wrongType(path: "tags[1]", expected: .string, found: "null")),
        (
            #"{"totpVerificationInfo":7}"#,
            .wrongType(path: "totpVerificationInfo", expected: .object("Verification"), found: "7")
        ),
        (
            #"{"totp_verification_info":{"verification_code":false}}"#,
            .wrongType(path: "totpVerificationInfo.verificationCode", expected: .string, found: "false")
        ),
        (
            #"{"factors":[{},{"sessionInfo":[]}]}"#,
            .wrongType(path: "factors[1].sessionInfo", expected: .string, found: "[]")
        ),
        (#"{"id_token":"a","id__token":"b"}"#, .duplicateMember(path: "idToken")),
    ])
    func `The first fault is named with its path`(text: String, expected: RequestBodyFault) {
        #expect(throws: expected) { try decode(Body.self, text) }
    }

    @Test func `A member that has to be there is missing`() {
        struct Needy: Decodable {
            struct Inner: Decodable { var code: Int }
            var inner: Inner
        }
        #expect(throws: RequestBodyFault.missingMember(path: "inner")) { try decode(Needy.self, "{}") }
        #expect(throws: RequestBodyFault.missingMember(path: "inner")) { try decode(Needy.self, #"{"inner":null}"#) }
        #expect(throws: RequestBodyFault.missingMember(path: "inner.code")) { try decode(Needy.self, #"{"inner":{}}"#) }
    }

    @Test func `Types that spell their members in snake case find both`() throws {
        struct Token: Decodable, Equatable {
            var clientID: String?
            enum CodingKeys: String, CodingKey { case clientID = "client_id" }
        }
        #expect(try decode(Token.self, #"{"client_id":"a"}"#) == Token(clientID: "a"))
        #expect(try decode(Token.self, #"{"clientId":"a"}"#) == Token(clientID: "a"))
    }

    @Test func `What a fault repeats is cut off`() throws {
        let text = #"{"tags":{"a":""# + String(repeating: "ä", count: 10_000) + #""}}"#
        let fault = #expect(throws: RequestBodyFault.self) { try decode(Body.self, text) }
        guard case .wrongType(_, _, let found) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(found == #"{"a":""# + String(repeating: "ä", count: 94) + "…")
    }

    @Test func `Descriptions leave out what the client sent`() {
        let fault = RequestBodyFault.wrongType(path: "password", expected: .string, found: #"["hunter2"]"#)
        #expect(!fault.description.contains("hunter2"))
        #expect(fault.description.contains("password"))
    }

    @Test func `Forms are read by the same decoder`() throws {
        let form = try LenientJSON.parseForm(Array("id_token=a&returnSecureToken=true&validSince=12".utf8))
        #expect(
            try LenientJSON.decode(Body.self, from: form) == Body(idToken: "a", returnSecureToken: true, validSince: 12)
        )
    }

    @Test func `Hostile bodies are faults and never traps`() throws {
        let seeds = [
            #"{"idToken":"aä","returnSecureToken":true,"validSince":"1700000000","small":5,"unsigned":1e3}"#,
            #"{"ratio":-1.5e-3,"state":"ENABLED","photo":"+/8=","tags":["\ud83d\udd10",null,1]}"#,
            #"{"factors":[{"session_info":"s"}],"customAttributes":{"a":{"b":[[[{}]]]}},"anything":null}"#,
        ].map { Array($0.utf8) }
        let pieces = [
            "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud83d", ",", ":", "null", "1e999", "-", "9", "é", "\u{0}",
        ]
        .map { Array($0.utf8) }
        var random = SplitMix64(state: 0x5EED)
        var outcomes: [String: Int] = [:]
        for round in 0..<20_000 {
            var bytes = seeds[round % seeds.count]
            if round % 10 == 9 {
                bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                case 1 where place < bytes.count: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &random)], at: place)
                default:
                    let end = Int.random(in: place...bytes.count, using: &random)
                    bytes.insert(contentsOf: bytes[place..<end], at: 0)
                }
            }
            do {
                _ = try LenientJSON.decode(Body.self, from: LenientJSON.parse(bytes))
                outcomes["decoded", default: 0] += 1
            } catch {
                outcomes["\(error.status.code)", default: 0] += 1
            }
            if let form = try? LenientJSON.parseForm(bytes) { _ = try? LenientJSON.decode(Body.self, from: form) }
        }
        #expect(outcomes.values.reduce(0, +) == 20_000)
        #expect(outcomes["decoded", default: 0] > 100)
        #expect(outcomes["400", default: 0] > 10_000)
    }
}

/// Sebastiano Vigna's SplitMix64: the same numbers on each run.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
