import Foundation

/// What is measured of a case.
enum Quantity: String, Codable, Sendable, CaseIterable, CodingKeyRepresentable {
    case perSecond
    /// Microseconds of the server's processor time for one operation.
    case serverMicroseconds
    /// The same of the generator's, which shares the machine.
    case clientMicroseconds
    /// Milliseconds.
    case medianLatency, p99Latency
    /// Of the store, for one operation.
    case writesEach, commitsEach, syncsEach
    /// The server's calls of `malloc` and its like for one operation.
    case allocationsEach
    /// Thousands of instructions of the server for one operation, where the processor's counter can be read.
    case kiloInstructions
    /// Milliseconds of the server's processor time in each second, of a load that asks for nothing.
    case idleMilliseconds
    /// MiB.
    case resident, proportional
    /// KiB that each adds to the server's own memory.
    case kibibytesEach
    case milliseconds

    var title: String {
        switch self {
        case .perSecond: "per second"
        case .serverMicroseconds: "server CPU, µs each"
        case .clientMicroseconds: "client CPU, µs each"
        case .medianLatency: "median, ms"
        case .p99Latency: "p99, ms"
        case .writesEach: "writes each"
        case .commitsEach: "commits each"
        case .syncsEach: "syncs each"
        case .allocationsEach: "allocations each"
        case .kiloInstructions: "instructions each, thousands"
        case .idleMilliseconds: "server CPU, ms a second"
        case .resident: "RSS, MiB"
        case .proportional: "PSS, MiB"
        case .kibibytesEach: "KiB each"
        case .milliseconds: "ms"
        }
    }
}

/// A median with the least and the greatest value.
struct Spread: Codable, Sendable, Equatable {
    let median: Double
    let least: Double
    let greatest: Double

    /// Nil where there are no values.
    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        least = first
        greatest = last
    }

    /// For instance `12,300 (11,900–12,450)`; a value alone where there was one round.
    var text: String {
        least == greatest ? Self.text(median) : "\(Self.text(median)) (\(Self.text(least))–\(Self.text(greatest)))"
    }

    /// Three digits that mean something, more where they stand before the point.
    static func text(_ value: Double) -> String {
        let magnitude = abs(value)
        let decimals = magnitude >= 100 || magnitude == 0 ? 0 : magnitude >= 10 ? 1 : magnitude >= 0.1 ? 2 : 3
        let text = String(format: "%.\(decimals)f", value)
        let whole = text.prefix { $0.isNumber || $0 == "-" }
        guard whole.count > 4 else { return text }
        var grouped = ""
        for (index, digit) in whole.reversed().enumerated() {
            if index > 0, index % 3 == 0 { grouped.append(",") }
            grouped.append(digit)
        }
        return String(grouped.reversed()) + text.dropFirst(whole.count)
    }
}

/// The values of every round.
struct Figures: Codable, Sendable {
    /// By case, then by what was measured, in the order of the rounds.
    private(set) var values: [String: [Quantity: [Double]]] = [:]

    mutating func add(_ measured: [Quantity: [Double]], of name: String) {
        for (quantity, more) in measured { values[name, default: [:]][quantity, default: []] += more }
    }

    func spread(_ quantity: Quantity, of name: String) -> Spread? {
        values[name]?[quantity].flatMap { Spread($0) }
    }

    /// What was measured of a case by another run.
    init(_ values: [String: [Quantity: [Double]]] = [:]) { self.values = values }

    /// One case by another, round by round: what both shared, such as a busy neighbour, falls out.
    func ratio(_ quantity: Quantity, of name: String, to limit: String) -> Spread? {
        guard let own = values[name]?[quantity], let others = values[limit]?[quantity] else { return nil }
        return Spread(zip(own, others).filter { $1 > 0 }.map { $0 / $1 })
    }
}
