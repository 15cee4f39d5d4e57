import JSON

extension UserProfile {
    /// Whether a text can be a ``locale``: a language of two or three letters and what may follow it, in the form of BCP 47 (RFC 5646,
    /// section 2.1). Whether there is such a language is not judged (docs/decisions/0512).
    public static func isLocale(_ text: String) -> Bool {
        guard text.utf8.count <= 35 else { return false }
        var rest = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false)[...]
        func take(_ fits: (Substring.UTF8View) -> Bool) -> Bool {
            guard let first = rest.first, fits(first) else { return false }
            rest.removeFirst()
            return true
        }
        /// Takes one subtag or more.
        func takeAll(_ counts: ClosedRange<Int>) -> Bool {
            guard take({ $0.areSigns(counts) }) else { return false }
            while take({ $0.areSigns(counts) }) { continue }
            return true
        }
        guard take({ $0.areLetters(2...3) }) else { return false }
        var extended = 0
        while extended < 3, take({ $0.areLetters(3...3) }) { extended += 1 }
        // The script, the region, and variants.
        _ = take { $0.areLetters(4...4) }
        _ = take { $0.areLetters(2...2) || $0.areDigits(3) }
        while take({ $0.areSigns(5...8) || $0.areSigns(4...4) && $0.prefix(1).areDigits(1) }) { continue }
        // Extensions, each behind a sign of its own, and what people have agreed on among themselves.
        while take({ $0.areSigns(1...1) && !$0.isPrivateUse }) {
            guard takeAll(2...8) else { return false }
        }
        if take({ $0.isPrivateUse }), !takeAll(1...8) { return false }
        return rest.isEmpty
    }
}

extension Substring.UTF8View {
    fileprivate var isPrivateUse: Bool { elementsEqual("x".utf8) || elementsEqual("X".utf8) }

    fileprivate func areLetters(_ counts: ClosedRange<Int>) -> Bool {
        counts.contains(count) && allSatisfy(\.isASCIILetter)
    }

    fileprivate func areDigits(_ number: Int) -> Bool { count == number && allSatisfy(\.isASCIIDigit) }

    fileprivate func areSigns(_ counts: ClosedRange<Int>) -> Bool {
        counts.contains(count) && allSatisfy(\.isASCIILetterOrDigit)
    }
}
