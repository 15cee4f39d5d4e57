/// Some Unicode scalars: ranges in order that do not touch.
struct ScalarSet: Sendable, Equatable {
    private(set) var ranges: [ClosedRange<UInt32>]

    private static let last: UInt32 = 0x10FFFF

    init(_ ranges: [ClosedRange<UInt32>]) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let before = merged.last, range.lowerBound <= before.upperBound &+ 1 {
                merged[merged.count - 1] = before.lowerBound...max(before.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    init(_ scalar: UInt32) { ranges = [scalar...scalar] }

    /// All others.
    var opposite: ScalarSet {
        var others: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { others.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= Self.last { others.append(next...Self.last) }
        return ScalarSet(others)
    }

    func contains(_ scalar: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            let range = ranges[middle]
            if range.contains(scalar) { return true }
            if scalar < range.lowerBound { high = middle } else { low = middle + 1 }
        }
        return false
    }

    /// `\d`, `\w` and `\s` (ECMA-262, section 22.2.2.9), and what `.` leaves out.
    static let digits = ScalarSet([0x30...0x39])
    static let words = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let spaces = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    static let lineEnds = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])
}
