/// A phone number in the form of ITU-T E.164, section 6: `+`, the country's code, the subscriber's number.
///
/// Spaces, dots, dashes and parentheses that people write between the digits are left out, so that two spellings of a
/// number are one number. The number itself is not verified.
public struct PhoneNumber: Sendable, Hashable, CustomStringConvertible {
    /// `+` and 5 to 15 digits.
    public let canonical: String

    /// Nil where the text cannot be a number: without `+`, with letters, beginning with 0, too short or too long.
    public init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let characters = text.utf8.filter { !" .-()".utf8.contains($0) }
        guard characters.first == UInt8(ascii: "+"), characters.dropFirst().first != UInt8(ascii: "0"),
            (5...15).contains(characters.count - 1),
            characters.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        canonical = String(decoding: characters, as: UTF8.self)
    }

    /// For stores: a number that was judged before it was kept.
    public init(kept canonical: String) {
        self.canonical = canonical
    }

    public var description: String { canonical }
}
