import CountersignCore
import Foundation
import Testing

@testable import CountersignServer

@Suite struct CertificateScheduleTests {
    private let start = Date(timeIntervalSince1970: 1_790_000_000)

    @Test(
        arguments: [(0, false), (9.9, false), (10, true), (3600, true), (-9.9, false), (-10, true)] as [(Double, Bool)])
    func `The files are looked at when the clock has moved`(seconds: Double, isDue: Bool) {
        var schedule = CertificateSchedule(startingAt: start)
        let now = start + seconds
        let first = schedule.isDue(at: now)
        #expect(first == isDue)
        let again = schedule.isDue(at: isDue ? now : start)
        #expect(!again, "Looked at just now.")
    }

    @Test(arguments: [(15, false), (14, false), (13.99, true), (0.5, true), (-3, true)] as [(Double, Bool)])
    func `Less than fourteen days before the end it warns`(days: Double, warns: Bool) {
        var schedule = CertificateSchedule(startingAt: start)
        let isWarned = schedule.warns(of: start + days * 86_400, at: start)
        #expect(isWarned == warns)
    }

    @Test func `It warns once a day and at once of another certificate`() {
        var schedule = CertificateSchedule(startingAt: start)
        let (end, other) = (start + 3 * 86_400, start + 4 * 86_400)
        let moments = [
            (end, 0.0), (end, 86_399), (end, 86_400), (other, 86_401), (other, 86_402),
        ].map { schedule.warns(of: $0, at: start + $1) }
        #expect(moments == [true, false, true, true, false])
    }
}
