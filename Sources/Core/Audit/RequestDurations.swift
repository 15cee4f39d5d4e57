import Synchronization

/// How long requests took to be answered at this server, since its process began.
///
/// Counting is one atomic addition. The numbers are bounded: some hundred for each kind of request.
public final class RequestDurations: Sendable {
    /// What is measured together. The names are stable.
    public enum Kind: String, Sendable, CaseIterable {
        /// Pages that people see: sign-in, account, console.
        case pages
        /// What applications ask for, whatever the protocol.
        case applications
        /// Operations of administrators.
        case administration
    }

    /// A number that many threads raise.
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private let counts: [Kind: [Count]] = Dictionary(
        uniqueKeysWithValues: Kind.allCases.map { ($0, (0..<DurationBuckets.count).map { _ in Count() }) })

    /// Counts from now on, beginning with none.
    public init() {}

    /// One more request that took so long.
    public func record(_ kind: Kind, nanoseconds: Int64) {
        _ = counts[kind]?[DurationBuckets.index(ofMicroseconds: nanoseconds / 1000)].value.add(1, ordering: .relaxed)
    }

    /// Numbers of requests by kind and bucket; of those above zero.
    var all: [Kind: [Int: Int]] {
        counts.mapValues { counts in
            var numbers: [Int: Int] = [:]
            for (index, count) in counts.enumerated() {
                let number = count.value.load(ordering: .relaxed)
                if number > 0 { numbers[index] = number }
            }
            return numbers
        }
    }
}

/// Durations are counted in buckets: four for each doubling, from a microsecond to a minute. What a bucket cannot tell is a fifth of the
/// duration at most.
enum DurationBuckets {
    /// What is longer than the last one counts as of it.
    static let count = 4 * 26

    static func index(ofMicroseconds duration: Int64) -> Int {
        let duration = max(1, duration)
        let octave = 63 - duration.leadingZeroBitCount
        let quarter = octave >= 2 ? Int(duration >> (octave - 2)) & 3 : Int(duration << (2 - octave)) & 3
        return min(4 * octave + quarter, count - 1)
    }

    /// The least duration of a bucket, in microseconds.
    static func begin(_ index: Int) -> Double { Double(4 + index % 4) / 4 * Double(1 << (index / 4)) }

    /// The duration that a part of the requests did not exceed, in microseconds; nil where there were none.
    /// - Parameters:
    ///   - numbers: by bucket.
    ///   - part: between 0 and 1.
    static func quantile(_ part: Double, of numbers: [Int: Int]) -> Int? {
        let total = numbers.values.reduce(0, +)
        guard total > 0 else { return nil }
        let rank = part * Double(total)
        var below = 0.0
        var last = 0.0
        for (index, number) in numbers.sorted(by: { $0.key < $1.key }) where number > 0 {
            let (begin, end) = (Self.begin(index), Self.begin(index + 1))
            let inside = Double(number)
            // Within a bucket they are taken to be spread evenly.
            if below + inside >= rank { return Int((begin + (end - begin) * (rank - below) / inside).rounded()) }
            below += inside
            last = end
        }
        return Int(last)
    }
}
