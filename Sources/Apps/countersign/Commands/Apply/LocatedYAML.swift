import CountersignCore
import Dispatch
import Foundation
import Synchronization
import Yams

/// A value of a YAML file with the line that it stands in, so that a fault can be told where it is.
///
/// YAML's own guesses are narrowed to those of its core schema (YAML 1.2, section 10.3): `true`, `false`, `null`, integers and decimals
/// without quotes are what they look like, and everything else is text. `no` is a country.
struct LocatedYAML: Sendable {
    let value: JSONValue
    /// From 1.
    let line: Int
    /// Of an object, in the order of the file.
    let members: [(name: String, line: Int, value: LocatedYAML)]
    let elements: [LocatedYAML]

    /// Something that is wrong with the file, and where.
    struct Fault: Error, Sendable, Equatable, Comparable {
        let line: Int
        let text: String

        static func < (left: Fault, right: Fault) -> Bool { (left.line, left.text) < (right.line, right.text) }
    }

    /// Bytes that a file may have.
    static let sizeLimit = 4 << 20
    /// Values inside each other.
    private static let depthLimit = 16
    /// Values in all, those of aliases counted where each stands.
    private static let countLimit = 200_000

    /// - Parameter patience: how long reading may take. An alias of an alias of an alias, as a name, is compared with all other names at
    ///   its full length.
    /// - Throws: ``Fault``.
    init(_ text: String, patience: DispatchTimeInterval = .seconds(20)) throws(Fault) {
        let outcome = Mutex<Result<LocatedYAML, Fault>?>(nil)
        let done = DispatchSemaphore(value: 0)
        do {
            // Yams calls itself for each of the thousand levels that it reads.
            try OwnThread.start("yaml", stackSize: 16 << 20) {
                let result = Result { () throws(Fault) in try Self.read(text) }
                outcome.withLock { $0 = result }
                done.signal()
            }
        } catch {
            throw Fault(line: 1, text: "the file cannot be read: \(error)")
        }
        guard done.wait(timeout: .now() + patience) == .success, let result = outcome.withLock({ $0 }) else {
            throw Fault(line: 1, text: "the file takes too long to read: write its aliases out")
        }
        self = try result.get()
    }

    private static func read(_ text: String) throws(Fault) -> LocatedYAML {
        // A byte order mark, which editors write, may be at the beginning (YAML 1.2.2, section 5.2).
        let isMarked = text.unicodeScalars.first == "\u{FEFF}"
        let content = isMarked ? String(text.unicodeScalars.dropFirst()) : text
        let root: Node?
        do {
            root = try Yams.compose(yaml: content)
        } catch let error as YamlError {
            throw Self.fault(error)
        } catch {
            throw Fault(line: 1, text: "\(error)")
        }
        guard let root else { throw Fault(line: 1, text: "the file is empty") }
        var room = Self.countLimit
        return try LocatedYAML(root, depth: 0, &room)
    }

    private init(_ node: Node, depth: Int, _ room: inout Int) throws(Fault) {
        line = node.mark?.line ?? 1
        room -= 1
        // An alias is cheap to write and, many times over, dear to follow.
        guard room > 0 else { throw Fault(line: line, text: "there are too many values") }
        guard depth < Self.depthLimit else { throw Fault(line: line, text: "values are nested too deeply") }
        switch node {
        case .scalar(let scalar):
            (value, members, elements) = (Self.value(scalar), [], [])
        case .sequence(let sequence):
            var elements: [LocatedYAML] = []
            for element in sequence { elements.append(try LocatedYAML(element, depth: depth + 1, &room)) }
            (value, members, self.elements) = (.array(elements.map(\.value)), [], elements)
        case .mapping(let mapping):
            var members: [(name: String, line: Int, value: LocatedYAML)] = []
            for (key, node) in mapping {
                guard case .scalar(let scalar) = key else {
                    throw Fault(line: key.mark?.line ?? line, text: "a name is text")
                }
                members.append((scalar.string, key.mark?.line ?? line, try LocatedYAML(node, depth: depth + 1, &room)))
            }
            let pairs = members.map { ($0.name, $0.value.value) }
            value = .object(Dictionary(pairs, uniquingKeysWith: { _, last in last }))
            (self.members, elements) = (members, [])
        case .alias:
            throw Fault(line: line, text: "anchors and aliases are not taken: write it out")
        }
    }

    private static func value(_ scalar: Node.Scalar) -> JSONValue {
        let text = scalar.string
        guard scalar.style == .plain || scalar.style == .any else { return .string(text) }
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "", "null", "~": return .null
        default: break
        }
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let isNumber = digits.first?.isASCII == true && digits.first?.isNumber == true
        // What begins with a zero is a code or a version and no number.
        guard isNumber, digits == "0" || digits.hasPrefix("0.") || !digits.hasPrefix("0") else { return .string(text) }
        if let whole = Int64(text) { return .integer(whole) }
        if digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(text) {
            return .number(number)
        }
        return .string(text)
    }

    private static func fault(_ error: YamlError) -> Fault {
        switch error {
        case .parser(_, let problem, let mark, _) where problem.hasPrefix("Maximum nesting level"):
            Fault(line: mark.line, text: "values are nested too deeply")
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            Fault(line: mark.line, text: "this is no YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            Fault(
                line: context.mark.line,
                text: "this is there twice: \(duplicates.sorted().joined(separator: ", "))")
        case .reader(let problem, let offset, _, let yaml):
            Fault(
                line: offset.map { yaml.utf8.prefix($0).count { $0 == UInt8(ascii: "\n") } + 1 } ?? 1,
                text: "this is no YAML: \(problem)")
        default: Fault(line: 1, text: "this is no YAML: \(error)")
        }
    }

    /// The member of that name.
    subscript(_ name: String) -> LocatedYAML? { members.first { $0.name == name }?.value }

    /// The line of what a decoder stumbled over, or of the nearest thing around it.
    func line(at path: some Collection<any CodingKey>) -> Int {
        guard let first = path.first else { return line }
        let rest = path.dropFirst()
        if let index = first.intValue, elements.indices.contains(index) { return elements[index].line(at: rest) }
        guard let member = members.first(where: { $0.name == first.stringValue }) else { return line }
        // A text on the next line begins there; its name says what it is.
        return rest.isEmpty ? member.line : member.value.line(at: rest)
    }
}
