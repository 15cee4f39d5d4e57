import AdminServer
import CountersignCore
import Foundation
import Synchronization

/// What `doctor` found last. It looks at every application, up to thousands, which is too much for a page that is opened again and again: the
/// overview shows what was found within the last minute, by the same settings.
final class RememberedFindings: Sendable {
    /// Seconds for which findings are shown.
    static let lifetime: TimeInterval = 60

    private struct Found: Sendable {
        let at: Date
        let settings: RealmSettings
        let answer: RunDoctor.Answer
    }

    private let found = Mutex<Found?>(nil)

    func answer(_ scene: ConsoleScene) async throws -> RunDoctor.Answer {
        let (now, settings) = (scene.now, try await scene.realm.settings())
        if let known = found.withLock({ $0 }), known.settings == settings,
            (0..<Self.lifetime).contains(now.timeIntervalSince(known.at))
        {
            return known.answer
        }
        let answer = try await scene.perform(RunDoctor())
        found.withLock { $0 = Found(at: now, settings: settings, answer: answer) }
        return answer
    }
}
