/// Which requests are admitted to the hashing threads, and in which order: the rules without the threads.
struct HashingQueue<Job> {
    enum Admission: Equatable {
        /// The job waits under this number until a thread takes it.
        case admitted(Int)
        /// Too many are before it.
        case refused(retryAfter: Int)
        case closed
    }

    private let threads: Int
    private let limit: Int
    /// The longest that a request should wait, in seconds, as far as can be estimated.
    private let longestWait: Double
    private var waiting: [(number: Int, job: Job)] = []
    private var running = 0
    private var lastNumber = 0
    private var averageSeconds: Double
    private(set) var isClosed = false

    /// - Parameter seconds: what a hash takes, until some have shown it.
    init(threads: Int, limit: Int, longestWait: Double = .infinity, seconds: Double = 0.05) {
        self.threads = threads
        self.limit = limit
        self.longestWait = longestWait
        averageSeconds = seconds
    }

    /// Jobs that were admitted and are not finished.
    var load: Int { waiting.count + running }

    /// Whether a thread has nothing left to do for ever.
    var isFinished: Bool { isClosed && waiting.isEmpty }

    mutating func admit(_ job: Job) -> Admission {
        if isClosed { return .closed }
        if load >= limit || load >= threads && wait(before: load) > longestWait {
            return .refused(retryAfter: retryAfter(before: load))
        }
        lastNumber += 1
        waiting.append((lastNumber, job))
        return .admitted(lastNumber)
    }

    /// The job that has waited longest; it counts as running until ``finished(after:)``.
    mutating func take() -> Job? {
        if waiting.isEmpty { return nil }
        running += 1
        return waiting.removeFirst().job
    }

    /// A job that was taken is done.
    mutating func finished(after seconds: Double) {
        running -= 1
        // Slowly: a few hashes that others held up are not to turn a whole burst away.
        averageSeconds += (seconds - averageSeconds) / 32
    }

    /// Takes back a job that still waits; nil where it runs already, or is done.
    mutating func withdraw(_ number: Int) -> Job? {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return nil }
        return waiting.remove(at: index).job
    }

    /// Admits no more. What was admitted is still done.
    mutating func close() {
        isClosed = true
    }

    /// Whole seconds until those before have been served. More than a minute would only be a guess.
    private func retryAfter(before: Int) -> Int {
        Int(min(60, max(1, wait(before: before).rounded(.up))))
    }

    private func wait(before: Int) -> Double { Double(before) * averageSeconds / Double(threads) }
}
