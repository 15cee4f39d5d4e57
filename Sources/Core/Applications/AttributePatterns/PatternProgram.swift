/// An expression as steps, which are taken on all ways at once: each scalar of the text is read once, by every active
/// step (K. Thompson, Communications of the ACM 11:6, 1968). No text makes it slow.
struct PatternProgram: Sendable {
    private enum Step: Sendable {
        case take(ScalarSet)
        case fork(Int, Int)
        case start
        case end
        case done
    }

    private var steps: [Step] = []

    init(_ node: PatternNode) throws(AttributePattern.Fault) {
        try add(node)
        try write(.done)
    }

    // MARK: Writing it out

    private mutating func write(_ step: Step) throws(AttributePattern.Fault) {
        guard steps.count < AttributePattern.mostSteps else {
            throw AttributePattern.Fault(
                "it comes to more than \(AttributePattern.mostSteps) steps once its repetitions are written out")
        }
        steps.append(step)
    }

    /// Every node falls through to what is added after it.
    private mutating func add(_ node: PatternNode) throws(AttributePattern.Fault) {
        switch node {
        case .scalar(let set): try write(.take(set))
        case .start: try write(.start)
        case .end: try write(.end)
        case .sequence(let nodes): for node in nodes { try add(node) }
        case .choice(let ways): try add(ways[...])
        case .repeated(let node, let least, let most):
            for _ in 0..<least {
                let before = steps.count
                try add(node)
                // An empty group adds nothing, however often.
                if steps.count == before { break }
            }
            if let most {
                for _ in least..<most { try addOptional(node) }
            } else {
                let fork = steps.count
                try write(.fork(fork + 1, fork))
                try add(node)
                try write(.fork(fork, fork))
                steps[fork] = .fork(fork + 1, steps.count)
            }
        }
    }

    private mutating func addOptional(_ node: PatternNode) throws(AttributePattern.Fault) {
        let fork = steps.count
        try write(.fork(fork + 1, fork))
        try add(node)
        steps[fork] = .fork(fork + 1, steps.count)
    }

    private mutating func add(_ ways: ArraySlice<PatternNode>) throws(AttributePattern.Fault) {
        guard let first = ways.first else { return }
        guard ways.count > 1 else { return try add(first) }
        let fork = steps.count
        try write(.fork(fork + 1, fork))
        try add(first)
        let leave = steps.count
        try write(.fork(leave, leave))
        steps[fork] = .fork(fork + 1, steps.count)
        try add(ways.dropFirst())
        steps[leave] = .fork(steps.count, steps.count)
    }

    // MARK: Running it

    /// Whether the expression is found in the text.
    func matches(_ text: [UInt32]) -> Bool {
        var present: [Int] = []
        var upcoming: [Int] = []
        /// The position for which a step was last put under way, by step.
        var seen = [Int](repeating: -1, count: steps.count)
        for position in 0...text.count {
            // A match may begin anywhere.
            if put(0, at: position, of: text.count, into: &present, &seen) { return true }
            guard position < text.count else { return false }
            upcoming.removeAll(keepingCapacity: true)
            for index in present {
                if case .take(let set) = steps[index], set.contains(text[position]),
                    put(index + 1, at: position + 1, of: text.count, into: &upcoming, &seen)
                {
                    return true
                }
            }
            swap(&present, &upcoming)
        }
        return false
    }

    /// Follows a step to those that take a scalar, each once; true where one of them is the end.
    private func put(
        _ first: Int, at position: Int, of count: Int, into list: inout [Int], _ seen: inout [Int]
    ) -> Bool {
        var open = [first]
        while let index = open.popLast() {
            if seen[index] == position { continue }
            seen[index] = position
            switch steps[index] {
            case .take: list.append(index)
            case .fork(let one, let other):
                open.append(other)
                if one != other { open.append(one) }
            case .start: if position == 0 { open.append(index + 1) }
            case .end: if position == count { open.append(index + 1) }
            case .done: return true
            }
        }
        return false
    }
}
