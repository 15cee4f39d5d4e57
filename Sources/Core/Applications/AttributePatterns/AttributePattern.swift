import Foundation

/// A regular expression that the value of an attribute has to match, somewhere unless `^` and `$` say where
/// (native-auth, section 2.3, `options.regex`).
///
/// It is a part of ECMAScript's expressions (ECMA-262, section 22.2.1), so that a client can try the same text first:
/// literals, `.`, `[…]`, `\d \w \s` and their opposites, `^ $`, groups, `|`, and `* + ? {n} {n,} {n,m}`. What looks back
/// or ahead is refused. So matching never goes back over the text: the time is at most the length of the text times
/// ``mostSteps``, whatever an administrator writes and a stranger sends.
public struct AttributePattern: Sendable, Equatable {
    /// Characters (Unicode scalars) of an expression.
    public static let longest = 256
    /// Steps that an expression may come to, once its repetitions are written out.
    public static let mostSteps = 500
    /// Groups in groups.
    static let deepest = 20

    /// The expression as it was written. Two patterns are equal where their texts are.
    public let text: String
    private let program: PatternProgram

    public static func == (one: Self, other: Self) -> Bool { one.text == other.text }

    /// - Throws: ``Fault``, in a sentence for the one who wrote it.
    public init(_ text: String) throws(Fault) {
        guard !text.isEmpty else { throw Fault("it is empty") }
        guard text.unicodeScalars.count <= Self.longest else {
            throw Fault("it has more than \(Self.longest) characters")
        }
        var parser = PatternParser(text)
        program = try PatternProgram(try parser.parse())
        self.text = text
    }

    /// Whether the expression matches somewhere in the value, within steps in proportion to its length.
    public func matches(_ value: String) -> Bool { program.matches(value.unicodeScalars.map(\.value)) }

    /// Why a text is no expression that is taken here; reads on from "the pattern is not taken: ".
    public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }
}

/// What an expression says.
indirect enum PatternNode: Sendable {
    case scalar(ScalarSet)
    case start
    case end
    case sequence([PatternNode])
    case choice([PatternNode])
    /// Nil is without end.
    case repeated(PatternNode, least: Int, most: Int?)
}
