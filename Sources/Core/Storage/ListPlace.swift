import Crypto
import Foundation

/// Where a page of a list begins, as the page before gave it: the key of the last row that was seen, opaque to callers, and a place of that
/// list alone.
///
/// What is no place of the list is refused, since a list that begins somewhere else, or is empty, looks as if its caller had seen all of
/// it. Six bytes of a digest tell: they are no secret, and keep no one from asking for the rows after any key.
public struct ListPlace: Sendable, Equatable {
    /// Of the row after which the page begins.
    public let key: String
    private let list: String

    /// The place after a row.
    /// - Parameter list: the name of the list, which does not change.
    public init(after key: String, in list: String) {
        (self.key, self.list) = (key, list)
    }

    /// Nil where the text is no place of that list.
    public init?(_ text: String, in list: String) {
        guard text.utf8.count <= 2048, let bytes = [UInt8](base64URL: text), bytes.count > Self.checkLength,
            let key = String(validating: bytes.dropLast(Self.checkLength), as: UTF8.self),
            Self.check(key, list) == Array(bytes.suffix(Self.checkLength)), PlainText.key(key) == key
        else { return nil }
        self.init(after: key, in: list)
    }

    /// As pages and commands write it: characters of Base64 for URLs. The key comes first: no byte of UTF-8 makes a hyphen of the first
    /// character, with which the text would be an option of a command.
    public var text: String { (Array(key.utf8) + Self.check(key, list)).base64URL }

    private static let checkLength = 6

    private static func check(_ key: String, _ list: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("\(list)\0\(key)".utf8)).prefix(checkLength))
    }
}
