/// Reads an expression (ECMA-262, section 22.2.1), and refuses what could not be matched in one go over the text.
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    typealias Fault = AttributePattern.Fault

    mutating func parse() throws(Fault) -> PatternNode {
        let node = try choice()
        guard position == scalars.count else { throw Fault("a ) has no ( before it") }
        return node
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func choice() throws(Fault) -> PatternNode {
        var ways = [try sequence()]
        while take("|") { ways.append(try sequence()) }
        return ways.count == 1 ? ways[0] : .choice(ways)
    }

    private mutating func sequence() throws(Fault) -> PatternNode {
        var nodes: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let node = try atom()
            nodes.append(try repetition(of: node))
        }
        return .sequence(nodes)
    }

    // MARK: One thing

    private mutating func atom() throws(Fault) -> PatternNode {
        let scalar = scalars[position]
        position += 1
        switch scalar {
        case "^": return .start
        case "$": return .end
        case ".": return .scalar(ScalarSet.lineEnds.opposite)
        case "(": return try group()
        case "[": return .scalar(try set())
        case "\\": return .scalar(try escape())
        case "*", "+", "?": throw Fault("a \(scalar) has nothing before it to repeat")
        case "{": throw Fault("a { that repeats nothing is written \\{")
        default: return .scalar(ScalarSet(scalar.value))
        }
    }

    private mutating func group() throws(Fault) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= AttributePattern.deepest else {
            throw Fault("it has more than \(AttributePattern.deepest) groups in each other")
        }
        if take("?"), !take(":") { throw Fault("groups with (? are not taken, but for (?:") }
        let node = try choice()
        guard take(")") else { throw Fault("a ( has no ) after it") }
        return node
    }

    // MARK: Repetitions

    private mutating func repetition(of node: PatternNode) throws(Fault) -> PatternNode {
        let bounds: (least: Int, most: Int?)
        switch next {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{":
            position += 1
            bounds = try braces()
            position -= 1
        default: return node
        }
        switch node {
        case .start, .end: throw Fault("^ and $ are not repeated")
        default: break
        }
        position += 1
        // As few as possible, or as many: whether there is a match is the same.
        _ = take("?")
        return .repeated(node, least: bounds.least, most: bounds.most)
    }

    /// Leaves the position after the closing brace.
    private mutating func braces() throws(Fault) -> (least: Int, most: Int?) {
        let wrong = Fault("a { is followed by {n}, {n,} or {n,m} with numbers to \(AttributePattern.mostSteps)")
        guard let least = number() else { throw wrong }
        var most: Int? = least
        if take(",") { most = number() ?? (next == "}" ? nil : -1) }
        guard take("}"), most ?? least >= least, max(least, most ?? 0) <= AttributePattern.mostSteps else {
            throw wrong
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next.flatMap({ $0.isASCII ? Int(String($0)) : nil }), (value ?? 0) < 100_000 {
            value = (value ?? 0) * 10 + digit
            position += 1
        }
        return value
    }

    // MARK: Sets

    private mutating func set() throws(Fault) -> ScalarSet {
        let isOpposite = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        while !take("]") {
            let first = try setMember()
            // A hyphen at the end stands for itself.
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                ranges += first.ranges
                continue
            }
            position += 1
            let last = try setMember()
            guard let low = first.only, let high = last.only, low <= high else {
                throw Fault("a range in [ ] goes from one character to a later one")
            }
            ranges.append(low...high)
        }
        let set = ScalarSet(ranges)
        return isOpposite ? set.opposite : set
    }

    private mutating func setMember() throws(Fault) -> ScalarSet {
        guard let scalar = next else { throw Fault("a [ has no ] after it") }
        position += 1
        return scalar == "\\" ? try escape() : ScalarSet(scalar.value)
    }

    // MARK: Escapes

    private mutating func escape() throws(Fault) -> ScalarSet {
        guard let scalar = next else { throw Fault("it ends with a \\") }
        position += 1
        switch scalar {
        case "d": return .digits
        case "D": return ScalarSet.digits.opposite
        case "w": return .words
        case "W": return ScalarSet.words.opposite
        case "s": return .spaces
        case "S": return ScalarSet.spaces.opposite
        case "t": return ScalarSet(0x09)
        case "n": return ScalarSet(0x0A)
        case "v": return ScalarSet(0x0B)
        case "f": return ScalarSet(0x0C)
        case "r": return ScalarSet(0x0D)
        case "x": return try hexadecimal(2)
        case "u": return try hexadecimal(4)
        default:
            let isSign = scalar.isASCII && !scalar.properties.isAlphabetic && !("0"..."9").contains(scalar)
            guard isSign, scalar.value > 0x1F else { throw Fault("\\\(scalar) is not taken") }
            return ScalarSet(scalar.value)
        }
    }

    private mutating func hexadecimal(_ count: Int) throws(Fault) -> ScalarSet {
        let digits = scalars[position..<min(position + count, scalars.count)]
        guard digits.count == count, digits.allSatisfy({ $0.properties.isASCIIHexDigit }),
            let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16), Unicode.Scalar(value) != nil
        else { throw Fault("\\x takes two hexadecimal digits, \\u four that are a character") }
        position += count
        return ScalarSet(value)
    }
}

extension ScalarSet {
    /// The scalar, where it is one alone.
    fileprivate var only: UInt32? {
        guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
        return range.lowerBound
    }
}
