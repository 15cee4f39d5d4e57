import Foundation
import Testing

@testable import CountersignCore

/// Flows outlive the program that began them: a link is good for three days, an invitation for five. These are the open
/// challenges as earlier versions wrote them. Never edit one; add the new shape beside it.
@Suite("Every open challenge that was ever written is read")
struct EarlierChallengeTests {
    private func body(_ challenge: String, _ more: String = "") throws -> FlowBody {
        let json = """
            {"purpose":"signIn","dialect":"guardian","clientID":"app","proven":[],"challenge":\(challenge)\(more)}
            """
        let body = try FlowBody(stored: json.utf8)
        #expect(try JSONDecoder().decode(FlowBody.self, from: Data(json.utf8)) == body)
        return body
    }

    private static let instant = Date(timeIntervalSinceReferenceDate: 786_123_456.123457)

    @Test
    func `What was waited for is waited for, and is written such that it is read again`() throws {
        let expected: [(String, FlowChallenge, FlowStage?)] = [
            (#"{"secondFactor":{}}"#, .secondFactor, nil),
            (#"{"link":{}}"#, .link, .mailedLink),
            (
                #"{"mailedCode":{"digest":"AQI=","expiresAt":786123456.123457}}"#,
                try .mailedCode(digest: Data([1, 2]), expiresAt: Self.instant), .mailedCode
            ),
            (
                #"{"enrolment":{"kind":"totp","payload":"eyJzZWNyZXQiOiJBUUk9In0="}}"#,
                .enrolment(kind: .totp, payload: Data(#"{"secret":"AQI="}"#.utf8)), .factorEnrolment
            ),
            (
                #"{"registration":{"_0":{"factorID":"dev_1","totpSecret":"AQI=","kinds":["push"],"onlyAsFirst":true}}}"#,
                .registration(
                    DeviceOffer(
                        factorID: FactorID(rawValue: "dev_1"), totpSecret: Data([1, 2]), kinds: [.push],
                        onlyAsFirst: true)), .enrolmentTicket
            ),
            (
                #"{"deviceDecision":{"_0":{"text":"t","factorID":"dev_1","approvalID":"a","flow":"Aw==","number":"42"}}}"#,
                try .deviceDecision(
                    DeviceChallenge(
                        text: "t", factorID: FactorID(rawValue: "dev_1"), approvalID: "a", flow: Data([3]),
                        number: "42")), .deviceRequest
            ),
            (
                #"{"deviceDecision":{"_0":{"text":"t","factorID":"dev_1","approvalID":"a","flow":"Aw=="}}}"#,
                try .deviceDecision(
                    DeviceChallenge(
                        text: "t", factorID: FactorID(rawValue: "dev_1"), approvalID: "a", flow: Data([3]))),
                .deviceRequest
            ),
            (#"{"unasked":{}}"#, .unasked, nil), (#"{"password":{}}"#, .password, .proof(.password)),
            (#"{"newPassword":{}}"#, .newPassword, nil), (#"{"attributes":{}}"#, .attributes, nil),
            (#"{"confirmation":{}}"#, .confirmation, nil), (#"{"claim":{}}"#, .claim, nil),
            (#"{"approval":{}}"#, .approval, .backchannel),
        ]
        for (json, challenge, stage) in expected {
            let read = try body(json)
            #expect(read.challenge == challenge, "\(json)")
            #expect(read.stage == stage, "\(json)")
            #expect(try FlowBody(stored: read.stored) == read, "\(json)")
            // By a server of the version before, and what it writes.
            #expect(try JSONDecoder().decode(FlowBody.self, from: read.stored) == read, "\(json)")
            #expect(try FlowBody(stored: JSONEncoder().encode(read)) == read, "\(json)")
        }
    }

    @Test
    func `A journey that waits for a password or a code goes on`() throws {
        for (json, awaitsPassword, awaitsCode) in [
            (#"{"password":{}}"#, true, false), (#"{"newPassword":{}}"#, true, false),
            (#"{"mailedCode":{"digest":"AQI=","expiresAt":5}}"#, false, true), (#"{"unasked":{}}"#, false, false),
        ] {
            let read = try body(
                json, ##","journey":{"stage":"firstProof","method":"password","asked":{"id":"f","kind":"push"}}"##)
            let summary = JourneySummary(try #require(read.journey), read.challenge)
            #expect(summary.awaitsPassword == awaitsPassword && summary.awaitsMailedCode == awaitsCode, "\(json)")
            #expect(summary.askedKind == .push && read.stage == .journey(.firstProof))
        }
    }

    @Test
    func `What was proven before, and what a device decided before, counts`() throws {
        let read = try body(
            #"{"secondFactor":{}}"#,
            ##"""
            ,"approval":{"id":"a","askedAt":0,"expiresAt":300,"devices":["dev_1"],
              "decision":{"isAllowed":true,"by":"dev_1","at":5,"kind":"recovery-code"}}
            """##)
        #expect(read.approval?.decision?.kind == .recoveryCode && read.approval?.decision?.isAllowed == true)
        let proofs = try JSONDecoder().decode(
            [Proof].self,
            from: Data(
                #"""
                [{"at":0,"isSecondFactor":false,"kind":"password"},{"at":1,"factorID":"t","isSecondFactor":true,"kind":"totp"}]
                """#.utf8))
        #expect(proofs.map(\.isSecondFactor) == [false, true] && proofs[1].factorID?.rawValue == "t")
    }
}
