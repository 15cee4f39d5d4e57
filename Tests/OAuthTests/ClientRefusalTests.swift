import CountersignCore
import Foundation
import OAuthServer
import Testing

/// What the server's log says of applications that are not taken for who they say.
@Suite("Lines of refused applications")
struct ClientRefusalTests {
    private let start = ContinuousClock.now

    @Test
    func `Every refusal has a reason of its own but a limit, which has its figures`() {
        let refusals: [ClientAuthenticationRefusal] = [
            .missing, .malformed, .methodNotAdmitted, .unknown, .credentialsMissing, .wrongCredentials,
        ]
        let lines = ClientRefusals()
        let reasons = refusals.compactMap { lines.line($0, at: start)?.reason }
        #expect(Set(reasons).count == refusals.count)
        #expect(lines.line(.limited(until: Date(timeIntervalSince1970: 1_790_000_000)), at: start) == nil)
    }

    @Test
    func `Thirty lines a minute are written, and the next says how many were left out`() {
        let lines = ClientRefusals()
        func said(_ count: Int, at now: ContinuousClock.Instant) -> [Int] {
            (0..<count).compactMap { _ in lines.line(.unknown, at: now)?.leftOut }
        }
        #expect(said(30, at: start) == Array(repeating: 0, count: 30))
        #expect(said(7, at: start + .milliseconds(59_900)).isEmpty)
        #expect(said(2, at: start + .seconds(60)) == [7, 0])
        #expect(said(40, at: start + .seconds(61)).count == 28)
        #expect(said(1, at: start + .seconds(120)) == [12])
    }
}
