import Foundation

/// Text without zero bytes (U+0000): what the server keeps, and what it finds rows by.
///
/// PostgreSQL cannot keep the character, and C interfaces end a text there, so that a client's `"alice\u{0}…"` would name
/// `alice`. Ids have none by their type (``StringName``); other texts that clients send come through one of these initializers.
/// As a property wrapper it keeps zero bytes out of a property, however it is set.
@propertyWrapper
public struct PlainText: Sendable, Hashable, CustomStringConvertible {
    /// The text; zero bytes are left out of what is assigned.
    public var wrappedValue: String {
        get { text }
        set { self = PlainText(newValue) }
    }

    /// The text without zero bytes.
    public private(set) var text: String

    public var description: String { text }

    /// A name or a sentence for people, whose zero bytes are left out.
    /// - Parameter longest: what comes after that many characters is cut off.
    public init(_ text: String, longest: Int = .max) {
        let plain = text.hasZeroByte ? text.filter { $0 != "\0" } : text
        self.text = longest == .max ? plain : String(plain.prefix(longest))
    }

    /// As a property wrapper takes its initial value: zero bytes are left out.
    public init(wrappedValue: String) {
        self.init(wrappedValue)
    }

    /// A text that counts to the letter, such as an id that a client chose.
    /// - Parameter bytes: how long its UTF-8 may be.
    /// - Returns: nil where the text is missing, has a zero byte or has another length.
    public init?(_ text: String?, bytes: some RangeExpression<Int>) {
        guard let text, bytes.contains(text.utf8.count), !text.hasZeroByte else { return nil }
        self.text = text
    }

    /// The same of a text that has something in it, as protocols have it for parameters: by code that is generic over nothing.
    public init?(nonempty text: String?) {
        guard let text, !text.isEmpty, !text.hasZeroByte else { return nil }
        self.text = text
    }

    /// The text with U+FFFD in place of each zero byte. A look-up by it finds no row that has another name, and it names nothing else.
    public static func key(_ text: String) -> String {
        guard text.hasZeroByte else { return text }
        var key = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { key.append(scalar == "\0" ? "\u{FFFD}" : scalar) }
        return String(key)
    }
}

extension String {
    /// Asked of every text that a client sends and of every key of a row: the C library looks at many bytes at once.
    fileprivate var hasZeroByte: Bool {
        utf8.withContiguousStorageIfAvailable { text in
            text.baseAddress.map { memchr($0, 0, text.count) != nil } ?? false
        } ?? utf8.contains(0)
    }
}
