import Foundation
import NIOCore

/// Devices that wait for a request that does not come.
enum IdleDevices {
    /// Seconds in which the server's processor time is looked at, at least: idleness needs a while to show.
    private static let least = 3.0

    @Sendable static func waiting(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let subject = try await bench.subject(.idle)
        let seconds = max(least, bench.options.seconds)
        let figures = subject.server.figures
        let before = figures.memory
        return try await bench.load.holding(port: subject.server.port, connections: subject.count) { number in
            let device = BenchDevice(person: Person(number: number))
            return RequestText.get(
                "/api/device-accounts/\(device.id)/notifications?wait=55", source: device.person.source,
                bearer: device.token)
        } while: {
            try await settled(subject.server)
            let clock = ContinuousClock()
            let (start, from) = (clock.now, figures.processorSeconds)
            try await Task.sleep(for: .seconds(seconds))
            var result: [Quantity: [Double]] = [:]
            if let from, let to = figures.processorSeconds {
                result[.idleMilliseconds] = [(to - from) * 1000 / ((clock.now - start) / .seconds(1))]
            }
            if let memory = figures.memory, let before {
                result[.resident] = [memory.resident]
                result[.proportional] = [memory.proportional]
                result[.kibibytesEach] = [(memory.proportional - before.proportional) * 1024 / Double(subject.count)]
            }
            return result
        }
    }

    /// Until the process has hardly done anything for a quarter of a second.
    private static func settled(_ server: ServerProcess) async throws {
        for _ in 0..<80 {
            guard let from = server.figures.processorSeconds else { return }
            try await Task.sleep(for: .milliseconds(250))
            guard let to = server.figures.processorSeconds, to - from > 0.01 else { return }
        }
    }
}
