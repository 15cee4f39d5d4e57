/// Starting, memory, and what is asked of the disk.
enum Life {
    /// Starts in each round.
    private static let starts = 3

    static func start(_ bench: Workbench, isFresh: Bool) async throws -> [Quantity: [Double]] {
        var result: [Double] = []
        for _ in 0..<starts { result.append(try await bench.start(isFresh: isFresh).milliseconds) }
        return [.milliseconds: result]
    }

    @Sendable static func memoryAtStart(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        guard let memory = try await bench.start(isFresh: false).memory else { return [:] }
        return [.resident: [memory.resident], .proportional: [memory.proportional]]
    }

    static func memory(_ bench: Workbench, _ kind: Workbench.Subject.Kind) async throws -> [Quantity: [Double]] {
        guard let memory = try await bench.subject(kind).server.figures.memory else { return [:] }
        return [.resident: [memory.resident], .proportional: [memory.proportional]]
    }

    /// Under `strace` nothing is fast; only how many syncs there are is looked at.
    @Sendable static func syncs(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        guard SyncCounter.isThere, await bench.round == 1 else { return [:] }
        let subject = try await bench.subject(.minimum)
        let people = try subject.people.take(bench.options.people(perSecond: 400))
        let waiting = try await bench.waiting(subject, people)
        let counted = try await SyncCounter.count(of: subject.server.identifier) {
            try await bench.load.run(port: subject.server.port, connections: 64, seconds: 60) { _ in
                GivingCode(realm: subject.realm, waiting: waiting)
            }
        }
        guard let syncs = counted.syncs, counted.result.operations > 0 else { return [:] }
        return [.syncsEach: [Double(syncs) / Double(counted.result.operations)]]
    }
}
