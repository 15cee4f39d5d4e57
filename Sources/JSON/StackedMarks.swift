/// Bounds the marks that stand on one letter of a text that a stranger sent.
///
/// Swift compares and hashes texts by what they mean to Unicode, and Foundation composes them: both sort the marks behind a letter, in a time
/// that grows with the square of their number (`docs/decisions/0581`).
package enum StackedMarks {
    /// Marks behind one letter. Text that can be normalized as it streams has 30 at most, far more than any language needs (Unicode
    /// Standard Annex #15, section 13).
    package static let most = 128

    package static func areFew(in text: String) -> Bool {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        var count = 0
        for scalar in text.unicodeScalars {
            count = isMark(scalar) ? count + 1 : 0
            if count > most { return false }
        }
        return true
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300: false
        // They begin a letter by their class, and are decomposed into marks alone.
        case 0xF73, 0xF75, 0xF81: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}
