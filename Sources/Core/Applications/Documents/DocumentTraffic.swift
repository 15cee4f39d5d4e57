import Foundation
import Synchronization

/// Documents that this process reads at the moment, and how many it knows to be kept.
final class DocumentTraffic: Sendable {
    typealias Reading = Task<ClientDocuments.Refusal?, any Error>

    /// Documents that are read at once, and those of one host.
    static let most = 16
    static let mostOfHost = 4
    /// Seconds for which a count holds.
    private static let pause: TimeInterval = 3600

    private struct State {
        var readings: [String: Reading] = [:]
        var hosts: [String: Int] = [:]
        var count = 0
        var countedAt: Date?
    }

    private let state = Mutex(State())

    /// What is under way for an address.
    func reading(of url: String) -> Reading? { state.withLock { $0.readings[url] } }

    /// Begins to read a document, or joins those who wait for it.
    /// - Returns: nil where too many are read already.
    func begin(_ address: ClientDocumentID, _ start: () -> Reading) -> Reading? {
        state.withLock { state in
            if let reading = state.readings[address.url] { return reading }
            let ofHost = state.hosts[address.host] ?? 0
            guard state.readings.count < Self.most, ofHost < Self.mostOfHost else { return nil }
            let reading = start()
            state.readings[address.url] = reading
            state.hosts[address.host] = ofHost + 1
            return reading
        }
    }

    /// Notes that one was read.
    func end(_ reading: Reading, of address: ClientDocumentID) {
        state.withLock { state in
            guard state.readings[address.url] == reading else { return }
            state.readings[address.url] = nil
            let ofHost = (state.hosts[address.host] ?? 1) - 1
            state.hosts[address.host] = ofHost > 0 ? ofHost : nil
        }
    }

    /// How many are kept; nil where that was not counted within the hour.
    func count(at now: Date) -> Int? {
        state.withLock { state in
            guard let at = state.countedAt, at <= now, now < at + Self.pause else { return nil }
            return state.count
        }
    }

    func note(count: Int, at now: Date) {
        state.withLock { state in (state.count, state.countedAt) = (count, now) }
    }

    func noteNew() { state.withLock { $0.count += 1 } }
}
